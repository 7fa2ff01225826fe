// What mail servers report of a message, each in the manner of its kind.
import { dateLine, letter, madeId, type Original, originalOf, parts } from './original.ts';

export type DsnVariant = 'postfix' | 'exchange' | 'exim' | 'qmail' | 'gmail';
export type DsnWanted = {
  original: Buffer;
  recipient: string;
  date: Date;
  /** RFC 3463 code, for example 5.1.1. */
  status: string;
  /** RFC 3464 action; qmail and Exim, which write for people, know failures and delays only. */
  action?: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  /** The remote server's answer, SMTP code included. */
  diagnostic: string;
  variant?: DsnVariant;
};

type Telling = Required<Omit<DsnWanted, 'original' | 'variant'>> & { about: Original };

/** A delivery report about `original` in the manner of one server. */
export function dsn({ original, variant = 'postfix', action = 'failed', ...rest }: DsnWanted): Buffer {
  return WRITERS[variant]({ ...rest, action, about: originalOf(original) });
}

/** The warning that a server sends while it still tries. */
export function delayWarning({ variant = 'postfix', ...wanted }: Omit<DsnWanted, 'action' | 'status' | 'diagnostic'>): Buffer {
  return dsn({ ...wanted, variant, action: 'delayed', status: '4.4.1', diagnostic: '451 4.4.1 connection timed out' });
}

const WRITERS: Record<DsnVariant, (telling: Telling) => Buffer> = { postfix, exchange, exim, qmail, gmail };

const head = (from: string, subject: string, { about, date }: Telling, ...more: string[]): string[] => [
  'Return-Path: <>',
  `From: ${from}`,
  `To: ${about.from}`,
  `Subject: ${subject}`,
  dateLine(date),
  `Message-ID: ${madeId('x@mx.persona.test', about.messageId, from, subject)}`,
  ...more,
];
const REPORT = ['MIME-Version: 1.0', 'Content-Type: multipart/report; report-type=delivery-status; boundary="dsn"'];

function report(telling: Telling, text: string, message: string[], recipient: string[], returned: { type: string; body: string } | null): string {
  const status = [message.join('\n'), '', `Final-Recipient: rfc822; ${telling.recipient}`, `Action: ${telling.action}`, ...recipient].join('\n');
  return parts('dsn', [
    { headers: ['Content-Type: text/plain; charset=utf-8'], body: text },
    { headers: ['Content-Type: message/delivery-status'], body: status },
    ...(returned ? [{ headers: [`Content-Type: ${returned.type}`], body: returned.body }] : []),
  ]);
}

function postfix(telling: Telling): Buffer {
  const { about, recipient, status, action, diagnostic } = telling;
  const subjects = { failed: 'Undelivered Mail Returned to Sender', delayed: 'Delayed Mail (still being retried)' };
  const subject = action === 'failed' || action === 'delayed' ? subjects[action] : 'Successful Mail Delivery Report';
  const text = `This is the mail system at host mx.persona.test.\n\n<${recipient}>: host mx.remote.test[192.0.2.1] said: ${diagnostic}`;
  const body = report(
    telling,
    text,
    ['Reporting-MTA: dns; mx.persona.test', 'X-Postfix-Queue-ID: 4abc'],
    [`Original-Recipient: rfc822;${recipient}`, `Status: ${status}`, 'Remote-MTA: dns; mx.remote.test', `Diagnostic-Code: smtp; ${diagnostic}`],
    { type: 'message/rfc822', body: about.raw.toString('latin1') },
  );
  return letter([...head('MAILER-DAEMON@mx.persona.test (Mail Delivery System)', subject, telling, 'Auto-Submitted: auto-replied'), ...REPORT], body);
}

