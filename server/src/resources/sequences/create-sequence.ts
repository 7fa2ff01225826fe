import { newId } from '#platform/ids.ts';
import type { Ctx } from '#world/ctx.ts';
import { firstSteps } from './edit-steps.ts';
import type { Step, StepBody } from './rules.ts';
import * as store from './store.ts';

type Wanted = { name: string; description: string | null; steps: readonly StepBody[] };

/** Make a sequence with its steps, or none. */
export async function createSequence(ctx: Ctx, { name, description, steps: bodies }: Wanted): Promise<{ row: store.Counted; steps: Step[] }> {
  const row: store.Row = {
    workspace_id: ctx.workspaceId,
    mode: ctx.mode,
    id: newId(ctx, 'seq', ctx.now),
    name,
    description,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  const steps = firstSteps(bodies, { id: () => newId(ctx, 'stp', ctx.now), mintVariant: () => newId(ctx, 'var', ctx.now) });
  await store.insert(ctx, row);
  await store.steps.save(ctx, row.id, [], steps);
  return { row: { ...row, step_count: steps.length }, steps };
}
