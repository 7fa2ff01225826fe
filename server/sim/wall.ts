// Clocks on walls, told by Intl: another reading than the product's own, which asks Temporal.
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const FORMATS = new Map<string, Intl.DateTimeFormat>();

export type Wall = { date: string; day: number; hour: number; minute: number };
export type Window = { timezone: string; daysOfWeek: readonly number[]; startHour: number; endHour: number };

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  FORMATS.set(zone, made);
  return made;
}

/** Date (YYYY-MM-DD), day of the week (0 = Sunday), hour and minute of an instant on the wall of a zone. */
export function wallOf(at: number, zone: string): Wall {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map((one) => [one.type, one.value]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name)!;
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    day: DAYS.indexOf(part('weekday')),
    hour: Number(part('hour')),
    minute: Number(part('minute')),
  };
}

export function isWithin({ timezone, daysOfWeek, startHour, endHour }: Window, at: number): boolean {
  const { day, hour } = wallOf(at, timezone);
  return daysOfWeek.includes(day) && hour >= startHour && hour < endHour;
}

const QUARTER = 15 * 60_000;

/** The first quarter of an hour after `at` at which `holds` has another answer, within `limit` quarters; null when there is none. */
function turnOf(at: number, limit: number, holds: (at: number) => unknown): number | null {
  const was = holds(at);
  const first = Math.floor(at / QUARTER) * QUARTER;
  for (let i = 1; i <= limit; i++) if (holds(first + i * QUARTER) !== was) return first + i * QUARTER;
  return null;
}

/** When the window opens or closes next, within three days. */
export const edgeOf = (window: Window, at: number) => turnOf(at, 3 * 96, (one) => isWithin(window, one));

/** By zone: stretches of days that were looked through already, each up to its midnight. */
const STRETCHES = new Map<string, { from: number; midnight: number }[]>();

/** The next beginning of a day in a zone. */
export function midnightOf(zone: string, at: number): number {
  const known = STRETCHES.get(zone) ?? [];
  STRETCHES.set(zone, known);
  const stretch = known.find((one) => at >= one.from && at < one.midnight);
  if (stretch) return stretch.midnight;
  const midnight = turnOf(at, 2 * 96, (one) => wallOf(one, zone).date) ?? at + 96 * QUARTER;
  known.push({ from: at, midnight });
  return midnight;
}
