// What an incoming message is. Whether it answers one of our sends, and whose, the matcher decides; here only the message itself speaks.
import { field, type InboundMessage } from '../parse/message.ts';
import { autoReplySign } from './auto-reply.ts';
import { type Complaint, complaintOf, feedbackType } from './complaint.ts';
import { type Bounce, dsnOf } from './dsn.ts';
import { isFromDaemon, isTextBounce, isTextDelay, textBounceOf } from './text-bounce.ts';

/**
 * `reply`: written by a person. `unrelated`: neither that nor news of a delivery. A bounce or complaint is only what the message claims:
 * anyone can write one, so nobody is suppressed unless it cites a Message-ID of ours and names that send's recipient.
 */
export type Verdict = {
  kind: 'reply' | 'auto_reply' | 'bounce' | 'complaint' | 'unrelated';
  bounce?: Bounce;
  complaint?: Complaint;
  /** The id of the rule that decided. */
  rule: string;
  /** One sentence for people. */
  because: string;
};

export type VerdictOptions = { ownAddresses: readonly string[] };

type Finding = Pick<Verdict, 'bounce' | 'complaint'>;
type Rule = {
  id: string;
  kind: Verdict['kind'];
  because: string;
  /** Null when the rule has nothing to say. */
  test(message: InboundMessage, options: VerdictOptions): Finding | null;
};

const when = (holds: boolean): Finding | null => (holds ? {} : null);

/** Read from top to bottom; the first rule that holds decides. */
const RULES: readonly Rule[] = [
  {
    id: 'sender.none',
    kind: 'unrelated',
    because: 'The message names no sender.',
    test: (message) => when(message.from === null && message.deliveryStatus === null && message.feedbackReport === null),
  },
  {
    id: 'sender.own',
    kind: 'unrelated',
    because: 'The message comes from one of your own addresses.',
    test: (message, { ownAddresses }) => when(message.from !== null && ownAddresses.some((own) => own.toLowerCase() === message.from?.email)),
  },
  {
    id: 'report.read_receipt',
    kind: 'unrelated',
    because: 'It is a read receipt (RFC 8098): a mail program wrote it, and nothing failed.',
    test: (message) => when(message.reportType === 'disposition-notification'),
  },
  {
    id: 'report.complaint',
    kind: 'complaint',
    because: 'It is a feedback-loop report (RFC 5965): the recipient called the message unwanted.',
    test: (message) => {
      const complaint = complaintOf(message);
      return complaint ? { complaint } : null;
    },
  },
  {
    id: 'report.feedback_other',
    kind: 'unrelated',
    because: 'It is a feedback report (RFC 5965) that is no complaint of a recipient.',
    test: (message) => when(feedbackType(message) !== null),
  },
  {
    id: 'dsn.failed',
    kind: 'bounce',
    because: 'It is a delivery report (RFC 3464) that says the message failed for good.',
    test: (message) => {
      const bounce = dsnOf(message);
      return bounce ? { bounce } : null;
    },
  },
  {
    id: 'dsn.not_failed',
    kind: 'unrelated',
    because: 'It is a delivery report (RFC 3464) of a delay, a relay or a success: nothing has failed.',
    test: (message) => when(message.deliveryStatus !== null),
  },
  {
    id: 'daemon.delay',
    kind: 'unrelated',
    because: 'A mail server warns of a delay and goes on trying.',
    test: (message) => when(isFromDaemon(message) && isTextDelay(message)),
  },
  {
    id: 'daemon.failed',
    kind: 'bounce',
    because: 'A mail server says in its own words that the message was not delivered.',
    test: (message, { ownAddresses }) => (isFromDaemon(message) && isTextBounce(message) ? { bounce: textBounceOf(message, ownAddresses) } : null),
  },
  {
    id: 'daemon.other',
    kind: 'unrelated',
    because: 'A mail server wrote it, and it reports no failure.',
    test: (message) => when(isFromDaemon(message)),
  },
  {
    id: 'auto.header',
    kind: 'auto_reply',
    because: 'Its header says that a program answered (RFC 3834 or the like).',
    test: (message) => when(autoReplySign(message) === 'header'),
  },
  {
    id: 'auto.subject',
    kind: 'auto_reply',
    because: 'Its subject begins with the words of an automatic answer.',
    test: (message) => when(autoReplySign(message) === 'subject'),
  },
  {
    id: 'auto.null_sender',
    kind: 'auto_reply',
    because: 'It was sent without a return address, as programs do, and speaks of an absence.',
    test: (message) => when(autoReplySign(message) === 'null_sender'),
  },
  {
    id: 'bulk.list',
    kind: 'unrelated',
    because: 'It is list or bulk mail that answers nothing.',
    test: (message) => when(isBulk(message)),
  },
];

/** Decide what a message is. Pure: the same message and addresses give the same verdict. */
export function verdictOf(message: InboundMessage, options: VerdictOptions): Verdict {
  for (const { id, kind, because, test } of RULES) {
    const finding = test(message, options);
    if (finding) return { kind, ...finding, rule: id, because };
  }
  return { kind: 'reply', rule: 'person', because: 'Nothing in it shows a program at work: a person wrote it.' };
}

/** A reply that reaches us through a group address is list mail too, so that only mail which cites nothing counts as bulk. */
function isBulk(message: InboundMessage): boolean {
  if (message.inReplyTo !== null || message.references.length > 0) return false;
  const isList = message.headers.has('list-id') || message.headers.has('list-unsubscribe');
  return isList || /^\s*(bulk|list|junk)\b/i.test(field(message.headers, 'precedence'));
}
