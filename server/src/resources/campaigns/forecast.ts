// The timetable of a campaign, told in advance: the planner's rules run ahead over facts, writing nothing. Pure.
import { type Inbox, capLeft, dayAt, gapMs } from '#resources/inboxes/index.ts';
import { type Heap, heapOf } from './heap.ts';
import { newLeadGapMs } from './pace.ts';
import { type Schedule, isOpen, nextClosing, nextOpening } from './schedule.ts';

export type ForecastLead = { id: string; step: number; dueAt: Date; inboxId: string | null };
export type ForecastFacts = {
  now: Date;
  schedule: Schedule;
  /** Inboxes that can send. */
  inboxes: readonly Inbox[];
  /** The wait before each step, in minutes. */
  delays: readonly number[];
  leads: readonly ForecastLead[];
};

/** What one inbox sends on one of its days. */
export type ForecastDay = {
  /** The inbox's local day. */
  date: string;
  inboxId: string;
  /** What its cap had left when the day began, or now. */
  room: number;
  sends: number;
  newContacts: number;
  followUps: number;
  firstSendAt: Date;
  lastSendAt: Date;
};
export type Forecast = {
  days: ForecastDay[];
  firstSendAt: Date | null;
  /** When the last mail leaves; null when nothing does, or not all of it could be told. */
  completionAt: Date | null;
  /** Sends that leave in the current UTC month, for comparing with the quota. */
  thisMonth: number;
  /** Leads that no inbox of the campaign may write to, or sends beyond the horizon: the timetable is not whole. */
  isCut: boolean;
};

/** As far ahead as is told, and as many sends. */
export const HORIZON_DAYS = 400;
export const MOST_SENDS = 300_000;

type Due = { at: number; id: string; step: number };
/** An inbox on its way through the days. Times in milliseconds. */
type Line = {
  inbox: Inbox;
  /** The next moment at which it could send. */
  at: number;
  resetsAt: number;
  room: number;
  left: number;
  /** From then on for new leads. */
  fresh: number;
  unit: number;
  window: number;
  day: ForecastDay | undefined;
  followUps: Heap<Due>;
};

const sooner = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.id < b.id);

/**
 * Who gets what, when, from which inbox, if nobody answers, bounces or unsubscribes and the inboxes work for nothing else: so an upper bound.
 * As in the planner, follow-ups go first, each from the inbox of the first mail, and a new lead goes to the inbox that is free soonest.
 */
export function forecastOf({ now, schedule, inboxes, delays, leads }: ForecastFacts): Forecast {
  const end = now.getTime() + HORIZON_DAYS * 86_400_000;
  const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const windows = windowsFrom(schedule, now);
  const lines = new Map(inboxes.map((inbox) => [inbox.id, lineOf(inbox, now, windows)]));
  const fresh = leads
    .filter((one) => one.inboxId === null && one.step < delays.length)
    .map(dueOf)
    .sort((a, b) => (sooner(a, b) ? -1 : 1));
  const stranded = leads.some((one) => one.inboxId !== null && !lines.has(one.inboxId)) || (fresh.length > 0 && lines.size === 0);
  for (const lead of leads) if (lead.inboxId !== null && lead.step < delays.length) lines.get(lead.inboxId)?.followUps.push(dueOf(lead));
  const queue = heapOf<Line>((a, b) => a.at < b.at || (a.at === b.at && a.inbox.id < b.inbox.id));
  for (const line of lines.values()) queue.push(line);
  const told: Forecast = { days: [], firstSendAt: null, completionAt: null, thisMonth: 0, isCut: stranded };
  let sent = 0;
  let next = 0;
  for (let line = queue.pop(); line; line = queue.pop()) {
    if (line.at >= end || sent >= MOST_SENDS) {
      if (line.followUps.size > 0 || next < fresh.length) told.isCut = true;
      continue;
    }
    const followUp = line.followUps.first();
    const due = followUp && followUp.at <= line.at ? line.followUps.pop() : newFrom(line, fresh[next]) <= line.at ? fresh[next++] : undefined;
    if (!due) {
      const wake = Math.min(followUp?.at ?? Infinity, newFrom(line, fresh[next]));
      if (wake === Infinity) continue;
      place(line, wake, windows);
    } else {
      sent++;
      if (line.at < monthEnd) told.thisMonth++;
      const isNew = due !== followUp;
      tell(told, line, due.step > 0);
      const step = due.step + 1;
      if (step < delays.length) line.followUps.push({ id: due.id, step, at: line.at + delays[step]! * 60_000 });
      take(line, windows, isNew);
    }
    queue.push(line);
  }
  told.days.sort((a, b) => (a.date === b.date ? (a.inboxId < b.inboxId ? -1 : 1) : a.date < b.date ? -1 : 1));
  if (told.isCut) told.completionAt = null;
  return told;
}

