import { identifier } from '../parse/fields.ts';
import { field, type InboundMessage } from '../parse/message.ts';

export type Complaint = { feedbackType: string; recipients: string[]; originalMessageId: string | null };

/** Feedback types (RFC 5965, section 7.3) by which a recipient complains. `auth-failure` is a DMARC report, `not-spam` the contrary. */
const COMPLAINTS: readonly string[] = ['abuse', 'fraud', 'opt-out', 'opt-out-list'];

/** The lower-cased type of an abuse report (RFC 5965), null when the message is none. */
export function feedbackType(message: InboundMessage): string | null {
  return message.feedbackReport ? field(message.feedbackReport, 'feedback-type').toLowerCase() : null;
}

/** The complaint that a feedback report carries, null when it carries none. */
export function complaintOf(message: InboundMessage): Complaint | null {
  const type = feedbackType(message);
  if (type === null || !COMPLAINTS.includes(type)) return null;
  const named = [...(message.feedbackReport?.get('original-rcpt-to') ?? []), field(message.originalHeaders, 'to')];
  const recipients = named.flatMap((value) => value.match(/[^\s<>",;:()@]{1,64}@[^\s<>",;:()@]{1,255}/g) ?? []).map((one) => one.toLowerCase());
  const originalMessageId = identifier(field(message.originalHeaders, 'message-id'));
  return { feedbackType: type, recipients: [...new Set(recipients)].slice(0, 20), originalMessageId };
}
