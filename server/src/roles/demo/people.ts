// Whom the demonstration writes to: a list as people really export it, and what each of them does with the mail. The same seed, the same story.
import { drawFor, wholeDrawFor } from '#platform/random.ts';

export type Person = { email: string; first: string; last: string; company: string; city: string; note: string };

const FIRST = 'Zoë José Łukasz Åsa François Søren Björn Mária Renée Jürgen Seán Nuño Anna Tom Grace Kofi Yuki Ravi'.split(' ').concat('');
const LAST = ['Müller', "O'Neill", 'Ibáñez', 'Nowak', 'Lindström', 'Dupont', 'Hansen', 'van der Berg', 'García-López', 'Smith', 'Okafor', 'Tanaka'];
const COMPANY = [
  'Smith, Sons & Co',
  'Müller; Partner GmbH',
  '"Best" Bakery',
  'Café Zürich AG',
  'Two Line\nHolding',
  'Łódź Textiles',
  'A&B <Labs>',
  '',
];
const CITY = ['Zürich', 'Łódź', 'São Paulo', 'København', 'Cork', 'Lyon', 'Málaga', 'Leeds'];
const NOTE = ['', 'Met at the fair; wants a call', 'He said "maybe",\nask again in June', 'VIP', 'second line\r\nthird line', 'a, b; c | d'];

const PLAIN: Record<string, string> = { Ł: 'l', ł: 'l', ø: 'o', Ø: 'o' };
const plain = (name: string) =>
  name
    .replaceAll(/[ŁłØø]/g, (letter) => PLAIN[letter]!)
    .normalize('NFD')
    .replaceAll(/[^A-Za-z]/g, '')
    .toLowerCase();

/** `count` people with addresses of their own. */
export function peopleOf(count: number, seed: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const pick = (from: readonly string[], what: string) => from[wholeDrawFor(0, from.length - 1, seed, what, index)]!;
    const first = pick(FIRST, 'first');
    const last = pick(LAST, 'last');
    const email = `${plain(first) || 'info'}.${plain(last)}${index + 1}@company${(index % 40) + 1}.test`;
    return { email, first, last, company: pick(COMPANY, 'company'), city: pick(CITY, 'city'), note: pick(NOTE, 'note') };
  });
}

const BAD = ['no-at-sign.test', 'two@@signs.test', 'a space@inside.test', '', 'ends.with.@dot.test', 'no-domain@', 'nobody@localhost'];
const DUPLICATES = 5;

/**
 * The people as a spreadsheet program exports them: a byte order mark, quoted fields with commas, semicolons, quotes and line breaks, rows
 * without an address or with none that could be one, and some who stand there a second time in capitals. `emails` are the addresses as they
 * stand in the rows, the first being row 2.
 */
export function csvOf(people: readonly Person[]): { csv: string; emails: string[] } {
  const rows = people.map((one) => [one.email, one.first, one.last, one.company, one.city, one.note]);
  BAD.forEach((email, index) => rows.splice(20 + index * 30, 0, [email, 'Bad', 'Row', '', '', '']));
  for (const { email, ...rest } of people.slice(10, 10 + DUPLICATES)) rows.push([email.toUpperCase(), rest.first, rest.last, 'Twice', rest.city, '']);
  const cell = (text: string) => (/[",;|\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [['Email', 'First Name', 'Last Name', 'Company', 'City', 'Note'], ...rows].map((row) => row.map(cell).join(','));
  return { csv: `\ufeff${lines.join('\r\n')}\r\n`, emails: rows.map(([email = '']) => email) };
}

export type Habit = 'silent' | 'reply_first' | 'reply_second' | 'out_of_office' | 'hard_bounce' | 'soft_bounce' | 'refused';

const HABITS: readonly (readonly [number, Habit])[] = [
  [0.08, 'reply_first'],
  [0.12, 'reply_second'],
  [0.17, 'out_of_office'],
  [0.2, 'hard_bounce'],
  [0.21, 'soft_bounce'],
];

/**
 * An inbox of whose mails more than 5 % come back rests for a day (docs/health.md), and three of its first sixty are that already: an unlucky draw of
 * inboxes would leave its people without their mails. Among so many at the top of the list no address is dead.
 */
const FIRST_DEAD = 120;

/** What people do: the first of the list is refused by their server in the envelope, the others as they were drawn. */
export function habitsOf(people: readonly Person[], seed: number): Map<string, Habit> {
  const habitAt = (index: number, drawn: Habit): Habit =>
    index === 0 ? 'refused' : drawn === 'hard_bounce' && index < FIRST_DEAD ? 'silent' : drawn;
  return new Map(
    people.map(({ email }, index) => {
      const draw = drawFor(seed, 'habit', email);
      return [email, habitAt(index, HABITS.find(([below]) => draw < below)?.[1] ?? 'silent')];
    }),
  );
}

/** Whether the first try to reach this person meets a busy server (451). */
export const isBusyOnce = (email: string, seed: number): boolean => drawFor(seed, 'busy', email) < 0.015;

/** Which mail of the three a habit answers; 0 is none. */
export const answersTo = (habit: Habit): number => (habit === 'reply_second' ? 2 : habit === 'silent' || habit === 'refused' ? 0 : 1);

/** How long after the mail the answer arrives, in milliseconds of the calendar: machines answer at once, people within minutes. */
export function answerDelayMs(habit: Habit, email: string, seed: number): number {
  const longest = habit === 'reply_first' || habit === 'reply_second' ? 240 : 60;
  return wholeDrawFor(5, longest, seed, 'delay', email) * 1000;
}

/** About how many mails will be accepted; answers may come too late to save the next one. */
export function expectedDeliveries(habits: ReadonlyMap<string, Habit>): number {
  const mails: Partial<Record<Habit, number>> = { refused: 0, hard_bounce: 1, reply_first: 1, reply_second: 2 };
  return [...habits.values()].reduce((sum, habit) => sum + (mails[habit] ?? 3), 0);
}
