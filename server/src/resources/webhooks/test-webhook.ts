import { newId } from '#platform/ids.ts';
import { found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import * as deliveries from './delivery-store.ts';
import { type Outcome, exchange } from './exchange.ts';
import { unloggedPayload } from './payload.ts';
import { healthAfter } from './rules.ts';
import * as store from './store.ts';
import { verified } from './verify.ts';

/** A delivery that was made and is not written down yet, and the address that it went to. */
export type Tried = { urlVersion: number; delivery: deliveries.Delivery; outcome: Outcome };

const DEFAULT_TYPE = 'contact.created';

/**
 * Send the endpoint a synthetic event, now and once: of the type that the caller names, or the first one that it wants. Its data names a
 * resource that does not exist, and its metadata says `test`.
 */
export async function trySynthetic(ctx: Ctx, id: string, wanted: string | undefined): Promise<Tried> {
  const endpoint = found(await store.byId(ctx, id), 'webhook endpoint');
  const [first] = endpoint.enabled_events;
  const type = wanted ?? (first === undefined || first === '*' ? DEFAULT_TYPE : first);
  const eventId = newId(ctx, 'evt', ctx.now);
  const noun = type.split('.')[0]!;
  const data = { object: noun, id: null, note: 'A test event: nothing has happened.' };
  const body = unloggedPayload(ctx, { id: eventId, type, resourceId: endpoint.id, data, metadata: { test: true } });
  const told = { event_id: eventId, event_type: type, trigger: 'test' as const, body };
  const delivery = { ...deliveries.blank(ctx, id), ...told, attempt: 1, next_attempt_at: null };
  return { urlVersion: endpoint.url_version, delivery, outcome: await exchange(ctx, endpoint, { delivery, body, now: ctx.now }) };
}

/** Write a test delivery down. A success proves the endpoint; a failure is no failure of its events. */
export async function keepTest(ctx: Ctx, { urlVersion, delivery, outcome }: Tried): Promise<deliveries.Delivery> {
  const endpoint = found(await store.locked(ctx, delivery.webhook_id), 'webhook endpoint');
  const row = { ...delivery, ...outcome };
  await deliveries.insert(ctx, row);
  if (outcome.status === 'succeeded' && endpoint.url_version === urlVersion) {
    await store.update(ctx, endpoint.id, { ...healthAfter(endpoint, true, ctx.now), ...(await verified(ctx, endpoint)) });
  }
  return row;
}
