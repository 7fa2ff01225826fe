import { found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { mayBePrivate } from './create-webhook.ts';
import * as store from './store.ts';
import { assertUrl } from './url.ts';
import { askForVerification } from './verify.ts';

export type Changes = {
  url?: string | undefined;
  enabled_events?: string[] | undefined;
  description?: string | null | undefined;
  disabled?: boolean | undefined;
};

/** Nothing is known of it yet, for good or ill. */
const UNTRIED = { consecutive_failures: 0, failing_since: null };

/**
 * Change an endpoint. Another url must prove itself before anything else goes there. What happened while an endpoint was disabled is not
 * delivered when it is enabled again: a replay does that.
 */
export async function updateWebhook(
  ctx: Ctx,
  id: string,
  { url, enabled_events: enabledEvents, description, disabled }: Changes,
): Promise<store.Row> {
  const before = found(await store.locked(ctx, id), 'webhook endpoint');
  const moves = url !== undefined && url !== before.url;
  if (moves) assertUrl(url, ctx.mode, mayBePrivate(ctx));
  const enabled = disabled === false && before.disabled;
  const after = await store.update(ctx, id, {
    ...(enabledEvents !== undefined && { enabled_events: enabledEvents }),
    ...(description !== undefined && { description }),
    ...(moves && { url, url_version: before.url_version + 1, url_set_at: ctx.now, verified_at: null, ...UNTRIED }),
    ...(disabled === true && !before.disabled && { disabled: true, disabled_reason: 'manual' as const }),
    ...(enabled && { disabled: false, disabled_reason: null, taken_sequence: await store.lastSequence(ctx), ...UNTRIED }),
    updated_at: ctx.now,
  });
  if (moves) await askForVerification(ctx, after);
  return after;
}
