import type { Breach, InboxSettings, Story } from '../story.ts';
import { midnightOf, wallOf } from '../wall.ts';
import { sendsOf } from './facts.ts';

const DAY = 86_400_000;

/** The day of an inbox that is under way, and how many mails it has seen. */
type Day = { zone: string; ends: number; began: number; mails: number };

/**
 * Today's cap by the words of the interface: `daily_limit`, or the value of the ramp when that is lower. A day is one of the inbox's zone; day 0
 * is that on which the ramp began.
 */
function capOf({ daily_limit: limit, ramp, timezone }: InboxSettings, at: number): number {
  if (!ramp.enabled) return limit;
  const dateOf = (instant: number) => Date.parse(`${wallOf(instant, timezone).date}T00:00:00Z`);
  const day = Math.max(0, (dateOf(at) - dateOf(Date.parse(ramp.started_at))) / DAY);
  const risen = Math.min(1, day / ramp.days);
  return Math.min(limit, Math.round(ramp.start + (ramp.end - ramp.start) * risen));
}

/** The first midnight of a zone at or after an instant. */
const midnightFrom = (zone: string, at: number) => midnightOf(zone, at - 1);

/** The day that an instant belongs to: the known one while it lasts, else the one of the wall. */
function dayAt(known: Day | undefined, zone: string, at: number): Day {
  if (known && at < known.ends) return known;
  const ends = midnightOf(zone, at);
  // Where it began is asked for only when the zone is changed: the last midnight before.
  let began = midnightOf(zone, at - 26 * 3_600_000);
  for (let next = midnightOf(zone, began); next <= at; next = midnightOf(zone, next)) began = next;
  return { zone, began, ends, mails: 0 };
}

/**
 * No mail over the cap of its inbox's day. Replies count, and are never held back. A change of zone begins no day: the one under way lasts until
 * the first midnight of the new zone that comes a whole day after its beginning.
 */
export function capBreaches(story: Story): Breach[] {
  const sends = sendsOf(story);
  const settings = new Map<string, InboxSettings>();
  const days = new Map<string, Day>();
  const breaches: Breach[] = [];
  for (const entry of story.entries) {
    if (entry.kind === 'inbox') {
      const before = settings.get(entry.id);
      settings.set(entry.id, entry.settings);
      const { timezone } = entry.settings;
      const day = dayAt(days.get(entry.id), before?.timezone ?? timezone, entry.at);
      const moved = before && before.timezone !== timezone;
      days.set(entry.id, moved ? { ...day, zone: timezone, ends: midnightFrom(timezone, day.began + DAY) } : day);
    }
    const send = entry.kind === 'released' ? sends.get(entry.messageId) : undefined;
    const its = send && settings.get(send.inbox);
    if (!send || !its) continue;
    const day = dayAt(days.get(send.inbox), its.timezone, entry.at);
    day.mails++;
    days.set(send.inbox, day);
    const cap = capOf(its, entry.at);
    if (day.mails > cap && !send.isReply) {
      breaches.push({ oracle: 'cap', at: entry.at, what: `mail ${day.mails} of the day of inbox ${send.inbox}, whose cap is ${cap} (${send.id})` });
    }
  }
  return breaches;
}
