import { type Letter, compose } from '#mail/compose/compose.ts';
import type { Envelope } from '#mail/mail.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { Send } from '#resources/sends/index.ts';

/** The bytes of a send and the addresses of its envelope. The same send gives the same bytes at every attempt, but for its Date. */
export function letterOf(send: Send, inbox: Inbox, now: Date): { envelope: Envelope; message: Buffer } {
  const letter: Letter = {
    messageId: send.rfc822_message_id,
    date: now,
    from: { email: inbox.email_address, name: inbox.display_name },
    to: [{ email: send.to_email, name: send.to_name }],
    replyTo: inbox.reply_to === null ? null : { email: inbox.reply_to },
    subject: send.subject,
    text: send.body_text,
    html: send.body_html,
    ...(send.in_reply_to !== null && { inReplyTo: send.in_reply_to, references: send.thread_references }),
    seed: send.id,
  };
  return { envelope: { from: inbox.email_address, to: [send.to_email] }, message: compose(letter) };
}
