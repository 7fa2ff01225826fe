import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Inbox } from '#resources/inboxes/index.ts';
import { type LeadFacts, explainLead } from './gates.ts';
import type { Sender } from './pace.ts';
import { type Lead, planCampaign } from './plan.ts';
import type { Schedule } from './schedule.ts';

const NOW = new Date('2026-05-04T12:00:00Z');
const MINUTE = 60_000;
const after = (ms: number) => new Date(NOW.getTime() + ms);
const often = <T>(usual: T, ...rare: T[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...rare) });

const sender = fc
  .record({
    room: often(10, 0, 1), waiting: often(0, 99, 100), plannedIn: often(-MINUTE, 30_000, 2 * MINUTE), fresh: often(0, 10 * MINUTE),
    gap: often(90, 0), rival: often(undefined, { wants: NOW.getTime(), at: 1 }, { wants: NOW.getTime() - 60 * MINUTE, at: 1 }),
  }) // prettier-ignore
  .map(({ room, waiting, plannedIn, fresh, gap, rival }, id = 0): Sender => ({
    inbox: {
      id: `inb_${id}`, status: 'active', timezone: 'UTC', daily_limit: 50, ramp_enabled: false, min_gap_seconds: gap, max_gap_seconds: gap,
      planned_until: after(plannedIn), next_send_at: NOW, day_started_at: after(-12 * 60 * MINUTE),
      day_resets_at: after(12 * 60 * MINUTE), day_count: 50 - room,
    } as Inbox,
    room, waiting, pace: { at: 5, ...(fresh > 0 && { fresh: NOW.getTime() + fresh }) }, rivals: rival ? [rival] : [],
  })); // prettier-ignore

const schedule = often<Partial<Schedule>>({}, { startHour: 13 }, { endHour: 12 }, { daysOfWeek: [2] });
const given = fc.record({
  senders: fc.array(sender, { minLength: 0, maxLength: 3 }),
  schedule,
  campaign: often('running', 'paused', 'draft', 'completed'),
  status: often('active', 'replied', 'removed'),
  contact: often('ok', 'unsubscribed', 'bounced'),
  suppressed: often(false, true),
  dueIn: often<number | null>(-MINUTE, null, MINUTE),
  own: often<number | null>(null, 0, 1, 7),
  isEntitled: often(true, false),
  quotaLeft: often(Infinity, 0, 1, 5),
  ahead: fc.integer({ min: 0, max: 3 }),
});

/** What the service would find: the leads that are due, ours among them if it is one of these. */
function foundOf({
  senders: all,
  schedule: hours,
  campaign,
  status,
  contact,
  suppressed,
  dueIn,
  own,
  ahead,
  ...rest
}: typeof given extends fc.Arbitrary<infer T> ? T : never): LeadFacts {
  const senders = all.map((one, i) => ({ ...one, inbox: { ...one.inbox, id: `inb_${i}` } }));
  const assigned = own === null ? null : `inb_${own}`;
  const isActive = status === 'active';
  const due = isActive && dueIn !== null ? after(dueIn) : null;
  const usable = assigned === null || senders.some(({ inbox, room }) => inbox.id === assigned && room > 0);
  const mine: Lead = { id: 'mine', current_step: assigned ? 1 : 0, assigned_inbox_id: assigned, plan_due_at: due ?? NOW };
  const others = Array.from({ length: ahead }, (_, i): Lead => ({
    id: `other${i}`,
    current_step: mine.current_step,
    assigned_inbox_id: assigned,
    plan_due_at: after(-2 * MINUTE),
  }));
  const leads = [...(usable ? others : []), ...(due && due <= NOW && usable ? [mine] : [])];
  return {
    facts: {
      now: NOW, schedule: { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24, ...hours }, senders, leads,
      hasActive: leads.length > 0 || isActive, hasEnrolled: true, hasDue: ahead > 0 || (due !== null && due <= NOW), hasOpen: false,
      nextDueAt: null, lastPlannedAt: null, ...rest,
    },
    campaign: { status: campaign, paused_reason: null, hard_bounces: 0 },
    lead: { ...mine, status, plan_due_at: due },
    contact: { global_status: contact, suppressed },
    ownInbox: assigned === null ? null : { id: assigned, status: senders.some(({ inbox }) => inbox.id === assigned) ? 'active' : 'paused' },
    openSend: isActive && due === null ? { id: 'snd_1', scheduled_at: NOW } : null,
  }; // prettier-ignore
}

test('a lead is eligible exactly when the planner writes down its next send: no gate contradicts it', () => {
  const seen = { eligible: 0, shut: new Set<string>() };
  fc.assert(
    fc.property(given, (of) => {
      const found = foundOf(of);
      const { campaign, contact, facts, lead } = found;
      const isPlanned =
        campaign.status === 'running' &&
        contact.global_status === 'ok' &&
        !contact.suppressed &&
        planCampaign(facts).sends.some((one) => one.lead.id === lead.id);
      const { eligible, gates, nextEligibleAt } = explainLead(found);
      assert.equal(eligible, isPlanned, JSON.stringify(gates.filter((one) => !one.passes)));
      const shut = gates.filter((one) => !one.passes).map((one) => one.gate);
      for (const gate of shut) seen.shut.add(gate);
      if (eligible) seen.eligible++;
      else if (shut.join() !== 'turn') assert.ok(nextEligibleAt === null || nextEligibleAt >= NOW);
      // Only who has others before it may be told that it is not its turn and nothing else.
      if (shut.join() === 'turn') assert.ok(facts.leads.findIndex((one) => one.id === 'mine') > 0);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(seen.eligible > 100, `${seen.eligible}`);
  for (const gate of [
    'campaign_status',
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
  ]) {
    assert.ok(seen.shut.has(gate), `${gate} was never shut`);
  }
});

test('when every shut gate opens by time, it says when; the window has the last word', () => {
  const base = fc.sample(given.filter((one) => one.senders.length > 0), 1)[0]!; // prettier-ignore
  const quiet: Sender = { ...base.senders[0]!, room: 10, waiting: 0, pace: {}, rivals: [], inbox: { ...base.senders[0]!.inbox, planned_until: NOW } };
  const usual = {
    senders: [quiet], schedule: {}, campaign: 'running', status: 'active', contact: 'ok', suppressed: false, dueIn: 60 * MINUTE, own: null,
    isEntitled: true, quotaLeft: Infinity, ahead: 0,
  } as const; // prettier-ignore
  const next = (more: object) => explainLead(foundOf({ ...usual, ...more } as never)).nextEligibleAt?.toISOString() ?? null;
  assert.equal(next({}), '2026-05-04T13:00:00.000Z');
  assert.equal(next({ schedule: { endHour: 13 } }), '2026-05-05T00:00:00.000Z');
  assert.equal(next({ senders: [{ ...quiet, room: 0 }] }), '2026-05-05T00:00:00.000Z');
  assert.equal(next({ contact: 'bounced' }), null);
  assert.equal(next({ campaign: 'paused' }), null);
});
