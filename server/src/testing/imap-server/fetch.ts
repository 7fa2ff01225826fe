import type { Stored } from './store.ts';
import type { Token } from './tokens.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** RFC 3501 date-time in UTC. */
export function dateTime(date: Date): string {
  const day = String(date.getUTCDate()).padStart(2, ' ');
  return `"${day}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()} ${date.toISOString().slice(11, 19)} +0000"`;
}

/** The time of an RFC 3501 date, `2-Mar-2026`, at midnight UTC; NaN when it is none. */
export function dateOf(text: string): number {
  const [, day, month, year] = /^ ?(\d{1,2})-(\w{3})-(\d{4})/.exec(text) ?? [];
  const index = MONTHS.findIndex((one) => one.toLowerCase() === month?.toLowerCase());
  return index < 0 ? Number.NaN : Date.UTC(Number(year), index, Number(day));
}

const headerEnd = (raw: Buffer): number => {
  const end = raw.indexOf('\r\n\r\n');
  return end < 0 ? raw.length : end + 4;
};

/** Lines of the named header fields, folded lines with them, and the empty line behind (RFC 3501, section 6.4.5). */
export function headerFields(raw: Buffer, names: readonly string[]): Buffer {
  const header = raw.toString('latin1', 0, headerEnd(raw)).replace(/\r\n\r\n$/, '\r\n');
  const wanted = names.map((name) => name.toLowerCase());
  const fields = header.split(/\r\n(?![ \t])/).filter((field) => wanted.includes(field.slice(0, field.indexOf(':')).toLowerCase()));
  return Buffer.from([...fields, '', ''].join('\r\n'), 'latin1');
}

function section(raw: Buffer, name: string): Buffer | null {
  if (name === '') return raw;
  if (name === 'HEADER') return raw.subarray(0, headerEnd(raw));
  if (name === 'TEXT') return raw.subarray(headerEnd(raw));
  const [, names] = /^HEADER\.FIELDS \((.*)\)$/.exec(name) ?? [];
  return names === undefined
    ? null
    : headerFields(
        raw,
        names.split(' ').map((one) => one.replace(/"/g, '')),
      );
}

/** The items of a FETCH, macros spelt out. */
export function fetchItems(wanted: Token | undefined, uid: boolean): string[] {
  const items = (Array.isArray(wanted) ? wanted : [wanted ?? '']).map((one) => String(one).toUpperCase());
  const spelt = items.flatMap((one) => (one === 'FAST' || one === 'ALL' ? ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'] : [one]));
  return uid && !spelt.includes('UID') ? ['UID', ...spelt] : spelt;
}

/** One untagged FETCH response, null when an item is unknown. */
export function fetchResponse(sequence: number, message: Stored, items: readonly string[]): Buffer | null {
  const chunks: Buffer[] = [];
  const say = (text: string) => chunks.push(Buffer.from(text, 'latin1'));
  for (const item of items) {
    say(chunks.length === 0 ? `* ${sequence} FETCH (` : ' ');
    const body = bodyItem(message, item);
    if (body) chunks.push(body);
    else if (item === 'UID') say(`UID ${message.uid}`);
    else if (item === 'FLAGS') say(`FLAGS (${[...message.flags].join(' ')})`);
    else if (item === 'INTERNALDATE') say(`INTERNALDATE ${dateTime(message.internalDate)}`);
    else if (item === 'RFC822.SIZE') say(`RFC822.SIZE ${message.raw.length}`);
    else return null;
  }
  say(')\r\n');
  return Buffer.concat(chunks);
}

/** `BODY[section]<origin>` and its literal; null for every other item. */
function bodyItem(message: Stored, item: string): Buffer | null {
  const [, peek, name = '', from, size] = /^BODY(\.PEEK)?\[(.*)\](?:<(\d+)\.(\d+)>)?$/.exec(item) ?? [];
  if (!item.startsWith('BODY') || !item.includes('[')) return null;
  if (!peek) message.flags.add('\\Seen');
  const whole = section(message.raw, name);
  const bytes = whole && from !== undefined ? whole.subarray(Number(from), Number(from) + Number(size)) : whole;
  const label = `BODY[${name}]${from === undefined ? '' : `<${from}>`}`;
  return bytes ? Buffer.concat([Buffer.from(`${label} {${bytes.length}}\r\n`), bytes]) : Buffer.from(`${label} NIL`);
}
