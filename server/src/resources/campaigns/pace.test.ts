import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Inbox } from '#resources/inboxes/index.ts';
import { type Paces, mustYield } from './pace.ts';
import { type Lead, planCampaign } from './plan.ts';
import type { Schedule } from './schedule.ts';

const START = Date.parse('2026-05-04T09:00:00Z');
const MINUTE = 60_000;
const HOURS: Schedule = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 9, endHour: 17 };
const GAP = { min_gap_seconds: 60, max_gap_seconds: 120 };

type Town = { inboxes: number; cap: number; campaigns: readonly number[]; gap?: Partial<Inbox>; followUps?: boolean };
type Sent = { campaign: number; inbox: string; at: number };

/** A day of planning on paper: campaigns with so many due leads each share all inboxes, and each look is taken when the last one asked for it. */
function dayOf({ inboxes, cap, campaigns, gap = GAP, followUps = false }: Town): Sent[] {
  const all = Array.from({ length: inboxes }, (_, i) => ({
    id: `inb_${i}`, timezone: 'UTC', ...gap, planned_until: new Date(0), next_send_at: new Date(0), day_started_at: new Date('2026-05-04T00:00:00Z'),
    day_resets_at: new Date('2026-05-05T00:00:00Z'), day_count: 0,
  })) as Inbox[]; // prettier-ignore
  const used = new Map<string, number>();
  const crowd = campaigns.map((count, nth) => ({
    look: START,
    pace: {} as Paces,
    leads: Array.from({ length: count }, (_, i): Lead => {
      const inbox = followUps ? `inb_${i % inboxes}` : null;
      return { id: `${nth}-${i}`, current_step: followUps ? 1 : 0, assigned_inbox_id: inbox, plan_due_at: new Date(START) };
    }),
  }));
  const sent: Sent[] = [];
  for (;;) {
    const nth = crowd.reduce((best, one, i) => (one.look < crowd[best]!.look ? i : best), 0);
    const mine = crowd[nth]!;
    const now = new Date(mine.look);
    if (mine.look >= START + 8 * 60 * MINUTE) return sent.sort((a, b) => a.at - b.at);
    const plan = planCampaign({
      now, schedule: HOURS, leads: mine.leads.slice(0, gap.max_gap_seconds === 0 ? 1_000 : 20), hasActive: true, hasEnrolled: true,
      hasDue: mine.leads.length > 0, hasOpen: true,
      nextDueAt: null, lastPlannedAt: null, quotaLeft: Infinity, isEntitled: true,
      senders: all.map((inbox) => ({
        inbox, room: cap - (used.get(inbox.id) ?? 0), waiting: 0, pace: mine.pace[inbox.id] ?? {},
        rivals: crowd.flatMap((one) => (one === mine ? [] : (one.pace[inbox.id] ?? []))),
      })),
    }); // prettier-ignore
    mine.pace = { ...mine.pace, ...plan.paces };
    for (const { inbox, at, lead } of plan.sends) {
      sent.push({ campaign: nth, inbox: inbox.id, at: at.getTime() - START });
      used.set(inbox.id, (used.get(inbox.id) ?? 0) + 1);
      mine.leads.splice(mine.leads.indexOf(lead), 1);
    }
    for (const inbox of all) inbox.planned_until = plan.plannedUntil.get(inbox.id) ?? inbox.planned_until;
    mine.look = Math.max(mine.look + 1_000, plan.lookAgainAt?.getTime() ?? Infinity);
  }
}

test('new leads are spread over the window: the cap is used up, but neither at once nor by noon', () => {
  for (const cap of [8, 50, 200]) {
    const sent = dayOf({ inboxes: 1, cap, campaigns: [400] });
    assert.equal(sent.length, cap);
    const hours = Array.from({ length: 8 }, (_, hour) => sent.filter(({ at }) => Math.floor(at / (60 * MINUTE)) === hour).length);
    // Each hour has about an eighth: no burst when the window opens, and something is left for its last hours.
    for (const count of hours) assert.ok(count <= cap / 4 + 1, `${cap}: ${hours.join(' ')}`);
    assert.ok(hours.slice(4).reduce((sum, one) => sum + one, 0) >= cap * 0.35, `${cap}: ${hours.join(' ')}`);
  }
});

test('an inbox without gaps is not held back', () => {
  const sent = dayOf({ inboxes: 1, cap: 90, campaigns: [400], gap: { min_gap_seconds: 0, max_gap_seconds: 0 } });
  assert.equal(sent.length, 90);
  assert.ok(sent.every(({ at }) => at < 2 * MINUTE));
});

test('campaigns that share an inbox have equal parts of it, whoever comes first, as long as they have somebody due', () => {
  const share = fc.record({ inboxes: fc.integer({ min: 1, max: 3 }), campaigns: fc.integer({ min: 2, max: 3 }), followUps: fc.boolean() });
  fc.assert(
    fc.property(share, ({ inboxes, campaigns, followUps }) => {
      // Follow-ups want all that the gap gives; new leads run into the cap.
      const cap = followUps ? 1_000 : 60;
      const sent = dayOf({ inboxes, cap, campaigns: Array.from({ length: campaigns }, () => 600), followUps });
      const parts = Array.from({ length: campaigns }, (_, nth) => sent.filter((one) => one.campaign === nth).length);
      const fair = sent.length / campaigns;
      for (const part of parts) assert.ok(Math.abs(part - fair) <= Math.max(3, fair * 0.15), `${followUps}: ${parts.join(' ')}`);
    }),
    { numRuns: 6 },
  );
});

test('a small campaign gets through beside a large one, and what it leaves is used by the other', () => {
  const sent = dayOf({ inboxes: 1, cap: 1_000, campaigns: [900, 20], followUps: true });
  const small = sent.filter((one) => one.campaign === 1);
  assert.equal(small.length, 20);
  assert.ok(small.at(-1)!.at < 80 * MINUTE, `${small.at(-1)!.at / MINUTE} min`);
  assert.ok(sent.length > 250, `${sent.length}`);
});

test('a turn goes to whoever has waited longer, and is lost by those of whom nothing is heard', () => {
  const inbox = { max_gap_seconds: 120 } as Inbox;
  const now = new Date(START);
  const yields = (mine: number, rival: object) => mustYield({ inbox, pace: { at: mine }, rivals: [rival] }, now);
  assert.equal(yields(10, { wants: START - MINUTE, at: 5 }), true);
  assert.equal(yields(10, { wants: START - MINUTE }), true);
  assert.equal(yields(10, { wants: START - MINUTE, at: 10 }), false);
  assert.equal(yields(10, { at: 5 }), false);
  assert.equal(yields(10, { wants: START - 6 * MINUTE, at: 5 }), true);
  assert.equal(yields(10, { wants: START - 6 * MINUTE - 1, at: 5 }), false);
});
