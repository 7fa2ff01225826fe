// The pure rules of an inbox: its day, its ramp, its cap.
import type { Row } from './store.ts';

type Ramp = Pick<Row, 'daily_limit' | 'ramp_enabled' | 'ramp_start' | 'ramp_end' | 'ramp_days' | 'ramp_started_at' | 'timezone'>;
type Day = Pick<Row, 'day_started_at' | 'day_resets_at' | 'day_count' | 'timezone'>;

const DAY_MS = 24 * 3_600_000;

const instant = (at: Date) => Temporal.Instant.fromEpochMilliseconds(at.getTime());
const localDate = (at: Date, timezone: string) => instant(at).toZonedDateTimeISO(timezone).toPlainDate();

/** The first local midnight of `timezone` after `at` (where midnight is skipped by a clock change, the first instant of that day). */
export function nextMidnight(at: Date, timezone: string): Date {
  return new Date(localDate(at, timezone).add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds);
}

/** The local midnight that began the day of `at`. */
export function lastMidnight(at: Date, timezone: string): Date {
  return new Date(localDate(at, timezone).toZonedDateTime(timezone).epochMilliseconds);
}

/** Today's cap: `daily_limit`, or the ramp's value of the local day when that is lower. Day d gives round(start + (end − start) · d / days). */
export function effectiveDailyLimit(inbox: Ramp, now: Date): number {
  if (!inbox.ramp_enabled) return inbox.daily_limit;
  const day = localDate(inbox.ramp_started_at, inbox.timezone).until(localDate(now, inbox.timezone), { largestUnit: 'days' }).days;
  const risen = Math.min(1, Math.max(0, day) / inbox.ramp_days);
  return Math.min(inbox.daily_limit, Math.round(inbox.ramp_start + (inbox.ramp_end - inbox.ramp_start) * risen));
}

/** The sending day that `now` falls into: the stored one, or a fresh one once its reset has come. */
export function dayAt<D extends Day>(inbox: D, now: Date): Pick<Day, 'day_started_at' | 'day_resets_at' | 'day_count'> {
  if (now < inbox.day_resets_at) return { day_started_at: inbox.day_started_at, day_resets_at: inbox.day_resets_at, day_count: inbox.day_count };
  return { day_started_at: lastMidnight(now, inbox.timezone), day_resets_at: nextMidnight(now, inbox.timezone), day_count: 0 };
}

/** How many more mails the cap allows now. */
export const capLeft = (inbox: Ramp & Day, now: Date) => Math.max(0, effectiveDailyLimit(inbox, now) - dayAt(inbox, now).day_count);

type Standing = Ramp & Day & Pick<Row, 'status' | 'status_reason'>;

/**
 * What a change to the cap means for an inbox: it is done for the day, or goes on today after all. `recalls` says that mails which were put off
 * until the next day have room again.
 */
export function standingAfter(before: Standing, after: Standing, now: Date): Pick<Row, 'status' | 'status_reason'> & { recalls: boolean } {
  const { status, status_reason } = after;
  const left = capLeft(after, now);
  const recalls = left > 0 && capLeft(before, now) <= 0;
  if (left > 0 && status === 'over_quota_today') return { status: 'active', status_reason: null, recalls };
  if (left <= 0 && status === 'active') return { status: 'over_quota_today', status_reason: CAP_USED_UP, recalls };
  return { status, status_reason, recalls };
}

export const CAP_USED_UP = 'The daily cap is used up.';

/**
 * The day after a change to `timezone`: it lasts until the first midnight of the new zone that comes a whole day after its beginning. However
 * often the zone is changed, a day is never shorter, so no second allowance can be had, nor longer than two.
 */
export function resetAfterZoneChange(inbox: Day, timezone: string, now: Date): Pick<Day, 'day_started_at' | 'day_resets_at' | 'day_count'> {
  const day = dayAt(inbox, now);
  return { ...day, day_resets_at: nextMidnight(new Date(day.day_started_at.getTime() + DAY_MS - 1), timezone) };
}

/** Inboxes in these states may send; the second only what no cap holds back (replies). */
export const MAY_SEND = ['active', 'over_quota_today'] as const satisfies readonly Row['status'][];