function exchange(telling: Telling): Buffer {
  const { about, recipient, status, action, diagnostic } = telling;
  const text = `Your message to ${recipient} couldn't be delivered.\n\nReported error: ${diagnostic}`;
  const body = report(
    telling,
    text,
    ['Reporting-MTA: dns;AM0PR01MB1.eurprd01.prod.exchangelabs.test'],
    [`Status: ${status}`, `Diagnostic-Code: smtp;${diagnostic}`, `X-Display-Name: ${recipient}`],
    { type: 'text/rfc822-headers', body: about.header },
  );
  const from = '"Microsoft Outlook" <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@persona.test>';
  const subject = `${action === 'delayed' ? 'Delivery delayed' : 'Undeliverable'}: ${about.subject}`;
  return letter([...head(from, subject, telling, `In-Reply-To: ${about.messageId}`, 'X-MS-Exchange-Message-Is-Ndr:'), ...REPORT], body);
}

function gmail(telling: Telling): Buffer {
  const { about, recipient, status, action, diagnostic } = telling;
  const kind = action === 'delayed' ? 'Delay' : 'Failure';
  const delay = `There was a temporary problem delivering your message to ${recipient}. Gmail will retry for 46 more hours.`;
  const text = action === 'delayed' ? delay : `Your message wasn't delivered to ${recipient}.\n\nThe response was:\n\n${diagnostic}`;
  const body = report(
    telling,
    `** ${kind} **\n\n${text}`,
    ['Reporting-MTA: dns; googlemail.com', `X-Original-Message-ID: ${about.messageId}`],
    [`Status: ${status}`, `Diagnostic-Code: smtp; ${diagnostic}`],
    null,
  );
  const subject = `Delivery Status Notification (${kind})`;
  const cites = [`In-Reply-To: ${about.messageId}`, `References: ${about.messageId}`];
  const signs = [...cites, 'Auto-Submitted: auto-replied', `X-Failed-Recipients: ${recipient}`];
  return letter([...head('Mail Delivery Subsystem <mailer-daemon@googlemail.com>', subject, telling, ...signs), ...REPORT], body);
}

const EXIM_FAILED = [
  'A message that you sent could not be delivered to one or more of its',
  'recipients. This is a permanent error. The following address(es) failed:\n',
];

/** Exim writes for people: the answer in the text, the original below it, X-Failed-Recipients in the header of a failure. */
function exim(telling: Telling): Buffer {
  const { about, recipient, action, diagnostic } = telling;
  const delayed = action === 'delayed';
  const text = [
    'This message was created automatically by mail delivery software.\n',
    ...(delayed ? ['A message that you sent has not yet been delivered to one or more of its recipients.\n'] : EXIM_FAILED),
    `  ${recipient}`,
    ...(delayed ? ['\nNo action is required on your part.'] : ['    SMTP error from remote mail server after RCPT TO:', `    ${diagnostic}`]),
  ].join('\n');
  const copy = `\n\n------ This is a copy of the message, including all the headers. ------\n\n${about.raw.toString('latin1')}`;
  const subject = delayed ? 'Warning: message 1abc-2 delayed 24 hours' : 'Mail delivery failed: returning message to sender';
  const signs = delayed ? ['Auto-Submitted: auto-replied'] : [`X-Failed-Recipients: ${recipient}`, 'Auto-Submitted: auto-replied'];
  return letter(head('Mail Delivery System <Mailer-Daemon@mx.persona.test>', subject, telling, ...signs), text + copy);
}

const QMAIL_DELAYED = ['Your message has not been delivered yet.', "I'm going to keep trying; this is a warning message only."];
const QMAIL_FAILED = [
  "I'm afraid I wasn't able to deliver your message to the following addresses.",
  "This is a permanent error; I've given up. Sorry it didn't work out.",
];

/** The qmail-send bounce message format (QSBMF). */
function qmail(telling: Telling): Buffer {
  const { about, recipient, action, diagnostic, status } = telling;
  const intro = ['Hi. This is the qmail-send program at mx.persona.test.', ...(action === 'delayed' ? QMAIL_DELAYED : QMAIL_FAILED)].join('\n');
  const copy = `--- Below this line is a copy of the message.\n\n${about.raw.toString('latin1')}`;
  const body = `${intro}\n\n<${recipient}>:\n${diagnostic} (#${status})\n\n${copy}`;
  return letter(head('MAILER-DAEMON@mx.persona.test', action === 'delayed' ? 'message delayed' : 'failure notice', telling), body);
}
