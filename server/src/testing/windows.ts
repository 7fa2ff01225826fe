// The windows of campaigns against another reading of the same clocks: Intl's, instant by instant, around every change of a zone's clocks.
import { type Schedule, isOpen, nextClosing, nextOpening } from '#resources/campaigns/index.ts';

const QUARTER = 15 * 60_000;
const FROM = Temporal.Instant.from('2025-01-01T00:00:00Z');
const UNTIL = Temporal.Instant.from('2036-01-01T00:00:00Z');
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
/** Windows that begin, end or lie where clocks change, and the usual one. */
const WINDOWS: readonly Omit<Schedule, 'timezone'>[] = [
  { daysOfWeek: [1, 2, 3, 4, 5], startHour: 9, endHour: 17 },
  { daysOfWeek: EVERY_DAY, startHour: 0, endHour: 24 },
  { daysOfWeek: [0, 6], startHour: 0, endHour: 1 },
  { daysOfWeek: [0], startHour: 1, endHour: 2 },
  { daysOfWeek: EVERY_DAY, startHour: 2, endHour: 3 },
  { daysOfWeek: [0, 4, 5], startHour: 2, endHour: 24 },
  { daysOfWeek: EVERY_DAY, startHour: 23, endHour: 24 },
];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

export const allZones = (): string[] => [...Intl.supportedValuesOf('timeZone'), 'UTC'];

/** When the clocks of a zone change in these years; once in a zone that keeps its time. */
export function changesOf(zone: string): number[] {
  const found: number[] = [];
  let at = FROM.toZonedDateTimeISO(zone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (!next || next.epochMilliseconds >= UNTIL.epochMilliseconds) break;
    found.push(next.epochMilliseconds);
    at = next;
  }
  return found.length ? found : [FROM.epochMilliseconds];
}

/** Day and hour of an instant on the wall of a zone, by Intl. */
function wallOf(zone: string): (at: number) => { day: number; hour: number } {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map((part) => [part.type, part.value]));
    return { day: DAYS.indexOf(parts['weekday']!), hour: Number(parts['hour']) };
  };
}

/**
 * A day and a bit before and after a change, every quarter of an hour and the millisecond before: whether each window is open, and until when or
 * when next, must be what the wall says. Answers how many instants were looked at; throws at the first that is wrong.
 */
export function checkChange(zone: string, change: number): number {
  const wall = wallOf(zone);
  const from = change - 30 * 60 * 60_000;
  const quarters = Array.from({ length: (60 * 60 * 60_000) / QUARTER }, (_, i) => from + i * QUARTER);
  const told = new Map(quarters.flatMap((at) => [at, at - 1]).map((at) => [at, wall(at)]));
  for (const window of WINDOWS) {
    const schedule = { timezone: zone, ...window };
    const wanted = (at: number) => {
      const { day, hour } = told.get(at) ?? wall(at);
      return window.daysOfWeek.includes(day) && hour >= window.startHour && hour < window.endHour;
    };
    const wrong = (what: string, at: number) => new Error(`${zone} ${JSON.stringify(window)}: ${what} at ${new Date(at).toISOString()}`);
    for (const at of told.keys()) if (isOpen(schedule, new Date(at)) !== wanted(at)) throw wrong('open or not', at);
    let edge = from;
    while (edge < from + 60 * 60 * 60_000) {
      const opens = nextOpening(schedule, new Date(edge)).getTime();
      const closes = nextClosing(schedule, new Date(opens)).getTime();
      if (closes <= opens || opens < edge) throw wrong('no window', opens);
      if (!wanted(opens) || !wanted(closes - 1)) throw wrong('an edge outside', opens);
      for (const at of told.keys()) {
        if (at >= edge && at < opens && wanted(at)) throw wrong('missed', at);
        if (at >= opens && at < closes && !wanted(at)) throw wrong('mail outside', at);
      }
      edge = closes;
    }
  }
  return told.size * WINDOWS.length;
}
