import { found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

/** Rename or describe a sequence; what is not given stays. */
export async function updateSequence(
  ctx: Ctx,
  id: string,
  patch: { name?: string | undefined; description?: string | null | undefined },
): Promise<store.Counted> {
  const before = found(await store.lock(ctx, id), 'sequence');
  const name = patch.name ?? before.name;
  const description = patch.description === undefined ? before.description : patch.description;
  if (name !== before.name || description !== before.description) await store.change(ctx, id, { name, description, updated_at: ctx.now });
  return found(await store.byId(ctx, id), 'sequence');
}
