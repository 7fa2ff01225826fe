// Bounces that are written for people: qmail (QSBMF), Exim, old Exchange and whatever calls itself MAILER-DAEMON.
import { oneLine } from '../parse/fields.ts';
import { field, type InboundMessage } from '../parse/message.ts';
import { type Bounce, citedBy } from './dsn.ts';
import { failureType, replyCodeIn, statusIn } from './failure.ts';

const anyOf = (...parts: readonly string[]) => new RegExp(String.raw`\b(?:${parts.join('|')})`, 'i');

const DAEMON_ADDRESS = /^(mailer-daemon|mail-daemon|maildaemon|postmaster|mdaemon|mail-?delivery|mail-?delivery-?(sub)?system)(\+[^@]*)?@/;
const DAEMON_NAME = /\bmail(er)?[ -]?(delivery )?(daemon|(sub)?system)\b/i;
const FAILURE_SUBJECT = anyOf(
  'undeliver(?:able|ed)',
  'delivery (?:status notification|failure|has failed|failed|error|report)',
  'non-?delivery',
  '(?:mail|message) (?:delivery )?(?:failed|failure)',
  'returned (?:mail|to sender)',
  'failure notice',
  'mail system error',
  'could not be delivered',
  'not delivered',
  'nicht zugestellt',
  'unzustellbar',
  'impossible de remettre',
  'non remis',
  'no se puede entregar',
  'non recapitabile',
  'n[aã]o (?:foi )?entregue',
);
const DELAY_SUBJECT = anyOf('delay(?:ed)?\\b', 'still being retried', 'could not send message for past', 'warning: message', 'verz[oö]gert');
const DELAY_TEXT = anyOf(
  'will (?:be retried|continue to be|keep trying|retry)',
  'has not (?:yet )?been delivered',
  'no action is required',
  'not yet been delivered',
  'do not (?:need to )?resend',
  'warning message only',
);
const FAILURE_TEXT = anyOf(
  "could(?: not|n'?t) be delivered",
  "was(?: not|n'?t) delivered",
  'were not delivered',
  '(?:could|can) ?not deliver',
  'unable to deliver',
  'undeliverable',
  'permanent (?:fatal )?errors?',
  'permanent failure',
  'delivery (?:to .{1,320} )?(?:has )?failed',
  'giv(?:en|ing) up',
  'did not reach',
  'failed permanently',
  'following address(?:es|\\(es\\))? failed',
);

/** Where the servers' own words end and the returned message begins. What we wrote ourselves must not decide the verdict. */
const COPY_BEGINS = new RegExp(
  [
    String.raw`^-{3,}.{0,80}(?:original|copy|returned|undelivered|header).{0,80}$`,
    String.raw`^.{0,20}below this line is a copy of the message`,
    String.raw`^.{0,40}this is a copy of the message`,
    String.raw`^original message headers:`,
    String.raw`^(?:return-path|received|message-id):`,
  ].join('|'),
  'im',
);

const MAX_WORDS = 8000;
const MAX_RECIPIENTS = 20;
const ADDRESS = /[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g;

/** Whether a mail server wrote the message, by its sender's name or address. */
export function isFromDaemon(message: InboundMessage): boolean {
  if (message.headers.has('x-failed-recipients')) return true;
  if (message.from !== null && (DAEMON_ADDRESS.test(message.from.email) || DAEMON_NAME.test(message.from.name ?? ''))) return true;
  if (message.reportType === 'delivery-status') return true;
  return /^\s*<\s*>/.test(field(message.headers, 'return-path')) && FAILURE_SUBJECT.test(message.subject);
}

/** Whether a server says that it goes on trying. */
export function isTextDelay(message: InboundMessage): boolean {
  return DELAY_SUBJECT.test(message.subject) || DELAY_TEXT.test(serversWords(message));
}

/** Whether a server says, in words, that delivery has failed. */
export function isTextBounce(message: InboundMessage): boolean {
  return message.headers.has('x-failed-recipients') || FAILURE_SUBJECT.test(message.subject) || FAILURE_TEXT.test(serversWords(message));
}

/** What a bounce that is written for people tells. `ownAddresses` are never its failed recipients. */
export function textBounceOf(message: InboundMessage, ownAddresses: readonly string[]): Bounce {
  const words = serversWords(message);
  const notRecipients = [...ownAddresses.map((own) => own.toLowerCase()), message.from?.email];
  return {
    type: failureType(statusIn(words), words),
    status: statusIn(words),
    diagnostic: oneLine(answerIn(words), 500) || null,
    recipients: [...new Set(namedIn(message, words))].filter((one) => !notRecipients.includes(one)).slice(0, MAX_RECIPIENTS),
    originalMessageId: citedBy(message),
  };
}

function serversWords(message: InboundMessage): string {
  const start = message.text.slice(0, MAX_WORDS);
  const copy = COPY_BEGINS.exec(start);
  return copy ? start.slice(0, copy.index) : start;
}

/** From the line that holds the refusing server's code on; the whole where there is no code. */
function answerIn(words: string): string {
  const lines = words.trim().split('\n');
  const at = lines.findIndex((line) => replyCodeIn(line) !== null || statusIn(line) !== null);
  return lines.slice(Math.max(at, 0)).join('\n');
}

/** The failed addresses: by header, else those that begin a line (qmail, sendmail), else whatever addresses the words name. */
function namedIn(message: InboundMessage, words: string): string[] {
  const byHeader = (message.headers.get('x-failed-recipients') ?? []).flatMap(addressesIn);
  if (byHeader.length > 0) return byHeader;
  const beginning = words.split('\n').flatMap((line) => (/^\s{0,8}<?[^\s<>]{1,320}@/.test(line) ? addressesIn(line).slice(0, 1) : []));
  return beginning.length > 0 ? beginning : addressesIn(words);
}

const addressesIn = (text: string): string[] => (text.match(ADDRESS) ?? []).map((one) => one.toLowerCase());
