// Whom an incoming message concerns: the send that it answers or reports, and what it therefore is. Pure, but for the facts handed in.
import { emailKey } from '#platform/email-address.ts';
import type { InboundMessage } from '#mail/parse/message.ts';
import type { Verdict } from '#mail/verdict/verdict.ts';
import type { Message } from '#resources/messages/index.ts';
import type { Send } from '#resources/sends/index.ts';

export type Candidate = Pick<
  Send,
  'id' | 'inbox_id' | 'to_email_key' | 'rfc822_message_id' | 'provider_thread_id' | 'campaign_id' | 'enrollment_id' | 'contact_id' | 'metadata'
>;

/** What the message means for us: how it is classified, which send it belongs to, and what follows. */
export type Meaning = {
  classification: NonNullable<Message['classification']>;
  send: Candidate | null;
  effect: 'replied' | 'bounced_hard' | 'complained' | 'none';
  rule: string;
  because: string;
};

/** The Message-IDs that a message points at, the nearest first. */
export function citedIds(message: InboundMessage, verdict: Verdict): string[] {
  if (verdict.kind === 'bounce') return idsOf(verdict.bounce?.originalMessageId);
  if (verdict.kind === 'complaint') return idsOf(verdict.complaint?.originalMessageId);
  return [...new Set([...idsOf(message.inReplyTo), ...message.references.toReversed()])];
}

const idsOf = (id: string | null | undefined) => (id ? [id] : []);

/**
 * `cited` are our sends among the cited ids; `latestToSender` the last send to the address that the message comes from, out of the mailbox that
 * it came to, for mail programs that cite nothing.
 */
export function meaningOf(
  message: InboundMessage,
  verdict: Verdict,
  { cited, latestToSender, inboxId }: { cited: readonly Candidate[]; latestToSender: Candidate | null; inboxId: string },
): Meaning {
  const { rule, because } = verdict;
  const order = citedIds(message, verdict);
  const direct = order.map((id) => cited.find((send) => send.rfc822_message_id === id)).find((send) => send !== undefined) ?? null;
  const as = (classification: Meaning['classification'], send: Candidate | null, effect: Meaning['effect'] = 'none', why = because): Meaning => ({
    classification,
    send,
    effect,
    rule,
    because: why,
  });
  if (verdict.kind === 'bounce') return bounceMeaning(verdict, direct, inboxId, as);
  if (verdict.kind === 'complaint') return as('unrelated', direct, direct ? 'complained' : 'none');
  if (verdict.kind === 'unrelated') return as('unrelated', null);
  const send = direct ?? latestToSender;
  if (verdict.kind === 'auto_reply') return as('auto_reply', send);
  if (!send) return as('unrelated', null, 'none', 'A person wrote it, but it answers none of your mails.');
  const how = direct ? `It answers ${send.id}.` : `It cites nothing, but comes from the address that ${send.id} went to.`;
  return as('reply', send, 'replied', `${because} ${how}`);
}

type As = (classification: Meaning['classification'], send: Candidate | null, effect?: Meaning['effect'], why?: string) => Meaning;

/** A bounce suppresses a person only if it cites our Message-ID and names that send's recipient, in the mailbox that sent: the rest can be forged. */
function bounceMeaning({ bounce, because }: Verdict, send: Candidate | null, inboxId: string, as: As): Meaning {
  if (!send || !bounce) return as('unrelated', null, 'none', `${because} It cites no mail of yours.`);
  const named = bounce.recipients.some((one) => emailKey(one) === send.to_email_key);
  if (bounce.recipients.length > 0 && !named) return as('unrelated', null, 'none', `${because} It names another recipient than ${send.id} had.`);
  const proven = named && send.inbox_id === inboxId;
  return as('bounce', send, bounce.type === 'hard' && proven ? 'bounced_hard' : 'none');
}
