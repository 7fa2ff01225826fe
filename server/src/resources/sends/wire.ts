import { z } from 'zod';
import { isMessageId } from '#mail/compose/message-id.ts';
import { Email, Id, Line, Mode, PageQuery, Prose, Timestamp, shown } from '#web/wire.ts';
import type { Bodiless } from './store.ts';

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

const InboxSummary = z.object({ id: Id('inb'), email_address: z.string(), display_name: z.string().nullable(), status: z.string() });

export const Send = z
  .object({
    id: Id('snd'),
    object: z.literal('send'),
    mode: Mode,
    inbox_id: Id('inb'),
    inbox: InboxSummary.nullable().optional().meta({ description: 'Only with expand=inbox.' }),
    to_email: z.string(),
    subject: z.string(),
    state: State,
    failure_reason: FailureReason.nullable(),
    failure_detail: z.string().nullable().meta({ description: "The server's own words." }),
    provider_message_id: z.string().nullable(),
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

const Recipient = z.strictObject({ email: Email, name: Line(200).optional() });
const To = z
  .union([Email, Recipient])
  .transform((to): { email: string; name?: string | undefined } => (typeof to === 'string' ? { email: to } : to))
  .meta({ description: 'An address, or {email, name}.' });
const MessageIdText = z
  .string()
  .refine(isMessageId, { message: 'A Message-ID in angle brackets.' })
  .meta({ description: 'A Message-ID in angle brackets.', example: '<abc@example.com>' });
const Instant = z.iso.datetime({ offset: true, message: 'RFC 3339 with a zone, such as 2026-11-21T09:30:00Z.' }).transform((text) => new Date(text));

/** Characters; a line of a message holds no more octets (RFC 5322 2.1.1). */
export const MAX_SUBJECT = 998;

export const NewSend = z
  .strictObject({
    to: To,
    subject: Line(MAX_SUBJECT, 1).refine((text) => text.trim() !== '', { message: 'A subject of spaces only is none.' }),
    inbox_id: z.string().max(40),
    body_html: Prose(500_000).optional(),
    body_text: Prose(500_000).optional(),
    variables: z.record(z.string().max(120), z.unknown()).optional(),
    send_at: Instant.nullable().optional(),
    in_reply_to_message_id: MessageIdText.optional(),
    metadata: z
      .record(z.string().max(120), Prose(2000))
      .refine((map) => Object.keys(map).length <= 50, { message: 'At most 50 entries.' })
      .optional(),
    append_signature: z.boolean().default(false),
  })
  .refine((send) => send.body_html !== undefined || send.body_text !== undefined, {
    message: 'Give body_html, body_text or both.',
    path: ['body_text'],
  });
export type NewSend = z.output<typeof NewSend>;

const Expand = z.literal('inbox', { message: 'Only inbox can be expanded.' }).optional();
export const SendQuery = PageQuery.extend({ inbox_id: z.string().max(40).optional(), state: State.optional(), expand: Expand });
export const ExpandQuery = z.strictObject({ expand: Expand });

export const present = (row: Bodiless): z.input<typeof Send> => ({
  id: row.id,
  object: 'send',
  mode: row.mode,
  inbox_id: row.inbox_id,
  to_email: row.to_email,
  subject: row.subject,
  state: row.state,
  failure_reason: row.failure_reason,
  failure_detail: row.failure_detail,
  provider_message_id: row.provider_message_id,
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
