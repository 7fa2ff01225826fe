// Holds what Postrider says against what the post office has: message by message, person by person. Pure.
import type { CampaignContact, Event, Send } from '@postrider/sdk';

/** A message that the post office accepted. `acceptedAt` is calendar time in milliseconds. */
export type Delivered = { messageId: string; recipient: string; login: string; acceptedAt: number };

export type LedgerFacts = {
  /** Addresses of the rows that the import accepted, in the form under which they are unique. */
  accepted: readonly string[];
  deliveries: readonly Delivered[];
  sends: readonly Pick<Send, 'id' | 'to_email' | 'state' | 'subject' | 'rfc822_message_id' | 'failure_reason'>[];
  enrollments: readonly Pick<CampaignContact, 'contact_email' | 'status'>[];
  events: readonly Pick<Event, 'type' | 'resource_id' | 'sequence' | 'created_at' | 'data'>[];
  /** Which step a send is of, from 1, told by its subject. */
  stepOf(subject: string): number;
  steps: number;
  /** The longest that a mail may be between its release and its acceptance, in calendar milliseconds. */
  inFlightMs: number;
};

/** Each fault in words; the figures are the lengths. */
export type Verdict = { lost: string[]; duplicated: string[]; afterAnswer: string[]; unaccounted: string[]; unknown: string[]; sentShare: number };

const key = (email: string) => email.toLowerCase();
const isUnknown = (send: LedgerFacts['sends'][number]) => send.state === 'failed' && send.failure_reason === 'outcome_unknown';

/**
 * - lost: sends that Postrider calls sent and the post office lacks; people of accepted rows who have no enrollment, whose enrollment is still
 *   active, or who are finished without each step sent.
 * - duplicated: every delivery of a Message-ID, or to the same person at the same step, beyond the first.
 * - afterAnswer: deliveries released after the recipient's answer had been taken in, see `isAfter`.
 * - unaccounted: deliveries that no send explains, by being sent or by saying that its outcome is unknown.
 * - unknown: sends that say so. They are no fault, but are shown.
 * - sentShare: of the accepted rows, those whose first step was sent.
 */
export function checkLedger(facts: LedgerFacts): Verdict {
  const { sends, deliveries } = facts;
  const bySendMessageId = new Map(sends.map((send) => [send.rfc822_message_id, send]));
  const delivered = Map.groupBy(deliveries, (one) => one.messageId);
  const explained = (one: Delivered) => {
    const send = bySendMessageId.get(one.messageId);
    return send && (send.state === 'sent' || isUnknown(send)) && key(send.to_email) === key(one.recipient);
  };
  const missing = sends.filter((send) => send.state === 'sent' && !delivered.has(send.rfc822_message_id ?? ''));
  const firstSent = new Set(sends.filter((send) => send.state === 'sent' && facts.stepOf(send.subject) === 1).map((send) => key(send.to_email)));
  return {
    lost: [...missing.map((send) => `${send.id} to ${send.to_email} is called sent, but never arrived`), ...lostPeople(facts)],
    duplicated: duplicatesOf(facts, delivered, bySendMessageId),
    afterAnswer: afterAnswers(facts, bySendMessageId),
    unaccounted: deliveries.filter((one) => !explained(one)).map((one) => `${one.messageId} to ${one.recipient} is no send's`),
    unknown: sends
      .filter(isUnknown)
      .map((send) => `${send.id} to ${send.to_email} may have arrived, and ${delivered.has(send.rfc822_message_id ?? '') ? 'did' : 'did not'}`),
    sentShare: facts.accepted.length === 0 ? 0 : facts.accepted.filter((email) => firstSent.has(email)).length / facts.accepted.length,
  };
}

function lostPeople({ accepted, enrollments, sends, stepOf, steps }: LedgerFacts): string[] {
  const status = new Map(enrollments.map((one) => [key(one.contact_email), one.status]));
  const sent = Map.groupBy(sends.filter((send) => send.state === 'sent'), (send) => key(send.to_email)); // prettier-ignore
  return accepted.flatMap((email) => {
    const how = status.get(email);
    if (how === undefined) return [`${email} was accepted, but never enrolled`];
    if (how === 'active') return [`${email} is still active`];
    const done = new Set((sent.get(email) ?? []).map((send) => stepOf(send.subject))).size;
    return how === 'finished' && done < steps ? [`${email} is finished after ${done} of ${steps} steps`] : [];
  });
}

type Sends = ReadonlyMap<string | null, LedgerFacts['sends'][number]>;

function duplicatesOf({ stepOf }: LedgerFacts, delivered: ReadonlyMap<string, Delivered[]>, sends: Sends): string[] {
  const again = [...delivered].flatMap(([id, all]) => all.slice(1).map((one) => `${id} to ${one.recipient}, the same message again`));
  const known = [...delivered.keys()].flatMap((id) => sends.get(id) ?? []);
  const bySteps = Map.groupBy(known, (send) => `${key(send.to_email)} step ${stepOf(send.subject)}`);
  return [...again, ...[...bySteps].flatMap(([step, all]) => all.slice(1).map((send) => `${step} again, by ${send.id}`))];
}

function afterAnswers({ deliveries, events, inFlightMs }: LedgerFacts, sends: Sends): string[] {
  const byId = new Map([...sends.values()].map((send) => [send.id, send]));
  const claims = Map.groupBy(events.filter((one) => one.type === 'send.sending'), (one) => one.resource_id); // prettier-ignore
  const answers = new Map<string, Moment>();
  for (const event of events.filter(isStop)) {
    const send = byId.get(String(event.data['send_id']));
    const first = send && answers.get(key(send.to_email));
    if (send && (!first || event.sequence < first.sequence)) answers.set(key(send.to_email), momentOf(event));
  }
  return deliveries.flatMap((one) => {
    const answer = answers.get(key(one.recipient));
    const send = sends.get(one.messageId);
    const before = (claims.get(send?.id ?? '') ?? []).map(momentOf).filter((claim) => claim.at <= one.acceptedAt);
    if (!answer || !isAfter(one, before, answer, inFlightMs)) return [];
    return [`${one.messageId} to ${one.recipient} left ${Math.round((one.acceptedAt - answer.at) / 1000)} s after the answer was known`];
  });
}

type Moment = { sequence: number; at: number };
const momentOf = (event: LedgerFacts['events'][number]): Moment => ({ sequence: event.sequence, at: Date.parse(event.created_at) });

/** The answers that end a conversation: a person's reply, and the report that the address takes no mail. */
const isStop = ({ type, data }: LedgerFacts['events'][number]): boolean =>
  type === 'message.replied' || (type === 'message.bounced' && data['bounce_type'] === 'hard');

/**
 * Whether a delivery was released after the answer had been taken in. The release itself is not on the API, but lies between two things that are
 * known: its claim (the last `send.sending` before the acceptance) and the acceptance. Events are numbered in the order of their commits. So a
 * claim numbered after the answer proves it; and where the claim came first, the mail may still be no longer under way than `inFlightMs`.
 */
function isAfter(one: Delivered, claims: readonly Moment[], answer: Moment, inFlightMs: number): boolean {
  const claim = Math.max(...claims.map((moment) => moment.sequence));
  return claim > answer.sequence || one.acceptedAt > answer.at + inFlightMs;
}
