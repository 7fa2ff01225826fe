import { z } from 'zod';
import { Refusal } from '#platform/refusal.ts';
import { Expand, InboxSummary } from '#resources/inboxes/index.ts';
import { RowProblem } from '#web/batch.ts';
import { rowError } from '#web/problems.ts';
import { Id, Mode, PageQuery, Timestamp, shown } from '#web/wire.ts';
import { addressSent } from './letter-wire.ts';
import type { Row } from './store.ts';

const State = z.enum(['scheduled', 'sending', 'sent', 'failed', 'canceled']).meta({ id: 'SendState' });
const FailureReason = z
  .enum([
    'invalid_recipient',
    'recipient_rejected',
    'content_rejected',
    'suppressed',
    'inbox_disconnected',
    'authentication_failed',
    'rate_limited',
    'connection_failed',
    'timeout',
    'outcome_unknown',
    'message_too_large',
    'template_error',
    'quota_exceeded',
    'expired',
    'provider_error',
  ])
  .meta({ id: 'SendFailureReason' });

export const Send = z
  .object({
    id: Id('snd'),
    object: z.literal('send'),
    mode: Mode,
    inbox_id: Id('inb'),
    inbox: InboxSummary,
    to_email: z.string(),
    subject: z.string(),
    state: State,
    failure_reason: FailureReason.nullable(),
    failure_detail: z.string().nullable().meta({ description: "The server's own words." }),
    provider_message_id: z
      .string()
      .nullable()
      .meta({ description: 'What the provider calls the message once it has taken it; over SMTP that is its Message-ID.' }),
    provider_thread_id: z.string().nullable(),
    rfc822_message_id: z.string().nullable(),
    attempt_count: z.int(),
    scheduled_at: Timestamp,
    sent_at: Timestamp.nullable(),
    canceled_at: Timestamp.nullable(),
    created_at: Timestamp,
    campaign_id: Id('cmp').nullable(),
    metadata: z.record(z.string(), z.string()).nullable(),
  })
  .meta({ id: 'Send' });

export const BulkSendResult = z
  .object({
    object: z.literal('bulk_send_result'),
    created: z.array(Send).meta({ description: 'In the order of the recipients.' }),
    errors: z.array(
      z.object({
        index: z.int().meta({ description: 'The place in `to`, from 0.' }),
        recipient: z.string().meta({ description: 'The address as it was sent; empty where there was none.' }),
        error: RowProblem,
      }),
    ),
  })
  .meta({ id: 'BulkSendResult' });

export const SendQuery = PageQuery.extend({ inbox_id: z.string().max(40).optional(), state: State.optional(), expand: Expand });

/** What the wire shows of a row. */
type Shown = Pick<
  Row,
  | 'id' | 'mode' | 'inbox_id' | 'to_email' | 'subject' | 'state' | 'failure_reason' | 'failure_detail' | 'provider_message_id' | 'provider_thread_id'
  | 'rfc822_message_id' | 'attempt_count' | 'scheduled_at' | 'sent_at' | 'canceled_at' | 'created_at' | 'campaign_id' | 'metadata'
>; // prettier-ignore

export const present = (row: Shown): z.input<typeof Send> => ({
  id: row.id,
  object: 'send',
  mode: row.mode,
  inbox_id: row.inbox_id,
  to_email: row.to_email,
  subject: row.subject,
  state: row.state,
  failure_reason: row.failure_reason,
  failure_detail: row.failure_detail,
  provider_message_id: row.provider_message_id ?? (row.state === 'sent' ? row.rfc822_message_id : null),
  provider_thread_id: row.provider_thread_id,
  rfc822_message_id: row.rfc822_message_id,
  attempt_count: row.attempt_count,
  scheduled_at: row.scheduled_at.toISOString(),
  sent_at: shown(row.sent_at),
  canceled_at: shown(row.canceled_at),
  created_at: row.created_at.toISOString(),
  campaign_id: row.campaign_id,
  metadata: row.metadata as Record<string, string> | null,
});

/** The answer to a bulk send: `outcomes` stand beside the recipients as they were sent. */
export function presentBulk(to: readonly unknown[], outcomes: readonly (Row | Refusal)[]): z.input<typeof BulkSendResult> {
  return {
    object: 'bulk_send_result',
    created: outcomes.flatMap((one) => (one instanceof Refusal ? [] : [present(one)])),
    errors: outcomes.flatMap((one, index) => (one instanceof Refusal ? [{ index, recipient: addressSent(to[index]), error: rowError(one) }] : [])),
  };
}
