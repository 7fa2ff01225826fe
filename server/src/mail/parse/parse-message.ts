import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { deliveryStatusOf, fieldsOf, identifier, identifiers, oneLine } from './fields.ts';
import { type DeliveryStatus, type Fields, type InboundMessage, ParseError } from './message.ts';
import { plainText } from './plain-text.ts';

const MAX_SOURCE = 2 * 1024 * 1024;
const MAX_LINES = 20_000;
const MAX_HEADER = 256 * 1024;
const MAX_DEPTH = 20;
const MAX_REPORT_PART = 128 * 1024;
const MAX_TEXT = 64 * 1024;
const MAX_SUBJECT = 998;
const MAX_NAME = 200;
const MAX_TO = 100;
const EARLIEST = Date.UTC(1990, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/**
 * Read a message (RFC 5322 and MIME). Whatever the bytes are, the work is bounded: 2 MiB and 20,000 lines of source, 256 KiB of header lines over
 * all parts, depth 20. What is beyond that, or has a body that cannot be read, is cut or reduced to its header, and comes back `truncated`.
 *
 * @throws ParseError when not even a header field can be found.
 */
export async function parseMessage(source: Buffer, { truncated = false }: { truncated?: boolean } = {}): Promise<InboundMessage> {
  const bounded = firstLines(source.subarray(0, MAX_SOURCE), MAX_LINES);
  const head = headerOf(bounded);
  const whole = head.length <= MAX_HEADER ? await attempt(bounded) : null;
  const email = whole ?? (await attempt(cutAtLine(head, MAX_HEADER - 1024)));
  if (!email || !email.headers.some((one) => one.value !== '' && /^[!-9;-~]+$/.test(one.key))) throw new ParseError('No header was found.');
  return shape(email, truncated || bounded.length < source.length || !whole);
}

/** The first `limit` lines. The parser works line by line, at some ten microseconds each, so it is lines that cost. */
export function firstLines(source: Buffer, limit: number): Buffer {
  let end = -1;
  for (let count = 0; count < limit; count++) {
    end = source.indexOf(0x0a, end + 1);
    if (end < 0) return source;
  }
  return source.subarray(0, end + 1);
}

/** Everything before the first empty line. */
function headerOf(source: Buffer): Buffer {
  const ends = [source.indexOf('\r\n\r\n'), source.indexOf('\n\n')].filter((at) => at >= 0);
  return ends.length > 0 ? source.subarray(0, Math.min(...ends)) : source;
}

function cutAtLine(head: Buffer, limit: number): Buffer {
  if (head.length <= limit) return head;
  const end = head.lastIndexOf('\n', limit);
  return head.subarray(0, end > 0 ? end : limit);
}

async function attempt(source: Buffer): Promise<Email | null> {
  try {
    return await PostalMime.parse(source, { forceRfc822Attachments: true, maxNestingDepth: MAX_DEPTH, maxHeadersSize: MAX_HEADER });
  } catch {
    // The parser refuses what is beyond its limits; the caller then asks for less.
    return null;
  }
}

function shape(email: Email, truncated: boolean): InboundMessage {
  const headers = headersOf(email);
  const first = (name: string) => headers.get(name)?.[0] ?? '';
  const type = /report-type\s*=\s*"?([a-z0-9-]{1,64})/i.exec(first('content-type').slice(0, 2000));
  return {
    messageId: identifier(first('message-id')),
    inReplyTo: identifier(first('in-reply-to')),
    references: identifiers(first('references')),
    from: mailboxOf(email.from ?? email.sender),
    to: [...(email.to ?? []), ...(email.cc ?? [])].flatMap(addressesOf).slice(0, MAX_TO),
    subject: oneLine(email.subject ?? '', MAX_SUBJECT),
    date: dateOf(email.date),
    text: textOf(email),
    headers,
    reportType: type?.[1]?.toLowerCase() ?? null,
    deliveryStatus: deliveryStatus(email),
    originalHeaders: originalHeaders(email),
    feedbackReport: feedbackReport(email),
    truncated,
  };
}

function headersOf(email: Email): Fields {
  const headers = new Map<string, string[]>();
  for (const { key, value } of email.headers) {
    const values = headers.get(key);
    if (values) values.push(value);
    else headers.set(key, [value]);
  }
  return headers;
}

const addressesOf = (address: Address): string[] =>
  (address.group ?? [address]).flatMap((one) => (one.address && /^[^\s\p{Cc}]{1,320}$/u.test(one.address) ? [one.address.toLowerCase()] : []));

function mailboxOf(address: Address | undefined): InboundMessage['from'] {
  const one = address?.group ? address.group[0] : address;
  const email = one ? addressesOf(one)[0] : undefined;
  if (!one || !email) return null;
  return { email, name: oneLine(one.name, MAX_NAME) || null };
}

function dateOf(text: string | undefined): Date | null {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return time >= EARLIEST && time < LATEST ? new Date(time) : null;
}

function textOf(email: Email): string {
  const text = email.text?.trim() ? email.text : plainText(email.html ?? '');
  return text
    .slice(0, MAX_TEXT)
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}--[\n\t]]/gv, '')
    .toWellFormed();
}

/** The text of the first part of one of these types, null when there is none. */
function partText(email: Email, ...types: string[]): string | null {
  const part = email.attachments.find((one) => types.includes(one.mimeType));
  return part ? decoded(part.content) : null;
}

function decoded(content: Attachment['content']): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content));
  return bytes.subarray(0, MAX_REPORT_PART).toString('utf8');
}

function deliveryStatus(email: Email): DeliveryStatus | null {
  const text = partText(email, 'message/delivery-status', 'message/global-delivery-status');
  return text === null ? null : deliveryStatusOf(text);
}

function originalHeaders(email: Email): Fields | null {
  const text = partText(email, 'message/rfc822', 'text/rfc822-headers', 'message/rfc822-headers', 'message/global', 'message/global-headers');
  if (text === null) return null;
  const fields = fieldsOf(text.trimStart().split(/\r?\n\r?\n/, 1)[0] ?? '');
  return fields.size > 0 ? fields : null;
}

function feedbackReport(email: Email): Fields | null {
  const text = partText(email, 'message/feedback-report');
  return text === null ? null : fieldsOf(text);
}
