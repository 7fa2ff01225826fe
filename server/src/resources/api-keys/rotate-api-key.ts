import { Refusal, found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { keyringOf } from './keyring.ts';
import { hashOf, newSecret } from './secret.ts';
import * as store from './store.ts';

/** Give a key a new secret; the old one ends with this commit. A revoked key has none to give: resource_missing. */
export async function rotateApiKey(ctx: Ctx, id: string): Promise<{ row: store.Row; secret: string }> {
  const old = found(await store.lock(ctx, id), 'API key');
  if (old.revoked_at) throw new Refusal('resource_missing', 'This API key is revoked.', { param: 'id' });
  const secret = newSecret(ctx.random, ctx.mode);
  keyringOf(ctx).drop(old.secret_hash, ctx.clock.wall().getTime());
  await store.dropSecret(ctx, old.secret_hash);
  await store.keepSecret(ctx, id, hashOf(secret));
  return { row: await store.change(ctx, id, { secret_hash: hashOf(secret), last_four: secret.slice(-4) }), secret };
}
