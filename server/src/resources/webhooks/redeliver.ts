import { Refusal, found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import * as deliveries from './delivery-store.ts';
import * as store from './store.ts';

const assertEnabled = (row: store.Row) => {
  if (row.disabled) throw new Refusal('invalid_webhook_state', 'This endpoint is disabled: enable it first.', { param: 'id' });
};

/** Deliver again what a delivery of the log carried, at once and with a new number; it takes the place of a retry that waits. */
export async function redeliver(ctx: Ctx, webhookId: string, deliveryId: string): Promise<deliveries.Delivery> {
  const endpoint = found(await store.locked(ctx, webhookId), 'webhook endpoint');
  const past = found(await deliveries.byId(ctx, webhookId, deliveryId), 'delivery');
  assertEnabled(endpoint);
  const { event_id: eventId, event_type: eventType, body } = past;
  const next = await deliveries.due(ctx, webhookId, { event_id: eventId, event_type: eventType, trigger: 'redeliver', body });
  await deliveries.dropWaitingBefore(ctx, next);
  return next;
}

/** Deliver again every event of the log from a sequence on that the endpoint wants. What it has not been told yet comes anyway. */
export async function replay(ctx: Ctx, webhookId: string, fromSequence: number): Promise<{ from_sequence: number; to_sequence: number }> {
  const endpoint = found(await store.locked(ctx, webhookId), 'webhook endpoint');
  assertEnabled(endpoint);
  const last = await store.lastSequence(ctx);
  if (fromSequence > last) throw new Refusal('validation_failed', `The latest event has the sequence ${last}.`, { param: 'from_sequence' });
  const before = fromSequence - 1;
  // A replay that is under way goes back to the earlier place.
  const from = Math.min(before, endpoint.replayed_sequence ?? before);
  const until = endpoint.taken_sequence;
  await store.update(
    ctx,
    webhookId,
    from < until ? { replayed_sequence: from, replay_until: until } : { replayed_sequence: null, replay_until: null },
  );
  return { from_sequence: fromSequence, to_sequence: last };
}
