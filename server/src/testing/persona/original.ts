import { createHash } from 'node:crypto';
import { fieldsOf } from '#mail/parse/fields.ts';
import { field, type Fields } from '#mail/parse/message.ts';

/** What a correspondent's program knows of the message that it answers. */
export type Original = { raw: Buffer; header: string; body: string; fields: Fields } & Record<
  'messageId' | 'subject' | 'from' | 'to' | 'references',
  string
>;

/** Read a message as a persona needs it. Subject and addresses stay as they were written. */
export function originalOf(raw: Buffer): Original {
  const text = raw.toString('latin1');
  const header = text.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const fields = fieldsOf(header);
  const address = (name: string) => /<([^<>]+)>/.exec(field(fields, name))?.[1] ?? field(fields, name);
  return {
    raw,
    header,
    body: raw.subarray(header.length).toString('utf8').trimStart(),
    fields,
    messageId: field(fields, 'message-id'),
    subject: field(fields, 'subject'),
    from: address('from'),
    to: address('to'),
    references: field(fields, 'references'),
  };
}

/** A message of header lines and a body, with CRLF line ends. Lines that are null are left out. */
export function letter(headers: readonly (string | null)[], body: string): Buffer {
  const head = headers.filter((line) => line !== null).join('\r\n');
  return Buffer.from(`${head}\r\n\r\n${body.replace(/\r?\n/g, '\r\n')}`, 'utf8');
}

/** A Message-ID that is the same for the same seed, in the domain of an address. */
export function madeId(address: string, ...seed: readonly string[]): string {
  const digest = createHash('sha256').update(seed.join('\n')).digest('hex').slice(0, 24);
  return `<${digest}@${address.split('@')[1] ?? 'persona.test'}>`;
}

/** RFC 5322, section 3.3, in UTC. */
export const dateLine = (date: Date): string => `Date: ${date.toUTCString().replace('GMT', '+0000')}`;

/** A multipart body: each part with its own header lines. */
export function parts(boundary: string, all: readonly { headers: readonly string[]; body: string }[]): string {
  return `${all.map(({ headers, body }) => `--${boundary}\n${headers.join('\n')}\n\n${body}\n`).join('')}--${boundary}--\n`;
}
