import { newId } from '#platform/ids.ts';
import { Refusal, found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { addStep, changeStep, removeStep, reorderSteps } from './edit-steps.ts';
import type { Step, StepBody } from './rules.ts';
import * as store from './store.ts';

/** Read the steps under the sequence's lock, edit them, write the difference. The lock keeps two inserts out of one position. */
async function edit<T extends { steps: Step[] }>(ctx: Ctx, sequenceId: string, change: (steps: Step[]) => T): Promise<T> {
  found(await store.lock(ctx, sequenceId), 'sequence');
  const before = await store.stepsOf(ctx, sequenceId);
  const edited = change(before);
  await store.steps.save(ctx, sequenceId, before, edited.steps);
  await store.change(ctx, sequenceId, { updated_at: ctx.now });
  return edited;
}

const mintVariant = (ctx: Ctx) => () => newId(ctx, 'var', ctx.now);

function required(steps: readonly Step[], stepId: string): Step {
  const step = steps.find((one) => one.id === stepId);
  if (!step) throw new Refusal('resource_missing', 'No such step in this sequence.', { param: 'step_id' });
  return step;
}

/** Add a step to a sequence (see addStep). */
export async function addSequenceStep(ctx: Ctx, sequenceId: string, body: StepBody): Promise<Step> {
  const id = newId(ctx, 'stp', ctx.now);
  return (await edit(ctx, sequenceId, (steps) => addStep(steps, body, { id, mintVariant: mintVariant(ctx) }))).step;
}

/** Change or move a step of a sequence (see changeStep). */
export async function changeSequenceStep(ctx: Ctx, sequenceId: string, stepId: string, body: StepBody): Promise<Step> {
  const edited = await edit(ctx, sequenceId, (steps) => {
    required(steps, stepId);
    return changeStep(steps, body, { id: stepId, mintVariant: mintVariant(ctx) });
  });
  return edited.step;
}

/** Remove a step of a sequence; later ones move up. */
export async function deleteSequenceStep(ctx: Ctx, sequenceId: string, stepId: string): Promise<Step> {
  const edited = await edit(ctx, sequenceId, (steps) => ({ step: required(steps, stepId), steps: removeStep(steps, stepId) }));
  return edited.step;
}

/** Put the steps of a sequence into another order (see reorderSteps). */
export async function reorderSequence(ctx: Ctx, sequenceId: string, stepIds: readonly string[]): Promise<{ row: store.Counted; steps: Step[] }> {
  const { steps } = await edit(ctx, sequenceId, (before) => ({ steps: reorderSteps(before, stepIds) }));
  return { row: found(await store.byId(ctx, sequenceId), 'sequence'), steps };
}
