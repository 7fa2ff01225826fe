import { type Letter, compose } from '#mail/compose/compose.ts';
import type { Envelope, MailAddress } from '#mail/mail.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import { type Letter as Send, copiedOn, filesOf } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';

/**
 * The bytes of a send and the addresses of its envelope. The same send gives the same bytes at every attempt, but for its Date. Hidden copies are
 * in the envelope only.
 */
export async function letterOf(world: World, send: Send, inbox: Inbox): Promise<{ envelope: Envelope; message: Buffer }> {
  const replyTo = send.reply_to ?? inbox.reply_to;
  const letter: Letter = {
    messageId: send.rfc822_message_id,
    date: world.clock.now(),
    from: { email: inbox.email_address, name: inbox.display_name },
    to: [{ email: send.to_email, name: send.to_name }],
    replyTo: replyTo === null ? null : { email: replyTo },
    subject: send.subject,
    text: send.body_text,
    html: send.body_html,
    ...(send.cc !== null && { cc: send.cc as MailAddress[] }),
    ...(send.headers !== null && { headers: send.headers as { name: string; value: string }[] }),
    ...(send.attachments !== null && { attachments: await filesOf(world, send) }),
    ...(send.in_reply_to !== null && { inReplyTo: send.in_reply_to, references: send.thread_references }),
    seed: send.id,
  };
  return { envelope: { from: inbox.email_address, to: [send.to_email, ...copiedOn(send)] }, message: compose(letter) };
}
