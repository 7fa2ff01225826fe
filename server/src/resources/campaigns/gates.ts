// Why a lead is mailed now, or is not: every gate between it and the planner's next plan, in order. Pure.
import { capLeft, dayAt, effectiveDailyLimit } from '#resources/inboxes/index.ts';
import { type Sender, type Slots, earliest, isFree, latest, nextOf, slotsOf } from './pace.ts';
import { type Facts, type Lead, planCampaign } from './plan.ts';
import { isOpen, nextClosing, nextOpening } from './schedule.ts';

export const GATES = [
  'campaign_status',
  'bounce_protection',
  'lead_status',
  'contact_status',
  'suppression',
  'open_send',
  'delay',
  'plan',
  'quota',
  'schedule',
  'inbox_status',
  'inbox_cap',
  'inbox_gap',
  'turn',
] as const;

/** `until`: when it opens by time alone; null where it is open, or only something else than time opens it. */
export type Gate = { gate: (typeof GATES)[number]; passes: boolean; value: string | null; because: string; until: Date | null };

export type LeadFacts = {
  facts: Facts;
  campaign: { status: string; paused_reason: string | null; hard_bounces: number };
  lead: Omit<Lead, 'plan_due_at'> & { status: string; plan_due_at: Date | null };
  contact: { global_status: string; suppressed: boolean };
  /** The inbox of its first mail, in whatever state, if there was one. */
  ownInbox: { id: string; status: string } | null;
  openSend: { id: string; scheduled_at: Date } | null;
};

export type Explanation = { eligible: boolean; gates: Gate[]; nextEligibleAt: Date | null };

const open = (gate: Gate['gate'], value: string | null, because: string): Gate => ({ gate, passes: true, value, because, until: null });
const shut = (gate: Gate['gate'], value: string | null, because: string, until: Date | null = null): Gate => ({
  gate,
  passes: false,
  value,
  because,
  until,
});
const judged = (passes: boolean, gate: Gate['gate'], value: string | null, [yes, no]: readonly [string, string], until: Date | null = null) =>
  passes ? open(gate, value, yes) : shut(gate, value, no, until);

/** All gates of one lead. It is eligible exactly when the planner, asked now, would write down its next send. */
export function explainLead(of: LeadFacts): Explanation {
  const gates = [...statusGates(of), ...timeGates(of), ...inboxGates(of)];
  const isNext = planCampaign(of.facts).sends.some(({ lead }) => lead.id === of.lead.id);
  const others = gates.every((one) => one.passes);
  gates.push(turnGate(of, isNext && others, others));
  const eligible = gates.every((one) => one.passes);
  return { eligible, gates, nextEligibleAt: eligible ? of.facts.now : openedAt(of.facts, gates) };
}

function statusGates({ campaign, lead, contact, openSend }: LeadFacts): Gate[] {
  const isProtected = campaign.paused_reason === 'bounce_protection';
  return [
    judged(campaign.status === 'running', 'campaign_status', campaign.status, ['The campaign is running.', `The campaign is ${campaign.status}.`]),
    judged(!isProtected, 'bounce_protection', String(campaign.hard_bounces), [
      'Hard bounces are within bounds.',
      'Too many hard bounces paused the campaign.',
    ]),
    judged(lead.status === 'active', 'lead_status', lead.status, [
      'The contact is on its way through the steps.',
      `The contact is ${lead.status} here.`,
    ]),
    judged(contact.global_status === 'ok', 'contact_status', contact.global_status, [
      'The contact may be written to.',
      `The contact is ${contact.global_status}.`,
    ]),
    judged(!contact.suppressed, 'suppression', contact.suppressed ? 'suppressed' : null, [
      'The address is not on the suppression list.',
      'The address is on the suppression list.',
    ]),
    judged(openSend === null, 'open_send', openSend?.id ?? null, [
      'No mail to the contact is under way.',
      `Its mail is written down already, for ${openSend?.scheduled_at.toISOString()}.`,
    ]),
  ];
}

