import { z } from 'zod';
import { type Message, MessageWire, presentMessage, threadIdOf } from '#resources/messages/index.ts';
import { BODIES, needsBody, Subject } from '#resources/sends/index.ts';
import { Email, Id, Mode, PageQuery, Timestamp } from '#web/wire.ts';
import type { Row } from './store.ts';

export const Thread = z
  .object({
    id: z.string().meta({ description: "thr_, the inbox id's 26 characters, _, and the provider's thread id in base64url." }),
    object: z.literal('thread'),
    mode: Mode,
    inbox_id: Id('inb'),
    provider_thread_id: z.string(),
    subject: z.string().nullable().meta({ description: 'Of its first message that has one.' }),
    message_count: z.int(),
    has_reply: z.boolean(),
    has_bounce: z.boolean(),
    last_message_at: Timestamp.nullable(),
    first_message_at: Timestamp.nullable(),
    messages: z.array(MessageWire).optional().meta({ description: 'Only on retrieve: the newest 100, oldest first.' }),
    messages_has_more: z.boolean().optional().meta({ description: 'Only on retrieve: whether there are older ones.' }),
  })
  .meta({ id: 'Thread' });

/** A wrong spelling names no thread, and is not found as such. */
export const ThreadParams = z.strictObject({ id: z.string().max(2000) });

const Flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();
export const ThreadQuery = PageQuery.extend({
  starting_after: z.string().max(2000).optional(),
  ending_before: z.string().max(2000).optional(),
  inbox_id: z.string().max(40).optional(),
  has_reply: Flag,
});

export const ThreadReply = needsBody(
  z.strictObject({
    subject: Subject.optional().meta({ description: 'Default: Re: and the last subject in the thread.' }),
    ...BODIES,
    to: Email.optional().meta({ description: 'Default: who wrote the most recent inbound message that is no bounce report.' }),
  }),
);
export type ThreadReply = z.output<typeof ThreadReply>;

export const present = (row: Row): z.input<typeof Thread> => ({
  id: threadIdOf(row),
  object: 'thread',
  mode: row.mode,
  inbox_id: row.inbox_id,
  provider_thread_id: row.thread_id,
  subject: row.subject,
  message_count: row.message_count,
  has_reply: row.has_reply,
  has_bounce: row.has_bounce,
  last_message_at: row.last_message_at.toISOString(),
  first_message_at: row.first_message_at.toISOString(),
});

/** A thread with its newest messages: `newest` holds them newest first, one more than are shown when there are more. */
export const presentWhole = (row: Row, newest: readonly Message[], most: number): z.input<typeof Thread> => ({
  ...present(row),
  messages: newest.slice(0, most).toReversed().map(presentMessage),
  messages_has_more: newest.length > most,
});
