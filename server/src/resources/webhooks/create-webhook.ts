import { newId } from '#platform/ids.ts';
import { allowsPrivateWebhooks } from '#platform/config.ts';
import { takeWebhookRoom } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { newSecret, sealed } from './secret.ts';
import * as store from './store.ts';
import { assertUrl } from './url.ts';
import { askForVerification } from './verify.ts';

type Wanted = { url: string; enabled_events: string[]; description?: string | null | undefined };

/** Whether endpoints of the caller's mode may be on private addresses. */
export const mayBePrivate = (ctx: Ctx) => ctx.mode === 'test' && allowsPrivateWebhooks(ctx.config);

/** Register an endpoint and ask it to prove itself. The secret is in this answer and nowhere else. */
export async function createWebhook(ctx: Ctx, { url, enabled_events: enabledEvents, description = null }: Wanted) {
  assertUrl(url, ctx.mode, mayBePrivate(ctx));
  await takeWebhookRoom(ctx);
  const secret = newSecret(ctx);
  const owner = { workspace_id: ctx.workspaceId, id: newId(ctx, 'whk', ctx.now) };
  const row: store.Row = {
    ...owner,
    mode: ctx.mode,
    url,
    url_version: 1,
    url_set_at: ctx.now,
    enabled_events: enabledEvents,
    description,
    secret_sealed: sealed(ctx, owner, secret),
    previous_secret_sealed: null,
    previous_secret_until: null,
    verified_at: null,
    disabled: false,
    disabled_reason: null,
    consecutive_failures: 0,
    failing_since: null,
    last_success_at: null,
    last_failure_at: null,
    taken_sequence: await store.lastSequence(ctx),
    replayed_sequence: null,
    replay_until: null,
    created_at: ctx.now,
    updated_at: ctx.now,
  };
  await store.insert(ctx, row);
  await askForVerification(ctx, row);
  return { row, secret };
}
