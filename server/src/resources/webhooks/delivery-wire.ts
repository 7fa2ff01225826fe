import { z } from 'zod';
import { EVENT_TYPES } from '#resources/events/index.ts';
import { Id, Mode, PageQuery, Timestamp, shown } from '#web/wire.ts';
import type { Delivery } from './delivery-store.ts';
import { loggedHeaders } from './exchange.ts';

const Status = z.enum(['pending', 'succeeded', 'failed']);
const ERRORS = ['timeout', 'dns', 'tls', 'refused', 'reset', 'redirect', 'blocked_address', 'status'] as const;

export const WebhookDelivery = z
  .object({
    id: Id('whd'),
    object: z.literal('webhook_delivery'),
    mode: Mode,
    webhook_id: Id('whk'),
    event_id: Id('evt'),
    event_type: z.string(),
    attempt: z.int().meta({ description: 'Counts what was tried of this event at this endpoint; no number is used twice.' }),
    status: Status,
    trigger: z.enum(['event', 'retry', 'redeliver', 'test', 'verification']),
    request_headers: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: 'As they were sent, the signatures taken out; null before the attempt.' }),
    request_body: z.string(),
    response_status: z.int().nullable().meta({ description: 'The body of the answer is not kept.' }),
    error: z
      .enum(ERRORS)
      .nullable()
      .meta({
        description: [
          '`timeout`: not done within 15 seconds, from the look-up of the name to the last byte of the answer.',
          '`reset`: the exchange broke off, at either end, or what came was no HTTP.',
          '`blocked_address`: the name led to an address that is not public.',
          '`redirect`, `status`: the answer was not a 2xx.',
        ].join(' '),
      }),
    latency_ms: z.int().nullable(),
    next_attempt_at: Timestamp.nullable().meta({ description: 'Of a pending one when it is due, of a failed one when it is tried again.' }),
    created_at: Timestamp,
  })
  .meta({ id: 'WebhookDelivery', description: 'One attempt to deliver an event, kept for 30 days.' });

export const WebhookReplay = z
  .object({ object: z.literal('webhook_replay'), webhook_id: Id('whk'), from_sequence: z.int(), to_sequence: z.int() })
  .meta({ id: 'WebhookReplay', description: 'The events that are delivered again, by their sequence, as far as the endpoint wants them.' });

export const DeliveryQuery = PageQuery.extend({
  status: Status.optional(),
  event_type: z.string().max(100).optional(),
  event_id: z.string().max(100).optional(),
});

export const ReplayBody = z.strictObject({
  from_sequence: z.int().min(1).meta({ description: 'The `sequence` of the first event to deliver again.' }),
});

export const TestBody = z.strictObject({
  event_type: z.enum(EVENT_TYPES).optional().meta({ description: 'Default: the first that the endpoint wants.' }),
});

export const presentDelivery = (row: Delivery, body: string): z.input<typeof WebhookDelivery> => ({
  id: row.id,
  object: 'webhook_delivery',
  mode: row.mode,
  webhook_id: row.webhook_id,
  event_id: row.event_id,
  event_type: row.event_type,
  attempt: row.attempt,
  status: row.status,
  trigger: row.trigger,
  request_headers: loggedHeaders(row),
  request_body: body,
  response_status: row.response_status,
  error: row.error as (typeof ERRORS)[number] | null,
  latency_ms: row.latency_ms,
  next_attempt_at: shown(row.next_attempt_at),
  created_at: row.created_at.toISOString(),
});
