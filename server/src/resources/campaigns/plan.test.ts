import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Inbox } from '#resources/inboxes/index.ts';
import { HORIZON_MS, MAX_WAITING, type Pace, type Sender } from './pace.ts';
import { type Facts, type Lead, leadsWanted, planCampaign } from './plan.ts';
import { type Schedule, isOpen } from './schedule.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const MINUTE = 60_000;
const ALWAYS: Schedule = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
const after = (ms: number) => new Date(NOW.getTime() + ms);

type Given = Partial<Pick<Inbox, 'min_gap_seconds' | 'max_gap_seconds' | 'planned_until' | 'next_send_at' | 'day_resets_at'>>;
type More = { room?: number; waiting?: number; kept?: Pace; rivals?: Pace[] };
/** What the planner looks at of an inbox. */
function sender(id: string, { room = 1_000_000, waiting = 0, kept = {}, rivals = [], ...pace }: Given & More = {}): Sender {
  const inbox = {
    id, timezone: 'UTC', min_gap_seconds: 0, max_gap_seconds: 0, planned_until: NOW, next_send_at: NOW,
    day_started_at: new Date('2026-05-01T00:00:00Z'), day_resets_at: new Date('2026-05-02T00:00:00Z'), day_count: 0, ...pace,
  } as Inbox; // prettier-ignore
  return { inbox, room, waiting, pace: kept, rivals };
}
const lead = (id: string, more: Partial<Lead> = {}): Lead => ({ id, current_step: 0, assigned_inbox_id: null, plan_due_at: NOW, ...more });
const facts = (more: Partial<Facts> = {}): Facts => ({
  now: NOW, schedule: ALWAYS, senders: [sender('a')], leads: [lead('1')], hasActive: true, hasEnrolled: true, hasDue: true, hasOpen: false,
  nextDueAt: null, lastPlannedAt: null, quotaLeft: Infinity, isEntitled: true, ...more,
}); // prettier-ignore
const brief = (of: Facts) => planCampaign(of).sends.map(({ lead: { id }, inbox, at }) => `${id} ${inbox.id} ${at.getTime() - NOW.getTime()}`);
const verdict = (more: Partial<Facts>) => {
  const { verdict: is, lookAgainAt, sends } = planCampaign(facts(more));
  assert.deepEqual(sends, []);
  return [is, lookAgainAt && lookAgainAt.getTime() - NOW.getTime()];
};

test('when nobody gets anything the plan says why, and when it is worth to look again', () => {
  const nobody = { leads: [], hasDue: false };
  assert.deepEqual(verdict({ hasActive: false }), ['complete', null]);
  assert.deepEqual(verdict({ hasActive: false, hasEnrolled: false }), ['no_active_leads', null]);
  assert.deepEqual(verdict({ schedule: { ...ALWAYS, startHour: 13 } }), ['outside_schedule', 60 * MINUTE]);
  assert.deepEqual(verdict({ ...nobody, nextDueAt: after(5_000) }), ['waiting_on_followup_delays', 5_000]);
  assert.deepEqual(verdict({ ...nobody, nextDueAt: after(9 * MINUTE), hasOpen: true }), ['sending', HORIZON_MS]);
  assert.deepEqual(verdict({ quotaLeft: 0 }), ['quota_exceeded', 15 * MINUTE]);
  assert.deepEqual(verdict({ isEntitled: false }), ['not_entitled', 15 * MINUTE]);
  assert.deepEqual(verdict({ senders: [] }), ['no_inbox_available', 5 * MINUTE]);
  assert.deepEqual(verdict({ senders: [sender('a', { next_send_at: after(2 * MINUTE) })] }), ['no_inbox_available', MINUTE]);
  assert.deepEqual(verdict({ senders: [sender('a', { room: 0 })], hasOpen: true }), ['sending', HORIZON_MS / 4]);
});

