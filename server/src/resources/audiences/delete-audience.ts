import { found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

/**
 * Remove an audience; its members stay contacts. `confirmMembers` is called when it has members, and throws to keep it. The lock keeps
 * members from coming in between the count and the deletion.
 */
export async function deleteAudience(ctx: Ctx, id: string, confirmMembers: () => void): Promise<store.Counted> {
  found(await store.lock(ctx, id), 'audience');
  const row = found(await store.byId(ctx, id), 'audience');
  if (row.contact_count > 0) confirmMembers();
  await store.remove(ctx, id);
  return row;
}