function timeGates({ facts, lead }: LeadFacts): Gate[] {
  const { now, schedule, quotaLeft, isEntitled } = facts;
  const due = lead.plan_due_at;
  const isOpenNow = isOpen(schedule, now);
  return [
    judged(
      due !== null && due <= now,
      'delay',
      due?.toISOString() ?? null,
      ['The wait before the step is over.', 'The wait before the step is not over.'],
      due,
    ),
    judged(isEntitled, 'plan', null, ['The subscription lets campaigns run.', 'The workspace has no subscription.']),
    judged(quotaLeft > 0, 'quota', Number.isFinite(quotaLeft) ? String(quotaLeft) : null, [
      'The month has sends left.',
      "The month's sends are used up.",
    ]),
    judged(isOpenNow, 'schedule', schedule.timezone, ['The window is open.', 'The window is closed.'], isOpenNow ? null : nextOpening(schedule, now)),
  ];
}

/** The inboxes that could write to this lead: the one of its first mail, or for a new one all that can send. */
function inboxGates({ facts, lead, ownInbox }: LeadFacts): Gate[] {
  const { now, schedule, senders } = facts;
  const isNew = lead.assigned_inbox_id === null;
  const mine = senders.filter(({ inbox }) => isNew || inbox.id === lead.assigned_inbox_id);
  if (mine.length === 0) {
    const value = isNew ? null : `${ownInbox?.status ?? 'gone'}`;
    const because = isNew ? 'No inbox of the campaign can send.' : `The inbox of its first mail cannot send for this campaign: it is ${value}.`;
    const unknown = 'There is no inbox to ask.';
    return [shut('inbox_status', value, because), shut('inbox_cap', null, unknown), shut('inbox_gap', null, unknown)];
  }
  // A closed window gives no closing time of its own: the gap is asked for as if it were open.
  const closing = isOpen(schedule, now) ? nextClosing(schedule, now) : new Date(8.64e15);
  const slots = mine.map((sender) => slotsOf(sender, now, closing));
  const roomy = slots.filter((_, i) => mine[i]!.room > 0);
  const free = roomy.filter((one) => isFree(one, isNew));
  return [
    open('inbox_status', mine.map(({ inbox }) => inbox.status).join(', '), 'An inbox can send.'),
    capGate(facts, mine),
    gapGate(facts, isNew, roomy, free),
  ];
}

function capGate({ now }: Facts, mine: readonly Sender[]): Gate {
  const used = mine.map(({ inbox }) => `${dayAt(inbox, now).day_count}/${effectiveDailyLimit(inbox, now)}`).join(', ');
  const resets = earliest(...mine.map(({ inbox }) => dayAt(inbox, now).day_resets_at));
  const planned = mine.some(({ inbox }) => capLeft(inbox, now) > 0);
  const words = ["Today's cap has room.", planned ? "What is left of today's cap is planned already." : "Today's cap is used up."] as const;
  return judged(mine.some(({ room }) => room > 0), 'inbox_cap', used, words, resets); // prettier-ignore
}

function gapGate({ now }: Facts, isNew: boolean, roomy: readonly Slots[], free: readonly Slots[]): Gate {
  if (roomy.length === 0) return open('inbox_gap', null, 'It is asked for when the cap has room.');
  if (free.length > 0) return open('inbox_gap', nextOf(free[0]!, isNew).toISOString(), 'The gap between mails leaves room in the next minute.');
  const next = earliest(...roomy.map((one) => nextOf(one, isNew)));
  if (roomy.some((one) => one.yields)) return shut('inbox_gap', null, 'Another campaign has its turn at the inbox first.', next && latest(next, now));
  if (roomy.every((one) => one.left <= 0)) return shut('inbox_gap', null, 'As many mails as may wait for the inbox do.');
  const why = isNew
    ? 'The gap between mails, or the spread of new contacts over the day, leaves no room yet.'
    : 'The gap between mails leaves no room yet.';
  return shut('inbox_gap', next?.toISOString() ?? null, why, next);
}

function turnGate({ facts, lead }: LeadFacts, isNext: boolean, others: boolean): Gate {
  const ahead = facts.leads.findIndex((one) => one.id === lead.id);
  if (isNext) return open('turn', String(ahead), 'It is its turn.');
  const value = ahead < 0 ? null : String(ahead);
  return others ? shut('turn', value, 'Others who are due go first.') : shut('turn', value, 'It has no turn before the other gates are open.');
}

/** When the gates that time alone opens have all opened, within the window; null when one of them needs something else. */
function openedAt({ schedule, now }: Facts, gates: readonly Gate[]): Date | null {
  const closed = gates.filter((one) => !one.passes && one.gate !== 'turn');
  if (closed.length === 0 || closed.some((one) => one.until === null)) return null;
  return nextOpening(schedule, latest(now, ...closed.map((one) => one.until!)));
}
