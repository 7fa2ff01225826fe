import type { DeliveryStatus, Fields } from './message.ts';

/** In bytes: what an index can hold, and no line is longer (RFC 5322, section 2.1.1). */
const MAX_ID = 998;
/** What could not be decoded has no letters any more by which two identifiers differ. */
const ID = /<[^<>\s\p{Cc}\ufffd]+>/u;
const MAX_REFERENCES = 100;
const MAX_FIELDS = 1000;
const MAX_RECIPIENTS = 200;

/** One line of text: control characters and runs of white space become single spaces, ends are trimmed, at most `limit` characters. */
export const oneLine = (text: string, limit: number): string =>
  text
    .slice(0, limit * 4)
    .replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ')
    .trim()
    .slice(0, limit)
    .trimEnd()
    .toWellFormed();

/** Fields of one header block (RFC 5322, section 2.2; also the form of RFC 3464 groups), unfolded; lines without a colon are passed over. */
export function fieldsOf(block: string): Fields {
  const fields = new Map<string, string[]>();
  let count = 0;
  let last: string[] | null = null;
  for (const line of block.split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      if (last && last.length > 0) last[last.length - 1] = `${last[last.length - 1]} ${line.trim()}`.slice(0, 8192);
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 1 || ++count > MAX_FIELDS) {
      last = null;
      continue;
    }
    const name = line.slice(0, colon).trim().toLowerCase();
    last = fields.get(name) ?? [];
    last.push(
      line
        .slice(colon + 1)
        .trim()
        .slice(0, 8192),
    );
    fields.set(name, last);
  }
  return fields;
}

const isShort = (id: string) => Buffer.byteLength(id) <= MAX_ID;

/** Every message identifier in a header value, brackets included. Those longer than 998 bytes, or not decodable, are passed over. */
export function identifiers(value: string): string[] {
  return (value.match(new RegExp(ID, 'gu')) ?? []).filter(isShort).slice(-MAX_REFERENCES);
}

/** The identifier of Message-ID or In-Reply-To. Some mailers forget the brackets: they are put back. */
export function identifier(value: string): string | null {
  const [first] = ID.exec(value) ?? [];
  if (first) return isShort(first) ? first : null;
  const bare = `<${value.trim()}>`;
  return /^<[^\s<>@\p{Cc}\ufffd]+@[^\s<>@\p{Cc}\ufffd]+>$/u.test(bare) && isShort(bare) ? bare : null;
}

/** message/delivery-status (RFC 3464, section 2.1): groups of fields with empty lines between them, the first about the message. */
export function deliveryStatusOf(text: string): DeliveryStatus | null {
  const groups = text
    .split(/\r?\n[ \t]*\r?\n/, MAX_RECIPIENTS + 50)
    .map(fieldsOf)
    .filter((group) => group.size > 0);
  const about = (group: Fields) => group.has('final-recipient') || group.has('original-recipient') || group.has('action') || group.has('status');
  const recipients = groups.filter(about).slice(0, MAX_RECIPIENTS);
  return recipients.length > 0 ? { message: groups.find((group) => !about(group)) ?? new Map(), recipients } : null;
}