test('what lies for long is looked at ever more seldom, and an inbox that nobody who is due may use wakes nobody', () => {
  const lies = (ms: number) => ({ leads: [], hasDue: false, hasOpen: true, lastPlannedAt: after(-ms) });
  assert.deepEqual(verdict(lies(MINUTE)), ['sending', HORIZON_MS]);
  assert.deepEqual(verdict(lies(80 * MINUTE)), ['sending', 10 * MINUTE]);
  assert.deepEqual(verdict(lies(72 * 60 * MINUTE)), ['sending', 60 * MINUTE]);
  const used = [sender('a'), sender('b', { room: 0 })];
  assert.deepEqual(verdict({ senders: used, leads: [] }), ['no_inbox_available', 5 * MINUTE]);
  assert.deepEqual(verdict({ senders: [sender('b', { room: 0, day_resets_at: after(2 * MINUTE) })], leads: [] }), ['no_inbox_available', 2 * MINUTE]);
  const waits = lead('1', { current_step: 1, assigned_inbox_id: 'b' });
  const busy = sender('b', { next_send_at: after(180 * MINUTE) });
  assert.deepEqual(verdict({ senders: [sender('a'), busy], leads: [waits] }), ['no_inbox_available', 5 * MINUTE]);
  assert.deepEqual(verdict({ senders: [sender('a', { waiting: MAX_WAITING })] }), ['no_inbox_available', 5_000]);
});

test('an inbox keeps its gap from the sends before it and between its own; two inboxes share the leads', () => {
  const gap = { min_gap_seconds: 20, max_gap_seconds: 20 };
  const leads = ['1', '2', '3', '4', '5', '6', '7', '8'].map((id) => lead(id));
  const alone = [sender('a', { ...gap, planned_until: after(10_000) })];
  assert.deepEqual(brief(facts({ senders: alone, leads })), ['1 a 10000', '2 a 30000', '3 a 50000']);
  const both = [sender('b', { ...gap, next_send_at: after(5_000) }), sender('a', gap)];
  assert.deepEqual(brief(facts({ senders: both, leads })), [
    '1 a 0', '2 b 5000', '3 a 20000', '4 b 25000', '5 a 40000', '6 b 45000',
  ]); // prettier-ignore
});

test('the last slots before the window closes, the day ends or the horizon is reached are used, and none behind', () => {
  const at = (time: string) => new Date(`2026-05-01T${time}Z`);
  const leads = ['1', '2', '3', '4', '5', '6', '7', '8'].map((id) => lead(id));
  const pace = { min_gap_seconds: 15, max_gap_seconds: 15 };
  const count = (now: Date, schedule: Partial<Schedule>) =>
    brief(facts({ now, schedule: { ...ALWAYS, ...schedule }, senders: [sender('a', pace)], leads })).length;
  assert.equal(count(at('16:00:00'), { endHour: 17 }), 4);
  assert.equal(count(at('16:59:15'), { endHour: 17 }), 3);
  assert.equal(count(at('16:59:59'), { endHour: 17 }), 1);
  assert.equal(count(at('23:59:30'), {}), 2);
});

test('a lead waits for the inbox of its first mail and for no other, and leaves its place in the quota to whoever can use it', () => {
  const sticky = lead('1', { current_step: 1, assigned_inbox_id: 'b' });
  const full = [sender('a'), sender('b', { room: 0 })];
  assert.deepEqual(brief(facts({ senders: [sender('a')], leads: [sticky] })), []);
  assert.deepEqual(brief(facts({ senders: full, leads: [sticky, lead('2')] })), ['2 a 0']);
  assert.deepEqual(brief(facts({ senders: full, leads: [sticky, lead('2'), lead('3')], quotaLeft: 1 })), ['2 a 0']);
  assert.deepEqual(brief(facts({ senders: [sender('a'), sender('b')], leads: [sticky] })), ['1 b 0']);
});

const hour = fc.integer({ min: 0, max: 23 });
const schedule = fc
  .record({
    timezone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'),
    daysOfWeek: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
    startHour: hour,
    length: fc.integer({ min: 1, max: 24 }),
  })
  .map(({ length, ...rest }) => ({ ...rest, endHour: Math.min(24, rest.startHour + length) }));
