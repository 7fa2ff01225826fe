// Whom an incoming message concerns: the send that it answers or reports, and what it therefore is. Pure, but for the facts handed in.
import { emailKey } from '#platform/email-address.ts';
import type { InboundMessage } from '#mail/parse/message.ts';
import { asksToStop } from '#mail/verdict/opt-out.ts';
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
  effect: 'replied' | 'opted_out' | 'bounced_hard' | 'copy_bounced_hard' | 'complained' | 'none';
  /** Of `copy_bounced_hard`: the addresses, as keys. */
  copies?: readonly string[];
  rule: string;
  because: string;
};

/** Addresses that got a copy, by the send. */
type Copies = ReadonlyMap<string, readonly string[]>;

/** The Message-IDs that a message points at, the nearest first. */
export function citedIds(message: InboundMessage, verdict: Verdict): string[] {
  if (verdict.kind === 'bounce') return idsOf(verdict.bounce?.originalMessageId);
  if (verdict.kind === 'complaint') return idsOf(verdict.complaint?.originalMessageId);
  return [...new Set([...idsOf(message.inReplyTo), ...message.references.toReversed()])];
}

const idsOf = (id: string | null | undefined) => (id ? [id] : []);

/**
 * `cited` are our sends among the cited ids; `latestToSender` the last send to the address that the message comes from, out of the mailbox that
 * it came to, for mail programs that cite nothing; `copies` which recipients of a report got a copy of which send.
 */
export function meaningOf(
  message: InboundMessage,
  verdict: Verdict,
  { cited, latestToSender, inboxId, copies }: { cited: readonly Candidate[]; latestToSender: Candidate | null; inboxId: string; copies?: Copies },
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
  if (verdict.kind === 'bounce') return bounceMeaning(verdict, direct, { inboxId, copies: (direct && copies?.get(direct.id)) ?? [] }, as);
  if (verdict.kind === 'complaint') return complaintMeaning(verdict, direct, inboxId, as);
  if (verdict.kind === 'unrelated') return as('unrelated', null);
  const send = direct ?? latestToSender;
  if (verdict.kind === 'auto_reply') return as('auto_reply', send);
  if (!send) return as('unrelated', null, 'none', 'A person wrote it, but it answers none of your mails.');
  const how = direct ? `It answers ${send.id}.` : `It cites nothing, but comes from the address that ${send.id} went to.`;
  const wish = asksToStop(message);
  if (wish !== null)
    return { ...as('reply', send, 'opted_out', `${because} ${how} It asks for no further mail (“${wish}”).`), rule: 'person.opt_out' };
  return as('reply', send, 'replied', `${because} ${how}`);
}

type As = (classification: Meaning['classification'], send: Candidate | null, effect?: Meaning['effect'], why?: string) => Meaning;

/** The mailbox that a report came to, and the addresses in it that got a copy. */
type Came = { inboxId: string; copies: readonly string[] };

/** A bounce is one of ours only in the mailbox that sent, and suppresses a person only if it names the recipient: the rest can be forged. */
function bounceMeaning({ bounce, because }: Verdict, send: Candidate | null, { inboxId, copies }: Came, as: As): Meaning {
  if (!send || !bounce) return as('unrelated', null, 'none', `${because} It cites no mail of yours.`);
  if (send.inbox_id !== inboxId) return as('unrelated', null, 'none', `${because} ${ELSEWHERE}`);
  const named = bounce.recipients.some((one) => emailKey(one) === send.to_email_key);
  // A copy that comes back says nothing against the person whom the send is for.
  if (!named && copies.length > 0) return { ...as('bounce', send, bounce.type === 'hard' ? 'copy_bounced_hard' : 'none'), copies };
  if (bounce.recipients.length > 0 && !named) return as('unrelated', null, 'none', `${because} It names another recipient than ${send.id} had.`);
  return as('bounce', send, bounce.type === 'hard' && named ? 'bounced_hard' : 'none');
}

const ELSEWHERE = 'The mail that it cites left by another mailbox than the one it came to.';

/** A complaint counts in the mailbox that sent, unless it names other people than the send's recipient. Many reports name nobody. */
function complaintMeaning({ complaint, because }: Verdict, send: Candidate | null, inboxId: string, as: As): Meaning {
  if (!send || !complaint) return as('unrelated', null, 'none', `${because} It cites no mail of yours.`);
  if (send.inbox_id !== inboxId) return as('unrelated', null, 'none', `${because} ${ELSEWHERE}`);
  const { recipients } = complaint;
  const named = recipients.length === 0 || recipients.some((one) => emailKey(one) === send.to_email_key);
  if (!named) return as('unrelated', null, 'none', `${because} It names another recipient than ${send.id} had.`);
  return as('unrelated', send, 'complained');
}
