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
    for (let hour = schedule.startHour; hour < schedule.endHour; hour++) {
      const opening = date.toZonedDateTime({ timeZone: schedule.timezone, plainTime: { hour } });
      if (opening.epochMilliseconds > from.getTime() && holds(opening, schedule)) return new Date(opening.epochMilliseconds);
    }
  }
  throw new Error(`The schedule ${JSON.stringify(schedule)} never opens.`);
}

/** The first instant after `from`, to the minute, at which the open window has closed. `from` must be open. */
export function nextClosing(schedule: Schedule, from: Date): Date {
  const start = local(from, schedule.timezone);
  const midnight = start.toPlainDate().add({ days: 1 }).toZonedDateTime(schedule.timezone);
  const end =
    schedule.endHour === 24 ? midnight : start.toPlainDate().toZonedDateTime({ timeZone: schedule.timezone, plainTime: { hour: schedule.endHour } });
  return new Date(end.epochMilliseconds);
}
