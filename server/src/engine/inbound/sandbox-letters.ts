// What sandbox recipients and their servers write, as it would lie in a mailbox.
import type { Send } from '#resources/sends/index.ts';

type About = Pick<Send, 'id' | 'to_email' | 'subject' | 'rfc822_message_id' | 'thread_references'>;
type Written = { send: About; sender: string; date: Date; domain: string };

const letter = (headers: readonly string[], body: string) => Buffer.from(`${headers.join('\r\n')}\r\n\r\n${body.replaceAll('\n', '\r\n')}`);
const dateLine = (date: Date) => `Date: ${date.toUTCString().replace('GMT', '+0000')}`;
/** A subject may hold what a header cannot: it goes as an encoded word (RFC 2047). */
const encoded = (text: string) => (/^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text.slice(0, 150)).toString('base64')}?=`);
const messageId = ({ send, domain }: Written, kind: string) => `Message-ID: <${kind}.${send.id}@${domain}>`;
const MIME = 'MIME-Version: 1.0';
const PLAIN = 'Content-Type: text/plain; charset=utf-8';

/** A person answers. */
export function replyTo(written: Written, text: string): Buffer {
  const { send, sender, date } = written;
  return letter(
    [
      `From: ${send.to_email}`,
      `To: ${sender}`,
      `Subject: ${encoded(/^re:/i.test(send.subject) ? send.subject : `Re: ${send.subject}`)}`,
      dateLine(date),
      messageId(written, 'reply'),
      `In-Reply-To: ${send.rfc822_message_id}`,
      `References: ${[...send.thread_references, send.rfc822_message_id].join('\r\n ')}`,
      MIME,
      PLAIN,
    ],
    `${text}\n`,
  );
}

/** A program answers (RFC 3834). */
export function absenceOf(written: Written): Buffer {
  const { send, sender, date } = written;
  return letter(
    [
      'Auto-Submitted: auto-replied',
      `From: ${send.to_email}`,
      `To: ${sender}`,
      `Subject: ${encoded(`Automatic reply: ${send.subject}`)}`,
      dateLine(date),
      messageId(written, 'away'),
      `In-Reply-To: ${send.rfc822_message_id}`,
      MIME,
      PLAIN,
    ],
    'I am out of the office and will read your message when I am back.\n',
  );
}

type Part = { type: string; body: string };
const report = (kind: string, boundary: string) => [MIME, `Content-Type: multipart/report; report-type=${kind}; boundary="${boundary}"`];
const parts = (boundary: string, all: readonly Part[]) =>
  `${all.map(({ type, body }) => `--${boundary}\nContent-Type: ${type}\n\n${body}\n`).join('')}--${boundary}--\n`;
const originalHeaders = ({ send, sender }: Written) =>
  `From: ${sender}\nTo: ${send.to_email}\nSubject: ${encoded(send.subject)}\nMessage-ID: ${send.rfc822_message_id}\n`;

const FAILURES = {
  hard: { status: '5.1.1', words: '550 5.1.1 The sandbox knows no such user.' },
  soft: { status: '4.2.2', words: '452 4.2.2 The mailbox of this sandbox user is full.' },
} as const;

/** A mail server reports that the mail was not delivered (RFC 3464). */
export function bounceOf(written: Written, type: keyof typeof FAILURES): Buffer {
  const { send, sender, date, domain } = written;
  const { status, words } = FAILURES[type];
  const failed = `Final-Recipient: rfc822; ${send.to_email}\nAction: failed\nStatus: ${status}\nDiagnostic-Code: smtp; ${words}`;
  const said = `Reporting-MTA: dns; mx.${domain}\n\n${failed}`;
  return letter(
    [
      `From: Mail Delivery System <mailer-daemon@${domain}>`,
      `To: ${sender}`,
      'Subject: Undelivered Mail Returned to Sender',
      dateLine(date),
      messageId(written, `bounce-${type}`),
      'Auto-Submitted: auto-replied',
      ...report('delivery-status', 'sandbox-report'),
    ],
    parts('sandbox-report', [
      { type: 'text/plain; charset=utf-8', body: `Your message to ${send.to_email} could not be delivered:\n\n${words}\n` },
      { type: 'message/delivery-status', body: `${said}\n` },
      { type: 'text/rfc822-headers', body: originalHeaders(written) },
    ]),
  );
}

/** A provider passes on that the recipient called the mail unwanted (RFC 5965). */
export function complaintOf(written: Written): Buffer {
  const { send, sender, date, domain } = written;
  return letter(
    [
      `From: Feedback Loop <fbl@${domain}>`,
      `To: ${sender}`,
      'Subject: Complaint about a message of yours',
      dateLine(date),
      messageId(written, 'complaint'),
      ...report('feedback-report', 'sandbox-report'),
    ],
    parts('sandbox-report', [
      { type: 'text/plain; charset=utf-8', body: 'The recipient marked the message as spam.\n' },
      {
        type: 'message/feedback-report',
        body: `Feedback-Type: abuse\nUser-Agent: Sandbox/1\nVersion: 1\nOriginal-Rcpt-To: ${send.to_email}\n`,
      },
      { type: 'text/rfc822-headers', body: originalHeaders(written) },
    ]),
  );
}
