import { found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

/** Remove a sequence with its steps. Campaigns made from it have their own copies. */
export async function deleteSequence(ctx: Ctx, id: string): Promise<store.Counted> {
  found(await store.lock(ctx, id), 'sequence');
  const row = found(await store.byId(ctx, id), 'sequence');
  await store.remove(ctx, id);
  return row;
}
