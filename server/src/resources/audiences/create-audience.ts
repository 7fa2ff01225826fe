import { newId } from '#platform/ids.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

/** Make an audience without members. */
export async function createAudience(ctx: Ctx, { name, description }: { name: string; description: string | null }): Promise<store.Counted> {
  const row: store.Row = {
    workspace_id: ctx.workspaceId,
    mode: ctx.mode,
    id: newId(ctx, 'aud', ctx.now),
    name,
    description,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await store.insert(ctx, row);
  return { ...row, contact_count: 0 };
}
