// When a campaign may send: the wall clock of its zone, so that daylight saving needs no special case.

/** Days 0 (Sunday) to 6, hours of the zone's wall clock, the end exclusive (24 = until midnight). */
export type Schedule = { timezone: string; daysOfWeek: number[]; startHour: number; endHour: number };

export const DEFAULT_SCHEDULE: Schedule = { timezone: 'UTC', daysOfWeek: [1, 2, 3, 4, 5], startHour: 9, endHour: 17 };

const local = (at: Date, timezone: string) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
const holds = (at: Temporal.ZonedDateTime, { daysOfWeek, startHour, endHour }: Schedule) =>
  daysOfWeek.includes(at.dayOfWeek % 7) && at.hour >= startHour && at.hour < endHour;

/** Whether mail may leave at this instant. */
export const isOpen = (schedule: Schedule, at: Date): boolean => holds(local(at, schedule.timezone), schedule);

/** The first instant from `from` on at which mail may leave: `from` itself, or the next opening. */
export function nextOpening(schedule: Schedule, from: Date): Date {
  const start = local(from, schedule.timezone);
  if (holds(start, schedule)) return from;
  // Eight days hold every weekday once more; a clock change may swallow a whole window, hence the second week.
  for (let days = 0; days <= 15; days++) {
    const date = start.toPlainDate().add({ days });
    if (!schedule.daysOfWeek.includes(date.dayOfWeek % 7)) continue;
    // An hour that comes twice may open twice; one that is skipped opens where the clocks land.
    const openings = hoursOf(schedule).flatMap((hour) =>
      (['earlier', 'compatible', 'later'] as const).map((which) =>
        date.toPlainDateTime({ hour }).toZonedDateTime(schedule.timezone, { disambiguation: which }),
      ),
    );
    const times = openings.filter((one) => one.epochMilliseconds > from.getTime() && holds(one, schedule)).map((one) => one.epochMilliseconds);
    if (times.length > 0) return new Date(landingIn(schedule, start, Math.min(...times)) ?? Math.min(...times));
  }
  throw new Error(`The schedule ${JSON.stringify(schedule)} never opens.`);
}

/** Clocks that are put back past the end of a window may land in the midst of it: it is open again from that instant on. */
function landingIn(schedule: Schedule, start: Temporal.ZonedDateTime, before: number): number | null {
  for (let change = start.getTimeZoneTransition('next'); change !== null; change = change.getTimeZoneTransition('next')) {
    if (change.epochMilliseconds >= before) return null;
    if (holds(change, schedule)) return change.epochMilliseconds;
  }
  return null;
}

const hoursOf = ({ startHour, endHour }: Schedule) => Array.from({ length: endHour - startHour }, (_, i) => startHour + i);

/** The first instant after `from`, to the minute, at which the open window has closed. `from` must be open. */
export function nextClosing(schedule: Schedule, from: Date): Date {
  const start = local(from, schedule.timezone);
  const midnight = start.toPlainDate().add({ days: 1 }).toZonedDateTime(schedule.timezone);
  const wall = start.toPlainDate().toPlainDateTime({ hour: schedule.endHour % 24 });
  const ends = (which: 'compatible' | 'later') =>
    schedule.endHour === 24 ? midnight : wall.toZonedDateTime(schedule.timezone, { disambiguation: which });
  // Where the clocks were put back the end comes a second time.
  const end = ends('compatible').epochMilliseconds > from.getTime() ? ends('compatible') : ends('later');
  // Clocks that are put back by more than was open of the window put it before its beginning again.
  const change = start.getTimeZoneTransition('next');
  const isCut = change !== null && change.epochMilliseconds < end.epochMilliseconds && !holds(change, schedule);
  return new Date(isCut ? change.epochMilliseconds : end.epochMilliseconds);
}
