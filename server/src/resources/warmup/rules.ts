// The pure rules of the warm-up: how many mails, between whom, when, and what a recipient does with one. Every draw belongs to a thing, so that it
// can be told again.
import { drawFor, wholeDrawFor } from '#platform/random.ts';
import { type Inbox, effectiveDailyLimit } from '#resources/inboxes/index.ts';

const MINUTE = 60_000;
/** Mails on the first day of an inbox, and how many more on each day after it. */
const FIRST_DAY = 2;
const MORE_A_DAY = 2;
/** Of a day's mails so many open an exchange; the rest is left to answers. */
const OPENING_SHARE = 0.6;
/** On Saturdays and Sundays people write less. */
const WEEKEND_SHARE = 1 / 3;
/** The hours in which people write, by the clock of their own zone. */
const OPENS_AT = '08:00';
const CLOSES_AT = '18:00';

type Member = Pick<Inbox, 'id' | 'timezone' | 'warmup_started_at'>;
type Capped = Member & Parameters<typeof effectiveDailyLimit>[0];

const zoned = (at: Date, timezone: string) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);

/** What the inbox's calendar calls the day of `at`: `2030-01-07`. */
export const dayName = (at: Date, timezone: string): string => zoned(at, timezone).toPlainDate().toString();

/** The how manieth day of its ramp it is, counted by its calendar from 1; null while it does not belong to the pool. */
export function rampDay({ warmup_started_at: started, timezone }: Member, now: Date): number | null {
  if (started === null) return null;
  const days = zoned(started, timezone).toPlainDate().until(zoned(now, timezone).toPlainDate(), { largestUnit: 'days' }).days;
  return Math.max(0, days) + 1;
}

/**
 * How many warm-up mails an inbox may send today: its ramp, at most `most` (the operator's limit), and never more than half of the inbox's own
 * cap of the day, of which they are a part.
 */
export function warmupLimit(inbox: Capped, now: Date, most: number): number {
  const day = rampDay(inbox, now);
  if (day === null) return 0;
  return Math.min(most, FIRST_DAY + MORE_A_DAY * (day - 1), Math.floor(effectiveDailyLimit(inbox, now) / 2));
}

/** Of two inboxes the one that may open an exchange with the other on this day. Each of them comes to the same, whoever asks. */
export function opens(one: string, other: string, day: string): boolean {
  const [first, second] = one < other ? [one, other] : [other, one];
  return (drawFor('warm-up turn', day, first, second) < 0.5 ? first : second) === one;
}

export type Opening<Partner> = { partner: Partner; at: Date };
export type DayFacts<Partner> = {
  inbox: Pick<Inbox, 'id' | 'timezone' | 'max_gap_seconds'>;
  now: Date;
  /** Until when the plan reaches: the end of its day. */
  until: Date;
  /** Warm-up mails that it may still send today. */
  left: number;
  partners: readonly Partner[];
};

/**
 * The exchanges that an inbox opens in what is left of its day: each with another partner, within working hours, spread over them and at least its
 * greatest gap apart. What is left of the hours gets its share of the mails.
 */
export function planDay<Partner extends { id: string }>({ inbox, now, until, left, partners }: DayFacts<Partner>): Opening<Partner>[] {
  const day = dayName(now, inbox.timezone);
  const hours = workingHours(now, inbox.timezone);
  const from = Math.max(now.getTime(), hours.from.getTime());
  const end = Math.min(hours.to.getTime(), until.getTime());
  if (end <= from) return [];
  const share = (end - from) / (hours.to.getTime() - hours.from.getTime());
  const weekend = zoned(now, inbox.timezone).dayOfWeek >= 6 ? WEEKEND_SHARE : 1;
  const count = Math.min(left, Math.ceil(left * OPENING_SHARE * weekend * share));
  const chosen = partners
    .filter((one) => one.id !== inbox.id && opens(inbox.id, one.id, day))
    .map((one) => ({ one, draw: drawFor('warm-up partner', day, inbox.id, one.id) }))
    .sort((a, b) => a.draw - b.draw || (a.one.id < b.one.id ? -1 : 1))
    .slice(0, count)
    .map(({ one }) => one);
  return spread(chosen, { from, end, gap: inbox.max_gap_seconds * 1000, key: `${inbox.id} ${day}` });
}

type Span = { from: number; end: number; gap: number; key: string };

/** Each in a slice of its own, somewhere in it. What the gaps leave no room for falls out. */
function spread<Partner>(partners: readonly Partner[], { from, end, gap, key }: Span): Opening<Partner>[] {
  const slice = (end - from) / Math.max(1, partners.length);
  const planned: Opening<Partner>[] = [];
  for (const [i, partner] of partners.entries()) {
    const drawn = Math.floor(from + slice * (i + drawFor('warm-up time', key, i)));
    const last = planned.at(-1);
    const at = last ? Math.max(drawn, last.at.getTime() + gap) : drawn;
    if (at < end) planned.push({ partner, at: new Date(at) });
  }
  return planned;
}

/** The hours of work of the day of `at`. */
function workingHours(at: Date, timezone: string, daysLater = 0): { from: Date; to: Date } {
  const day = zoned(at, timezone).toPlainDate().add({ days: daysLater });
  const when = (time: string) => new Date(day.toZonedDateTime({ timeZone: timezone, plainTime: time }).epochMilliseconds);
  return { from: when(OPENS_AT), to: when(CLOSES_AT) };
}

/** `at` if somebody works then, else some moment within the first hour of the next working hours. `key` belongs to the thing that waits. */
export function inWorkingHours(at: Date, timezone: string, key: string): Date {
  for (let days = 0; ; days++) {
    const { from, to } = workingHours(at, timezone, days);
    if (days === 0 && at >= from && at < to) return at;
    if (from > at) return new Date(from.getTime() + wholeDrawFor(0, 60 * MINUTE, 'warm-up morning', key));
  }
}

/** The first working hours of another day than that of `at`. */
export const nextWorkingDay = (at: Date, timezone: string, key: string): Date =>
  inWorkingHours(new Date(Math.max(at.getTime(), workingHours(at, timezone).to.getTime())), timezone, key);

/** When the recipient of a mail looks at it. */
export const looksAt = (mailId: string, receivedAt: Date): Date =>
  new Date(receivedAt.getTime() + wholeDrawFor(2 * MINUTE, 90 * MINUTE, 'warm-up look', mailId));

const READS = 0.9;
const FLAGS = 0.2;

/** What its recipient marks a mail as. */
export const marksOf = (mailId: string): { isSeen: boolean; isFlagged: boolean } => ({
  isSeen: drawFor('warm-up seen', mailId) < READS,
  isFlagged: drawFor('warm-up flag', mailId) < FLAGS,
});

/** How probably a mail is answered, by its place in the exchange; the last one never is. */
const ANSWERS = [0.6, 0.4, 0.25, 0];
/** When a mail that was looked at now is answered by this inbox; null when it is not. */
export function answersAt(mail: { id: string; place: number }, now: Date, timezone: string): Date | null {
  if (drawFor('warm-up answer', mail.id) >= (ANSWERS[mail.place] ?? 0)) return null;
  const thought = wholeDrawFor(5 * MINUTE, 4 * 60 * MINUTE, 'warm-up answer delay', mail.id);
  return inWorkingHours(new Date(now.getTime() + thought), timezone, mail.id);
}
