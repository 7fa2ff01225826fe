import { createHash } from 'node:crypto';
import { type InboundMessage, field } from '#mail/parse/message.ts';

/**
 * What makes a message the same wherever it is met in a mailbox. For what the mailbox itself wrote that is its Message-ID, which our own sends
 * carry too. For what came, a digest of its Message-ID, sender, date, subject, text and what it reports: its copies in INBOX and Junk agree in
 * these, whatever their trace fields say, while another mail that carries the same Message-ID (a daemon's that took over ours, a careless
 * program's that has only one) does not. What has no Message-ID is its bytes.
 */
export function identityOf(message: InboundMessage | null, source: Buffer, isOwn: boolean): string {
  if (!message?.messageId) return `sha256:${digest(source)}`;
  if (isOwn) return message.messageId;
  const { messageId, from, subject, text, headers } = message;
  return `sha256:${digest(JSON.stringify([messageId, from?.email ?? null, field(headers, 'date'), subject, text, reported(message)]))}`;
}

/** The machine-readable part of a report: programs that report much differ in nothing else. */
const reported = ({ deliveryStatus, feedbackReport, originalHeaders }: InboundMessage) => [
  deliveryStatus?.recipients.map((group) => [...group]),
  feedbackReport && [...feedbackReport],
  field(originalHeaders, 'message-id'),
];

const digest = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