const paces = fc.record({
  room: fc.integer({ min: 0, max: 12 }),
  waiting: fc.constantFrom(0, 1, MAX_WAITING - 2, MAX_WAITING, MAX_WAITING + 3),
  min: fc.integer({ min: 0, max: 30 }),
  spread: fc.integer({ min: 0, max: 30 }),
  plannedIn: fc.integer({ min: -5 * MINUTE, max: 2 * MINUTE }),
  freeIn: fc.integer({ min: -5 * MINUTE, max: 2 * MINUTE }),
  resetsIn: fc.integer({ min: 1, max: 20 * MINUTE }),
});
const world = fc
  .record({
    now: fc.date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2027-12-31T00:00:00Z'), noInvalidDate: true }),
    schedule: fc.oneof(schedule, fc.constant(ALWAYS)),
    paces: fc.array(paces, { maxLength: 4 }),
    followUps: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 }),
    fresh: fc.integer({ min: 0, max: 20 }),
    quotaLeft: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 15 })),
  })
  .map(({ now, paces: given, followUps, fresh, ...rest }): Facts => {
    const at = (ms: number) => new Date(now.getTime() + ms);
    const senders = given.map(({ room, waiting, min, spread, plannedIn, freeIn, resetsIn }, i) =>
      sender('abcd'[i]!, {
        room, waiting, min_gap_seconds: min, max_gap_seconds: min + spread,
        planned_until: at(plannedIn), next_send_at: at(freeIn), day_resets_at: at(resetsIn),
      }),
    ); // prettier-ignore
    const later = followUps.map((inbox, i) => lead(`f${i}`, { current_step: 1, assigned_inbox_id: inbox, plan_due_at: now }));
    const leads = [...later, ...Array.from({ length: fresh }, (_, i) => lead(`n${i}`, { plan_due_at: now }))];
    return { ...facts(), now, leads, hasDue: leads.length > 0, senders, ...rest };
  });

test('whatever the facts: in the window, within day, cap, quota and horizon, gaps kept, one inbox a lead, one slot a lead, follow-ups first', () => {
  let planned = 0;
  fc.assert(
    fc.property(world, (given) => {
      const { sends, plannedUntil, lookAgainAt, verdict: is } = planCampaign(given);
      planned += sends.length;
      assert.equal(is === 'sending', sends.length > 0);
      assert.ok(lookAgainAt === null || lookAgainAt > given.now);
      assert.ok(sends.length <= given.quotaLeft);
      assert.equal(new Set(sends.map((one) => one.lead.id)).size, sends.length);
      for (const {
        lead: { assigned_inbox_id: own },
        inbox,
        at,
      } of sends) {
        assert.ok(at >= given.now && at.getTime() < given.now.getTime() + HORIZON_MS && at < inbox.day_resets_at);
        assert.ok(isOpen(given.schedule, at), `${at.toISOString()} is closed`);
        assert.ok(own === null || own === inbox.id);
      }
      for (const { inbox, room, waiting } of given.senders) {
        const times = sends.filter((one) => one.inbox.id === inbox.id).map(({ at }) => at.getTime());
        assert.ok(times.length <= Math.max(0, Math.min(room, MAX_WAITING - waiting)));
        // As in a real history: the sends before, the slots one after the other, and what the next plan begins with.
        const line = [inbox.planned_until.getTime(), ...times, ...(times.length ? [plannedUntil.get(inbox.id)!.getTime()] : [])];
        for (const [i, time] of line.entries()) if (i > 1) assert.ok(time - line[i - 1]! >= inbox.min_gap_seconds * 1000);
        assert.ok((times[0] ?? Infinity) >= Math.max(inbox.planned_until.getTime(), inbox.next_send_at.getTime()));
        // Nobody who came later, and no new lead, has a slot that a follow-up of this inbox was refused.
        const refused = given.leads.filter((one) => one.assigned_inbox_id === inbox.id && !sends.some((send) => send.lead === one));
        if (refused.length && sends.length < given.quotaLeft) {
          assert.ok(sends.every((one) => one.inbox.id !== inbox.id || one.lead.assigned_inbox_id === inbox.id));
        }
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(planned > 200, `${planned} sends planned: the facts are too poor`);
});

test('to plan again gives the same plan', () => {
  fc.assert(fc.property(world, (given) => assert.deepEqual(planCampaign(given), planCampaign(structuredClone(given)))));
});

test('who is due beyond those that are wanted changes nothing of the plan', () => {
  let fewer = 0;
  fc.assert(
    fc.property(world, (given) => {
      const { known, fresh } = leadsWanted(given);
      const roomy = new Set<string | null>([null, ...given.senders.flatMap(({ inbox, room }) => (room > 0 ? inbox.id : []))]);
      const leads = given.leads.filter((one) => roomy.has(one.assigned_inbox_id));
      const seen = new Map<string | null, number>();
      const few = leads.filter(({ assigned_inbox_id: inbox }) => {
        seen.set(inbox, (seen.get(inbox) ?? 0) + 1);
        return seen.get(inbox)! <= (inbox === null ? fresh : (known.get(inbox) ?? 0));
      });
      if (few.length < leads.length) fewer++;
      assert.deepEqual(planCampaign({ ...given, leads: few }), planCampaign({ ...given, leads }));
    }),
    { numRuns: 2_000 },
  );
  assert.ok(fewer > 200, `${fewer}`);
});
