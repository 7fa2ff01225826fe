import { newId } from '#platform/ids.ts';
import type { Ctx } from '#world/ctx.ts';
import * as deliveries from './delivery-store.ts';
import { unloggedPayload } from './payload.ts';
import { isStillHeld } from './rules.ts';
import * as store from './store.ts';

/** What asks an endpoint to prove itself. It stands in no event log. */
export const VERIFICATION = 'webhook.verification';

/** Have the endpoint asked, in the caller's transaction. What an earlier address was still to be asked is dropped. */
export async function askForVerification(ctx: Ctx, { id, url }: Pick<store.Row, 'id' | 'url'>): Promise<void> {
  await deliveries.dropWaitingOf(ctx, id, VERIFICATION);
  const event = newId(ctx, 'evt', ctx.now);
  const challenge = ctx.random.bytes(24).toString('base64url');
  const body = unloggedPayload(ctx, { id: event, type: VERIFICATION, resourceId: id, data: { webhook_id: id, url, challenge } });
  await deliveries.due(ctx, id, { event_id: event, event_type: VERIFICATION, trigger: 'verification', body });
}

/** What changes when a locked endpoint proves itself: its events begin to flow, with those that waited for it no longer than a day. */
export async function verified(ctx: Ctx, row: store.Row): Promise<Partial<store.Row>> {
  if (row.verified_at) return {};
  const taken = isStillHeld(row.url_set_at, ctx.now) ? {} : { taken_sequence: await store.lastSequence(ctx) };
  return { verified_at: ctx.now, updated_at: ctx.now, ...taken };
}
