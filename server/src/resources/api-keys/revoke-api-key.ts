import { found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { keyringOf } from './keyring.ts';
import * as store from './store.ts';

/** End a key. Ending it twice is no error, and the first time stands. */
export async function revokeApiKey(ctx: Ctx, id: string): Promise<store.Row> {
  const row = found(await store.lock(ctx, id), 'API key');
  if (row.revoked_at) return row;
  keyringOf(ctx).drop(row.secret_hash, ctx.clock.wall().getTime());
  await store.dropSecret(ctx, row.secret_hash);
  return store.change(ctx, id, { revoked_at: ctx.now });
}
