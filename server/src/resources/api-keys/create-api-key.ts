import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import type { Ctx, Mode, Scope } from '#world/ctx.ts';
import { hashOf, newSecret } from './secret.ts';
import * as store from './store.ts';

const WIDTH = { read: 0, write: 1, admin: 2 } satisfies Record<Scope, number>;

type Wanted = { name: string; scope: Scope; mode?: Mode | undefined; auto_confirm: boolean };

/** Make a key of the caller's own mode and no wider scope. The secret is in this answer and nowhere else. */
export async function createApiKey(ctx: Ctx, { name, scope, mode = ctx.mode, auto_confirm }: Wanted): Promise<{ row: store.Row; secret: string }> {
  if (mode !== ctx.mode) throw new Refusal('mode_mismatch', `A ${ctx.mode} key cannot make a ${mode} key.`, { param: 'mode' });
  if (WIDTH[scope] > WIDTH[ctx.scope]) {
    throw new Refusal('insufficient_scope', `A key of scope ${ctx.scope} cannot make one of scope ${scope}.`, { param: 'scope' });
  }
  const secret = newSecret(ctx.random, mode);
  const row: store.Row = {
    workspace_id: ctx.workspaceId,
    id: newId(ctx, 'key', ctx.now),
    mode,
    name,
    scope,
    auto_confirm,
    last_four: secret.slice(-4),
    secret_hash: hashOf(secret),
    created_at: ctx.now,
    last_used_at: null,
    revoked_at: null,
  };
  await store.insert(ctx, row);
  return { row, secret };
}
