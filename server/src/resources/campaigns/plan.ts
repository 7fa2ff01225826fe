// The planner's decision, from facts alone: who gets the next step now, from which inbox and when; or why nobody does. Pure.
import { type Inbox, dayAt } from '#resources/inboxes/index.ts';
import {
  HORIZON_MS,
  type Pace,
  type Paces,
  type Sender,
  type Slots,
  earliest,
  isFree,
  later,
  latest,
  mostOf,
  nextOf,
  slotsOf,
  take,
} from './pace.ts';
import { type Schedule, isOpen, nextClosing, nextOpening } from './schedule.ts';

export type Lead = { id: string; current_step: number; assigned_inbox_id: string | null; plan_due_at: Date };

export type Facts = {
  now: Date;
  schedule: Schedule;
  /** Inboxes that can send now. */
  senders: readonly Sender[];
  /** Due now, follow-ups first, then by due time; of each inbox at least as many as `leadsWanted` says. */
  leads: readonly Lead[];
  hasActive: boolean;
  hasEnrolled: boolean;
  /** Somebody is due, whether an inbox is free for them or not. */
  hasDue: boolean;
  /** Sends of this campaign are planned or on their way. */
  hasOpen: boolean;
  nextDueAt: Date | null;
  /** The last moment for which a send of this campaign was planned. */
  lastPlannedAt: Date | null;
  quotaLeft: number;
  /** The workspace has a plan that lets it send. */
  isEntitled: boolean;
};

export type Verdict =
  | 'sending'
  | 'outside_schedule'
  | 'no_inbox_available'
  | 'waiting_on_followup_delays'
  | 'quota_exceeded'
  | 'not_entitled'
  | 'no_active_leads'
  | 'complete';

export type Planned = { lead: Lead; inbox: Inbox; at: Date };
export type Plan = { sends: Planned[]; verdict: Verdict; lookAgainAt: Date | null; plannedUntil: Map<string, Date>; paces: Paces };

/**
 * Decide, from facts alone. Follow-ups go before new leads, each from the inbox that wrote the first mail; new leads go to the inbox that is
 * free soonest, spread over what is left of the window. No slot lies outside the window, beyond a cap or closer than the inbox's gap to the
 * one before; where campaigns share an inbox they take turns.
 */
export function planCampaign(facts: Facts): Plan {
  const { now, schedule, leads } = facts;
  const none = (verdict: Verdict, lookAgainAt: Date | null, paces: Paces = {}): Plan => ({
    sends: [],
    verdict,
    lookAgainAt,
    plannedUntil: new Map(),
    paces,
  });
  if (!facts.hasActive) return facts.hasEnrolled ? none('complete', null) : none('no_active_leads', null);
  if (!facts.isEntitled) return none('not_entitled', later(now, 15 * 60_000));
  if (!isOpen(schedule, now)) return none('outside_schedule', nextOpening(schedule, now));
  // Whatever else should wake the planner, it looks again while something is on its way: no campaign stalls on a lost hint.
  const backstop = facts.hasOpen ? later(now, backstopMs(facts, HORIZON_MS)) : null;
  if (!facts.hasDue) return none(facts.hasOpen ? 'sending' : 'waiting_on_followup_delays', earliest(facts.nextDueAt, backstop));
  if (facts.quotaLeft <= 0) return none('quota_exceeded', later(now, 15 * 60_000));
  const closing = nextClosing(schedule, now);
  const slots = facts.senders.map((sender) => slotsOf(sender, now, closing));
  const { sends, wanted } = assign(leads, slots, facts.quotaLeft);
  const paces = Object.fromEntries(facts.senders.map((sender, i) => [sender.inbox.id, paceAfter(sender.pace, slots[i]!, wanted, now)]));
  const plannedUntil = new Map(slots.filter((one) => one.used > 0).map((one) => [one.inbox.id, one.next]));
  if (sends.length > 0)
    return { sends, verdict: 'sending', lookAgainAt: later(now, sends.length < leads.length ? HORIZON_MS / 4 : HORIZON_MS), plannedUntil, paces };
  const free = whenSlotComes(facts, slots);
  if (facts.hasOpen) return none('sending', earliest(later(now, backstopMs(facts, HORIZON_MS / 4)), free), paces);
  return none('no_inbox_available', free, paces);
}

