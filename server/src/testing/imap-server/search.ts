import { dateOf, headerFields } from './fetch.ts';
import type { Folder, Stored } from './store.ts';
import { inSet, type Token } from './tokens.ts';

type Test = (message: Stored, sequence: number) => boolean;

const DAY_MS = 86_400_000;
const dayOf = (message: Stored) => Math.floor(message.internalDate.getTime() / DAY_MS) * DAY_MS;
const flagged =
  (flag: string, wanted: boolean): Test =>
  (message) =>
    message.flags.has(flag) === wanted;
const FLAGS: Readonly<Record<string, Test>> = {
  ALL: () => true,
  SEEN: flagged('\\Seen', true),
  UNSEEN: flagged('\\Seen', false),
  DELETED: flagged('\\Deleted', true),
  UNDELETED: flagged('\\Deleted', false),
  ANSWERED: flagged('\\Answered', true),
};

/** The messages that meet every key of a SEARCH (RFC 3501, section 6.4.4), with their sequence numbers; null when a key is unknown. */
export function search(folder: Folder, keys: readonly Token[]): { message: Stored; sequence: number }[] | null {
  const rest = [...keys];
  const tests: Test[] = [];
  while (rest.length > 0) {
    const next = testOf(folder, rest);
    if (!next) return null;
    tests.push(next);
  }
  return folder.messages
    .map((message, index) => ({ message, sequence: index + 1 }))
    .filter(({ message, sequence }) => tests.every((one) => one(message, sequence)));
}

/** Takes one key and its arguments from the front. */
function testOf(folder: Folder, rest: Token[]): Test | null {
  const key = rest.shift();
  if (Array.isArray(key)) {
    const inner = [...key];
    const tests: (Test | null)[] = [];
    while (inner.length > 0) tests.push(testOf(folder, inner));
    return tests.some((one) => one === null) ? null : (message, sequence) => tests.every((one) => one?.(message, sequence));
  }
  const name = (key ?? '').toUpperCase();
  const argument = () => String(rest.shift() ?? '');
  const lastUid = folder.messages.at(-1)?.uid ?? 0;
  if (name === 'UID') {
    const holds = inSet(argument(), lastUid);
    return (message) => holds(message.uid);
  }
  if (name === 'HEADER') return header(argument(), argument());
  if (name === 'SINCE' || name === 'BEFORE' || name === 'ON') return dated(name, dateOf(argument()));
  if (name === 'NOT') {
    const not = testOf(folder, rest);
    return not && ((message, sequence) => !not(message, sequence));
  }
  if (/^[\d*][\d:,*]*$/.test(name)) {
    const holds = inSet(name, folder.messages.length);
    return (_, sequence) => holds(sequence);
  }
  return FLAGS[name] ?? null;
}

const dated =
  (key: 'SINCE' | 'BEFORE' | 'ON', day: number): Test =>
  (message) =>
    key === 'SINCE' ? dayOf(message) >= day : key === 'BEFORE' ? dayOf(message) < day : dayOf(message) === day;

/** Substring, without regard to case: as servers do, and why a client must look again. */
const header =
  (name: string, value: string): Test =>
  (message) => {
    const [first = ''] = headerFields(message.raw, [name]).toString('latin1').split('\r\n\r\n');
    return (
      first !== '' &&
      first
        .slice(first.indexOf(':') + 1)
        .toLowerCase()
        .includes(value.toLowerCase())
    );
  };
