import { found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { SECRET_OVERLAP_MS } from './rules.ts';
import { newSecret, sealed } from './secret.ts';
import * as store from './store.ts';

/** Give an endpoint a new secret. The one before it signs as well for a day; one still older stops at once. */
export async function rotateWebhook(ctx: Ctx, id: string): Promise<{ row: store.Row; secret: string }> {
  const before = found(await store.locked(ctx, id), 'webhook endpoint');
  const secret = newSecret(ctx);
  const row = await store.update(ctx, id, {
    secret_sealed: sealed(ctx, before, secret),
    previous_secret_sealed: before.secret_sealed,
    previous_secret_until: new Date(ctx.now.getTime() + SECRET_OVERLAP_MS),
    updated_at: ctx.now,
  });
  return { row, secret };
}
