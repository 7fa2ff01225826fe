// What people and their mail programs answer.
import { dateLine, letter, madeId, originalOf, parts } from './original.ts';

type Answer = { to: Buffer; from: string; date: Date };

/** A person's answer as mail programs write it: In-Reply-To, References, "Re:", the original quoted. */
export function humanReply({ to, from, text, date, name }: Answer & { text: string; name?: string }): Buffer {
  const original = originalOf(to);
  const quoted = original.body
    .split(/\r?\n/)
    .map((line) => `> ${line}`)
    .join('\n');
  return letter(
    [
      `Return-Path: <${from}>`,
      `From: ${name ? `"${name}" <${from}>` : from}`,
      `To: ${original.from}`,
      `Subject: ${/^re:/i.test(original.subject) ? '' : 'Re: '}${original.subject}`,
      dateLine(date),
      `Message-ID: ${madeId(from, original.messageId, text)}`,
      `In-Reply-To: ${original.messageId}`,
      `References: ${`${original.references} ${original.messageId}`.trim()}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
    ],
    `${text}\n\nOn an earlier day ${original.from} wrote:\n${quoted}\n`,
  );
}

type Absence = { variant?: 'rfc3834' | 'exchange' | 'bare'; subject?: string; text?: string };

/** An absence note: by RFC 3834, as Exchange and Outlook write it, or by an old program that sets no header at all. */
export function outOfOffice({ to, from, date, variant = 'rfc3834', subject, text }: Answer & Absence): Buffer {
  const original = originalOf(to);
  const signs = {
    rfc3834: ['Auto-Submitted: auto-replied', 'Precedence: bulk'],
    exchange: ['Auto-Submitted: auto-generated', 'X-Auto-Response-Suppress: All', 'X-MS-Exchange-Inbox-Rules-Loop: away@persona.test'],
    bare: ['Return-Path: <>'],
  }[variant];
  return letter(
    [
      ...signs,
      `From: ${from}`,
      `To: ${original.from}`,
      `Subject: ${subject ?? (variant === 'bare' ? `Re: ${original.subject}` : `Automatic reply: ${original.subject}`)}`,
      dateLine(date),
      `Message-ID: ${madeId(from, original.messageId, variant)}`,
      variant === 'bare' ? null : `In-Reply-To: ${original.messageId}`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
    ],
    `${text ?? 'I am out of the office until Monday and have limited access to email.'}\n`,
  );
}

/** A read receipt (RFC 8098). */
export function readReceipt({ to, from, date }: Answer): Buffer {
  const original = originalOf(to);
  const disposition = 'Disposition: manual-action/MDN-sent-manually; displayed';
  const fields = [`Final-Recipient: rfc822;${from}`, `Original-Message-ID: ${original.messageId}`, disposition];
  return letter(
    [
      `From: ${from}`,
      `To: ${original.from}`,
      `Subject: Read: ${original.subject}`,
      dateLine(date),
      `Message-ID: ${madeId(from, original.messageId, 'mdn')}`,
      `In-Reply-To: ${original.messageId}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=disposition-notification; boundary="mdn"',
    ],
    parts('mdn', [
      { headers: ['Content-Type: text/plain'], body: `Your message to ${from} was displayed.` },
      { headers: ['Content-Type: message/disposition-notification'], body: fields.join('\n') },
    ]),
  );
}

/** A feedback-loop report (RFC 5965). */
export function complaint({ to, date, feedbackType = 'abuse' }: { to: Buffer; date: Date; feedbackType?: string }): Buffer {
  const original = originalOf(to);
  const fields = [`Feedback-Type: ${feedbackType}`, 'User-Agent: persona/1.0', 'Version: 1', `Original-Rcpt-To: ${original.to}`];
  return letter(
    [
      'From: <fbl@mailbox-provider.test>',
      `To: ${original.from}`,
      `Subject: FW: ${original.subject}`,
      dateLine(date),
      `Message-ID: ${madeId('fbl@mailbox-provider.test', original.messageId)}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=feedback-report; boundary="arf"',
    ],
    parts('arf', [
      { headers: ['Content-Type: text/plain'], body: 'This is an email abuse report.' },
      { headers: ['Content-Type: message/feedback-report'], body: fields.join('\n') },
      { headers: ['Content-Type: message/rfc822'], body: original.raw.toString('latin1') },
    ]),
  );
}