/** When an inbox may write to the new lead that is first in the queue: new leads are spread over the day. */
const newFrom = (line: Line, first: Due | undefined) => Math.max(line.fresh, first?.at ?? Infinity);

const dueOf = ({ id, step, dueAt }: ForecastLead): Due => ({ id, step, at: dueAt.getTime() });

function lineOf(inbox: Inbox, now: Date, windows: Windows): Line {
  const line: Line = {
    inbox: { ...inbox },
    at: 0,
    resetsAt: 0,
    room: 0,
    left: 0,
    fresh: 0,
    unit: 0,
    window: 0,
    day: undefined,
    followUps: heapOf(sooner),
  };
  beginDay(line, now);
  place(line, Math.max(now.getTime(), inbox.planned_until.getTime(), inbox.next_send_at.getTime()), windows);
  return line;
}

/** The inbox's day at this instant, and what its cap leaves. */
function beginDay(line: Line, at: Date): void {
  Object.assign(line.inbox, dayAt(line.inbox, at));
  line.unit = line.inbox.day_count;
  line.resetsAt = line.inbox.day_resets_at.getTime();
  line.room = line.left = capLeft(line.inbox, at);
  line.day = undefined;
}

/** Put the line at the first moment from `from` on at which the campaign's window is open and the inbox's cap has room. */
function place(line: Line, from: number, windows: Windows): void {
  for (let at = windows.openFrom(line, from); ; at = windows.openFrom(line, line.resetsAt)) {
    line.at = at;
    if (at === Infinity) return;
    if (at >= line.resetsAt) beginDay(line, new Date(at));
    if (line.left > 0) return;
  }
}

/** Spend one unit of the day. The gap behind it is the one that the release will draw for that unit. */
function take(line: Line, windows: Windows, isNew: boolean): void {
  const closing = new Date(Math.min(line.resetsAt, windows.closesAt(line)));
  if (isNew) line.fresh = line.at + newLeadGapMs(line.inbox, new Date(line.at), { room: line.left, closing });
  line.left--;
  line.unit++;
  place(line, line.at + gapMs(line.inbox, line.inbox.day_started_at, line.unit), windows);
}

function tell(told: Forecast, line: Line, isFollowUp: boolean): void {
  const at = new Date(line.at);
  if (!line.day) {
    const { inbox, room } = line;
    const date = Temporal.Instant.fromEpochMilliseconds(line.at).toZonedDateTimeISO(inbox.timezone).toPlainDate().toString();
    line.day = { date, inboxId: inbox.id, room, sends: 0, newContacts: 0, followUps: 0, firstSendAt: at, lastSendAt: at };
    told.days.push(line.day);
  }
  line.day.sends++;
  if (isFollowUp) line.day.followUps++;
  else line.day.newContacts++;
  line.day.lastSendAt = at;
  told.firstSendAt ??= at;
  if (!told.completionAt || at > told.completionAt) told.completionAt = at;
}

type Windows = {
  openFrom(line: Pick<Line, 'window'>, at: number): number;
  /** When the window closes that the line stands in. */
  closesAt(line: Pick<Line, 'window'>): number;
};

/** The campaign's windows one after the other, computed once for all inboxes. An inbox only moves forward among them. */
function windowsFrom(schedule: Schedule, now: Date): Windows {
  const last = now.getTime() + (HORIZON_DAYS + 20) * 86_400_000;
  const known: { opens: number; closes: number }[] = [];
  const following = (from: number): { opens: number; closes: number } => {
    if (from > last) return { opens: Infinity, closes: Infinity };
    const opening = isOpen(schedule, new Date(from)) ? new Date(from) : nextOpening(schedule, new Date(from));
    return { opens: opening.getTime(), closes: nextClosing(schedule, opening).getTime() };
  };
  return {
    closesAt: (line) => known[line.window]!.closes,
    openFrom(line, at) {
      for (; ; line.window++) {
        known[line.window] ??= following(known[line.window - 1]?.closes ?? now.getTime());
        const { opens, closes } = known[line.window]!;
        if (at < closes) return Math.max(at, opens);
        if (opens === Infinity) return Infinity;
      }
    },
  };
}
