import { z } from 'zod';
import { Expand, InboxSummary } from '#resources/inboxes/index.ts';
import { Id, Mode, PageQuery, Timestamp, shown } from '#web/wire.ts';
import type { Row } from './store.ts';

const Direction = z.enum(['inbound', 'outbound']);
const Classification = z.enum(['reply', 'auto_reply', 'bounce', 'unrelated']);

export const Message = z
  .object({
    id: Id('msg'),
    object: z.literal('message'),
    mode: Mode,
    inbox_id: Id('inb'),
    inbox: InboxSummary,
    direction: Direction,
    classification: Classification.nullable(),
    verdict: z.object({ rule: z.string(), because: z.string() }).nullable().meta({ description: 'Which rule classified it, and why.' }),
    thread_id: z.string().meta({ description: "The provider's thread id." }),
    rfc822_message_id: z.string().nullable(),
    in_reply_to: z.string().nullable(),
    from_email: z.string().nullable(),
    from_name: z.string().nullable(),
    subject: z.string().nullable(),
    bounce_type: z.enum(['hard', 'soft', 'unknown']).nullable(),
    bounce_status_code: z.string().nullable(),
    matched_send_id: Id('snd').nullable().meta({ description: 'The send that this message answers.' }),
    received_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Message' });

export const MessageQuery = PageQuery.extend({
  inbox_id: z.string().max(40).optional(),
  direction: Direction.optional(),
  classification: Classification.optional(),
  thread_id: z.string().min(1).max(2000).optional().meta({ description: "The provider's thread id, or a thr_ id." }),
  expand: Expand,
});

export const present = (row: Row): z.input<typeof Message> => ({
  id: row.id,
  object: 'message',
  mode: row.mode,
  inbox_id: row.inbox_id,
  direction: row.direction,
  classification: row.classification,
  verdict: row.verdict_rule === null || row.verdict_because === null ? null : { rule: row.verdict_rule, because: row.verdict_because },
  thread_id: row.thread_id,
  rfc822_message_id: row.rfc822_message_id,
  in_reply_to: row.in_reply_to,
  from_email: row.from_email,
  from_name: row.from_name,
  subject: row.subject,
  bounce_type: row.bounce_type,
  bounce_status_code: row.bounce_status_code,
  matched_send_id: row.matched_send_id,
  received_at: shown(row.received_at),
  created_at: row.created_at.toISOString(),
});
