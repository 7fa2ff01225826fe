// The planner's pure rules: who gets which step, from which inbox, when; or why nobody does.
import { drawFor } from '#platform/random.ts';
import { type Schedule, isOpen, nextClosing, nextOpening } from '#resources/campaigns/index.ts';
import { type Inbox, dayAt, gapMs } from '#resources/inboxes/index.ts';

/** How far ahead sends are written down. Short, so that little has to be taken back when something changes. */
export const HORIZON_MS = 60_000;
/** How many sends of one inbox wait at most, however fast it may send. */
export const MAX_WAITING = 100;

export type Lead = { id: string; current_step: number; assigned_inbox_id: string | null; plan_due_at: Date };
/** An inbox that the campaign may use. `room` is what today's cap still allows beyond what is planned; `waiting` its sends that have not left. */
export type Sender = { inbox: Inbox; room: number; waiting: number };

export type Facts = {
  now: Date;
  schedule: Schedule;
  /** Inboxes that can send now. */
  senders: readonly Sender[];
  /** Due now, follow-ups first, then by due time; at most as many as can be planned at once. */
  leads: readonly Lead[];
  hasActive: boolean;
  hasEnrolled: boolean;
  /** Somebody is due, whether an inbox is free for them or not. */
  hasDue: boolean;
  /** Sends of this campaign are planned or on their way. */
  hasOpen: boolean;
  nextDueAt: Date | null;
  quotaLeft: number;
};

export type Verdict =
  | 'sending'
  | 'outside_schedule'
  | 'no_inbox_available'
  | 'waiting_on_followup_delays'
  | 'quota_exceeded'
  | 'no_active_leads'
  | 'complete';

export type Planned = { lead: Lead; inbox: Inbox; at: Date };
export type Plan = { sends: Planned[]; verdict: Verdict; lookAgainAt: Date | null; plannedUntil: Map<string, Date> };

const later = (at: Date, ms: number) => new Date(at.getTime() + ms);
const latest = (...dates: Date[]) => new Date(Math.max(...dates.map((one) => one.getTime())));
const earliest = (...dates: (Date | null)[]) => {
  const times = dates.flatMap((one) => (one ? [one.getTime()] : []));
  return times.length ? new Date(Math.min(...times)) : null;
};

/**
 * Decide, from facts alone. Follow-ups go before new leads, each from the inbox that wrote the first mail; new leads go to the inbox that is
 * free soonest. No slot lies outside the window, beyond a cap or closer than the inbox's gap to the one before.
 */
export function planCampaign(facts: Facts): Plan {
  const { now, schedule, leads } = facts;
  const none = (verdict: Verdict, lookAgainAt: Date | null): Plan => ({ sends: [], verdict, lookAgainAt, plannedUntil: new Map() });
  if (!facts.hasActive) return facts.hasEnrolled ? none('complete', null) : none('no_active_leads', null);
  if (!isOpen(schedule, now)) return none('outside_schedule', nextOpening(schedule, now));
  // Whatever else should wake the planner, it looks again in a minute while something is on its way: no campaign stalls on a lost hint.
  const backstop = facts.hasOpen ? later(now, HORIZON_MS) : null;
  if (!facts.hasDue) return none(facts.hasOpen ? 'sending' : 'waiting_on_followup_delays', earliest(facts.nextDueAt, backstop));
  if (facts.quotaLeft <= 0) return none('quota_exceeded', later(now, 15 * 60_000));
  const slots = facts.senders.map((sender) => slotsOf(sender, now, nextClosing(schedule, now)));
  const sends = assign(leads, slots, facts.quotaLeft);
  const plannedUntil = new Map(slots.filter((one) => one.used > 0).map((one) => [one.inbox.id, one.next]));
  if (sends.length > 0)
    return { sends, verdict: 'sending', lookAgainAt: later(now, sends.length < leads.length ? HORIZON_MS / 4 : HORIZON_MS), plannedUntil };
  if (facts.hasOpen) return none('sending', later(now, HORIZON_MS / 4));
  return none('no_inbox_available', whenSenderIsFree(facts, now));
}

type Slots = { inbox: Inbox; next: Date; left: number; used: number; end: Date };

function slotsOf({ inbox, room, waiting }: Sender, now: Date, closing: Date): Slots {
  const end = earliest(later(now, HORIZON_MS), closing, dayAt(inbox, now).day_resets_at)!;
  return { inbox, next: latest(now, inbox.planned_until, inbox.next_send_at), left: Math.min(room, MAX_WAITING - waiting), used: 0, end };
}

const isFree = (slots: Slots) => slots.left > 0 && slots.next < slots.end;

function take(slots: Slots): Date {
  const at = slots.next;
  slots.used++;
  slots.left--;
  // The draw belongs to the inbox and the instant, so that planning again gives the same.
  slots.next = later(at, gapMs(slots.inbox, at, slots.used));
  return at;
}

function assign(leads: readonly Lead[], slots: readonly Slots[], limit: number): Planned[] {
  const byInbox = new Map(slots.map((one) => [one.inbox.id, one]));
  const sends: Planned[] = [];
  for (const lead of leads) {
    if (sends.length >= limit) break;
    // The inbox of the first mail, and no other: while it cannot send, its leads wait.
    const chosen = lead.assigned_inbox_id === null ? soonest(slots) : byInbox.get(lead.assigned_inbox_id);
    if (chosen && isFree(chosen)) sends.push({ lead, inbox: chosen.inbox, at: take(chosen) });
  }
  return sends;
}

const soonest = (slots: readonly Slots[]): Slots | undefined =>
  slots.filter(isFree).sort((a, b) => a.next.getTime() - b.next.getTime() || (a.inbox.id < b.inbox.id ? -1 : 1))[0];

function whenSenderIsFree({ senders }: Facts, now: Date): Date {
  const free = senders.map(({ inbox, room }) =>
    room > 0 ? latest(later(now, 1_000), inbox.planned_until, inbox.next_send_at) : dayAt(inbox, now).day_resets_at,
  );
  return earliest(...free, later(now, 5 * 60_000))!;
}

export type StepText = { subject: string; body_html: string; body_text: string };
type Variant = StepText & { id: string; disabled: boolean };

/** A step's text for one lead: the winner, or one of its own text and the variants not disabled, drawn by campaign, contact and step. */
export function textOf(
  step: StepText & { id: string; variants: readonly Variant[] | null; winning_variant_id: string | null },
  seed: { campaignId: string; contactId: string },
): { text: StepText; variantId: string | null } {
  const winner = step.variants?.find((one) => one.id === step.winning_variant_id);
  if (winner) return { text: winner, variantId: winner.id };
  const open = (step.variants ?? []).filter((one) => !one.disabled);
  const drawn = open[Math.floor(drawFor('variant', seed.campaignId, seed.contactId, step.id) * (open.length + 1)) - 1];
  return drawn ? { text: drawn, variantId: drawn.id } : { text: step, variantId: null };
}

/** The subject of a follow-up that left its own blank. */
export const replySubject = (threadSubject: string) => (/^re:/i.test(threadSubject) ? threadSubject : `Re: ${threadSubject}`);
