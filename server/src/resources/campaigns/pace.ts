// How fast one inbox of a campaign goes: gaps between its sends, new leads spread over what is left of the day, turns between campaigns. Pure.
import { drawFor } from '#platform/random.ts';
import { type Inbox, dayAt, gapMs } from '#resources/inboxes/index.ts';

/** How far ahead sends are written down. Short, so that little has to be taken back when something changes. */
export const HORIZON_MS = 60_000;
/** How many sends of one inbox wait at most, however fast it may send. */
export const MAX_WAITING = 100;
/** A campaign that waited for its turn and was not heard of for this long (and two gaps of the inbox) has lost it. */
const TURN_MS = 2 * 60_000;

/**
 * What a campaign keeps of one inbox, in milliseconds of the epoch: `at` the last send that it planned there, `fresh` from when on it may write
 * to a new lead, `wants` when it last had somebody due for whom only the inbox's gap left no time.
 */
export type Pace = { at?: number; fresh?: number; wants?: number };
export type Paces = Readonly<Record<string, Pace>>;

/** An inbox that the campaign may use. `room` is what today's cap still allows beyond what is planned; `waiting` its sends that have not left. */
export type Sender = {
  inbox: Inbox;
  room: number;
  waiting: number;
  pace: Pace;
  /** What the other running campaigns that use it keep of it. */
  rivals: readonly Pace[];
};

export type Slots = {
  inbox: Inbox;
  /** The first moment that its gap allows; behind `end` there is none in this look. */
  next: Date;
  end: Date;
  /** From then on for new leads. */
  fresh: Date;
  /** Sends that may still be planned now, and today. */
  left: number;
  room: number;
  used: number;
  /** Until when today's mail may leave. */
  closing: Date;
  /** Another campaign has its turn first. */
  yields: boolean;
  last: Date | null;
};

export const later = (at: Date, ms: number) => new Date(at.getTime() + ms);
export const latest = (...dates: Date[]) => new Date(Math.max(...dates.map((one) => one.getTime())));
export const earliest = (...dates: (Date | null)[]) => {
  const times = dates.flatMap((one) => (one ? [one.getTime()] : []));
  return times.length ? new Date(Math.min(...times)) : null;
};

/** Whether another campaign that waits for this inbox has planned it longer ago than this one. */
export function mustYield({ inbox, pace, rivals }: Pick<Sender, 'inbox' | 'pace' | 'rivals'>, now: Date): boolean {
  const heard = now.getTime() - TURN_MS - 2000 * inbox.max_gap_seconds;
  return rivals.some(({ wants, at = 0 }) => wants !== undefined && wants >= heard && at < (pace.at ?? 0));
}

/** What an inbox offers in this look. `closing` is when the campaign's window closes. */
export function slotsOf(sender: Sender, now: Date, closing: Date): Slots {
  const { inbox, room, waiting, pace } = sender;
  const lastMoment = earliest(closing, dayAt(inbox, now).day_resets_at)!;
  return {
    inbox,
    next: latest(now, inbox.planned_until, inbox.next_send_at),
    end: earliest(later(now, HORIZON_MS), lastMoment)!,
    fresh: new Date(pace.fresh ?? 0),
    left: Math.min(room, MAX_WAITING - waiting),
    room,
    used: 0,
    closing: lastMoment,
    yields: mustYield(sender, now),
    last: null,
  };
}

/** When this inbox could write next, to a new lead or to one that it knows. */
export const nextOf = (slots: Slots, isNew: boolean): Date => (isNew ? latest(slots.next, slots.fresh) : slots.next);

export const isFree = (slots: Slots, isNew: boolean) => slots.left > 0 && !slots.yields && nextOf(slots, isNew) < slots.end;

/** How many sends one look can plan for this inbox at most: those that its smallest gap lets into what is left of the horizon. */
export function mostOf(slots: Slots): number {
  if (!isFree(slots, false)) return 0;
  const smallest = 1_000 * slots.inbox.min_gap_seconds;
  return smallest === 0 ? slots.left : Math.min(slots.left, Math.ceil((slots.end.getTime() - slots.next.getTime()) / smallest));
}

/** Take the next moment. The draws belong to the inbox and the instant, so that planning again gives the same. */
export function take(slots: Slots, isNew: boolean): Date {
  const at = nextOf(slots, isNew);
  if (isNew) slots.fresh = later(at, newLeadGapMs(slots.inbox, at, slots));
  slots.used++;
  slots.left--;
  slots.room--;
  slots.last = at;
  slots.next = later(at, gapMs(slots.inbox, at, slots.used));
  return at;
}

/**
 * The wait behind a new lead, so that what is left of the cap lasts until the day or the window ends instead of going out in one burst: the
 * time that is left over the sends that are left, drawn between half and one and a half of it. An inbox without gaps is not held back at all.
 */
export function newLeadGapMs(inbox: Pick<Inbox, 'id' | 'max_gap_seconds'>, at: Date, { room, closing }: Pick<Slots, 'room' | 'closing'>): number {
  if (inbox.max_gap_seconds === 0) return 0;
  const time = Math.max(0, closing.getTime() - at.getTime());
  return room < 2 ? time : Math.round((time / room) * (0.5 + drawFor('spread', inbox.id, at.getTime())));
}