/** Of those who are due: how many that are known to an inbox, and how many whom nobody has written to yet. */
export type LeadsWanted = { known: Map<string, number>; fresh: number };

/**
 * How many of those who are due matter to a plan: of each inbox and of none as many as can be planned now, and one more, who tells that there are
 * others. With the rest of them the plan would be the same.
 */
export function leadsWanted({ now, schedule, senders }: Pick<Facts, 'now' | 'schedule' | 'senders'>): LeadsWanted {
  if (!isOpen(schedule, now)) return { known: new Map(), fresh: 0 };
  const closing = nextClosing(schedule, now);
  const roomy = senders.filter((sender) => sender.room > 0);
  const known = new Map(roomy.map((sender) => [sender.inbox.id, mostOf(slotsOf(sender, now, closing)) + 1]));
  return { known, fresh: [...known.values()].reduce((sum, most) => sum + most - 1, 1) };
}

function assign(leads: readonly Lead[], slots: readonly Slots[], limit: number): { sends: Planned[]; wanted: ReadonlySet<string> } {
  const byInbox = new Map(slots.map((one) => [one.inbox.id, one]));
  const sends: Planned[] = [];
  const wanted = new Set<string>();
  for (const lead of leads) {
    if (sends.length >= limit) break;
    // The inbox of the first mail, and no other: while it cannot send, its leads wait.
    const isNew = lead.assigned_inbox_id === null;
    const chosen = isNew ? soonest(slots) : byInbox.get(lead.assigned_inbox_id!);
    if (chosen && isFree(chosen, isNew)) sends.push({ lead, inbox: chosen.inbox, at: take(chosen, isNew) });
    else for (const one of isNew ? slots : chosen ? [chosen] : []) if (isWanted(one, isNew)) wanted.add(one.inbox.id);
  }
  return { sends, wanted };
}

/** The cap has room and nothing but the inbox's gap, which all campaigns share, or another one's turn is in the way. */
const isWanted = (slots: Slots, isNew: boolean) => slots.left > 0 && (!isNew || slots.fresh < slots.end);

function soonest(slots: readonly Slots[]): Slots | undefined {
  let best: Slots | undefined;
  for (const one of slots) {
    if (!isFree(one, true)) continue;
    const sooner = best ? nextOf(one, true).getTime() - nextOf(best, true).getTime() : -1;
    if (!best || sooner < 0 || (sooner === 0 && one.inbox.id < best.inbox.id)) best = one;
  }
  return best;
}

function paceAfter(before: Pace, slots: Slots, wanted: ReadonlySet<string>, now: Date): Pace {
  const { wants: _over, ...rest } = before;
  return {
    ...rest,
    ...(slots.last && { at: slots.last.getTime() }),
    ...(slots.fresh.getTime() > now.getTime() && { fresh: slots.fresh.getTime() }),
    ...(wanted.has(slots.inbox.id) && { wants: now.getTime() }),
  };
}

/** Soon where something was planned just now; where nothing was for long, an eighth of that, an hour at most: what lies for days lies. */
const backstopMs = ({ now, lastPlannedAt }: Facts, least: number) =>
  Math.min(3_600_000, Math.max(least, (now.getTime() - (lastPlannedAt ?? now).getTime()) / 8));

/**
 * When it is worth to look again for somebody who is due: a horizon before a slot, since that far ahead they are given away. An inbox counts that
 * somebody who is due may use. (Who is due at one whose cap is used up is not among the leads.)
 */
function whenSlotComes({ leads, now }: Facts, slots: readonly Slots[]): Date {
  const known = new Set(leads.map((one) => one.assigned_inbox_id));
  const times = slots.map((one) => {
    if (one.room <= 0) return dayAt(one.inbox, now).day_resets_at;
    const isNew = !known.has(one.inbox.id);
    if (isNew && !known.has(null)) return null;
    if (one.yields || one.left <= 0) return later(now, 5_000);
    const next = nextOf(one, isNew);
    return next >= one.closing ? one.closing : later(next, -HORIZON_MS);
  });
  return latest(later(now, 1_000), earliest(...times, later(now, 5 * 60_000))!);
}
