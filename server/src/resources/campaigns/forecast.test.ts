import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Inbox } from '#resources/inboxes/index.ts';
import { type ForecastFacts, type ForecastLead, forecastOf } from './forecast.ts';
import { heapOf } from './heap.ts';
import { type Schedule, isOpen } from './schedule.ts';

const NOW = new Date('2030-01-07T08:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const OFFICE: Schedule = { timezone: 'UTC', daysOfWeek: [1, 2, 3, 4, 5], startHour: 9, endHour: 17 };
const ALWAYS: Schedule = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };

const inbox = (id: string, more: Partial<Inbox> = {}): Inbox =>
  ({
    id, timezone: 'UTC', daily_limit: 10, ramp_enabled: false, ramp_start: 10, ramp_end: 10, ramp_days: 1, ramp_started_at: NOW,
    min_gap_seconds: 60, max_gap_seconds: 60, planned_until: NOW, next_send_at: NOW,
    day_started_at: new Date('2030-01-07T00:00:00Z'), day_resets_at: new Date('2030-01-08T00:00:00Z'), day_count: 0, ...more,
  }) as Inbox; // prettier-ignore
const leads = (count: number, more: Partial<ForecastLead> = {}): ForecastLead[] =>
  Array.from({ length: count }, (_, i) => ({ id: `l${String(i).padStart(4, '0')}`, step: 0, dueAt: NOW, inboxId: null, ...more }));
const told = (more: Partial<ForecastFacts>) =>
  forecastOf({ now: NOW, schedule: OFFICE, inboxes: [inbox('a')], delays: [0], leads: leads(1), ...more });
const brief = (more: Partial<ForecastFacts>) => told(more).days.map((day) => `${day.date} ${day.inboxId} ${day.newContacts}+${day.followUps}`);
const span = (more: Partial<ForecastFacts>) => {
  const { firstSendAt, completionAt } = told(more);
  return [firstSendAt?.toISOString() ?? null, completionAt?.toISOString() ?? null];
};

test('a day is as long as its window, its cap and its gaps allow; what is over goes to the next working day', () => {
  assert.deepEqual(brief({ leads: leads(23) }), ['2030-01-07 a 10+0', '2030-01-08 a 10+0', '2030-01-09 a 3+0']);
  assert.deepEqual(span({ leads: leads(23) }), ['2030-01-07T09:00:00.000Z', '2030-01-09T10:59:48.224Z']);
  const slow = inbox('a', { min_gap_seconds: 3 * 3600, max_gap_seconds: 3 * 3600 });
  assert.deepEqual(brief({ leads: leads(4), inboxes: [slow] }), ['2030-01-07 a 3+0', '2030-01-08 a 1+0']);
  const friday = { now: new Date('2030-01-11T16:59:00Z'), leads: leads(3) };
  assert.deepEqual(brief({ ...friday, inboxes: [inbox('a', { day_resets_at: new Date('2030-01-12T00:00:00Z') })] }), [
    '2030-01-11 a 1+0',
    '2030-01-14 a 2+0',
  ]);
});

test('what was used of today, what is planned and the ramp are reckoned with', () => {
  assert.deepEqual(brief({ leads: leads(12), inboxes: [inbox('a', { day_count: 7 })] }), ['2030-01-07 a 3+0', '2030-01-08 a 9+0']);
  const later = inbox('a', { planned_until: new Date('2030-01-07T12:00:00Z'), next_send_at: new Date('2030-01-07T10:00:00Z') });
  assert.deepEqual(span({ inboxes: [later] })[0], '2030-01-07T12:00:00.000Z');
  const ramp = inbox('a', { ramp_enabled: true, ramp_start: 2, ramp_end: 8, ramp_days: 3, daily_limit: 7 });
  assert.deepEqual(
    brief({ leads: leads(30), inboxes: [ramp], schedule: ALWAYS }),
    [2, 4, 6, 7, 7, 4].map((n, i) => `2030-01-${String(7 + i).padStart(2, '0')} a ${n}+0`),
  );
});

test('follow-ups go first, each from the inbox of the first mail; new leads to the inbox that is free soonest', () => {
  const atOnce = { min_gap_seconds: 0, max_gap_seconds: 0 };
  const two = { inboxes: [inbox('a', { daily_limit: 2, ...atOnce }), inbox('b', { daily_limit: 3, ...atOnce })], delays: [0, 1440] };
  assert.deepEqual(brief({ ...two, leads: leads(8) }), [
    '2030-01-07 a 2+0', '2030-01-07 b 3+0', '2030-01-08 a 0+2', '2030-01-08 b 0+3',
    '2030-01-09 a 2+0', '2030-01-09 b 1+0', '2030-01-10 a 0+2', '2030-01-10 b 0+1',
  ]); // prettier-ignore
  const sticky = { ...two, leads: [...leads(2, { step: 1, inboxId: 'b' }), ...leads(3).map((one) => ({ ...one, id: `n${one.id}` }))] };
  assert.deepEqual(brief({ ...sticky, delays: [0, 5 * 1440] }).slice(0, 2), ['2030-01-07 a 2+0', '2030-01-07 b 1+2']);
});

test('the window is that of the zone of the campaign, the day that of the inbox', () => {
  const schedule = { ...OFFICE, timezone: 'Asia/Tokyo' };
  const pacific = inbox('a', {
    timezone: 'America/Los_Angeles',
    day_started_at: new Date('2030-01-06T08:00:00Z'),
    day_resets_at: new Date('2030-01-07T08:00:00Z'),
  });
  assert.deepEqual(span({ schedule, inboxes: [pacific] })[0], '2030-01-08T00:00:00.000Z');
  assert.deepEqual(brief({ schedule, inboxes: [pacific] }), ['2030-01-07 a 1+0']);
});

test('nothing to send, nobody to send it, or more than can be told', () => {
  assert.deepEqual([brief({ leads: [] }), span({ leads: [] }), told({ leads: [] }).isCut], [[], [null, null], false]);
  assert.deepEqual([brief({ inboxes: [] }), span({ inboxes: [] }), told({ inboxes: [] }).isCut], [[], [null, null], true]);
  const stranded = { leads: [...leads(1), ...leads(1, { id: 'x', inboxId: 'gone', step: 1 })], delays: [0, 0] };
  assert.deepEqual([told(stranded).isCut, told(stranded).completionAt, brief(stranded)], [true, null, ['2030-01-07 a 1+1']]);
  const ages = told({ leads: leads(3000), inboxes: [inbox('a', { daily_limit: 1 })], schedule: ALWAYS });
  assert.deepEqual([ages.isCut, ages.completionAt, ages.days.length], [true, null, 401]);
  assert.equal(told({ leads: leads(60), inboxes: [inbox('a', { daily_limit: 1 })], schedule: ALWAYS }).thisMonth, 25);
});

const schedules = fc.record({
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'),
  daysOfWeek: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
  startHour: fc.integer({ min: 0, max: 12 }),
  endHour: fc.integer({ min: 13, max: 24 }),
});
const inboxes = fc.array(
  fc.record({
    limit: fc.integer({ min: 1, max: 9 }),
    gap: fc.integer({ min: 0, max: 4000 }),
    timezone: fc.constantFrom('UTC', 'Australia/Lord_Howe'),
  }),
  { minLength: 1, maxLength: 3 },
);

test('whatever the facts: everything is sent once, within windows and caps, no sooner than it may', () => {
  const start = new Date('2030-03-28T05:00:00Z');
  fc.assert(
    fc.property(
      schedules,
      inboxes,
      fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 4 }),
      fc.nat(10),
      (schedule, senders, delays, count) => {
        const rows = senders.map(({ limit, gap, timezone }, i) =>
        inbox(`inb${i}`, {
          daily_limit: limit, min_gap_seconds: gap, max_gap_seconds: gap * 2, timezone, planned_until: start, next_send_at: start,
          day_started_at: start, day_resets_at: start,
        }),
      ); // prettier-ignore
        const facts = { now: start, schedule, inboxes: rows, delays, leads: leads(count, { dueAt: start }) };
        const forecast = forecastOf(facts);
        assert.equal(forecast.isCut, false);
        assert.equal(forecast.days.reduce((sum, day) => sum + day.sends, 0), count * delays.length); // prettier-ignore
        assert.equal(forecast.days.reduce((sum, day) => sum + day.newContacts, 0), count); // prettier-ignore
        for (const day of forecast.days) {
          const { daily_limit: limit, min_gap_seconds: gap } = rows.find((one) => one.id === day.inboxId)!;
          assert.ok(day.sends <= limit && day.sends === day.newContacts + day.followUps && day.room === limit);
          assert.ok(isOpen(schedule, day.firstSendAt) && isOpen(schedule, day.lastSendAt) && day.firstSendAt >= start);
          assert.ok(day.lastSendAt.getTime() - day.firstSendAt.getTime() >= (day.sends - 1) * gap * 1000);
        }
        if (count === 0) return;
        const waits = delays.slice(1).reduce((sum, minutes) => sum + minutes * MINUTE, 0);
        assert.ok(forecast.completionAt!.getTime() - forecast.firstSendAt!.getTime() >= waits);
        assert.deepEqual(forecastOf(structuredClone(facts)), forecast);
      },
    ),
    { numRuns: 60 },
  );
});

test('a heap gives back what it was given, the least first', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const heap = heapOf<number>((a, b) => a < b);
      for (const one of numbers) heap.push(one);
      assert.equal(heap.first(), numbers.length ? Math.min(...numbers) : undefined);
      const out = Array.from({ length: heap.size }, () => heap.pop());
      assert.deepEqual([out, heap.pop()], [numbers.toSorted((a, b) => a - b), undefined]);
    }),
  );
});

test('a hundred thousand contacts of three steps are told', () => {
  const many = Array.from({ length: 40 }, (_, i) => inbox(`i${i}`, { daily_limit: 200, min_gap_seconds: 60, max_gap_seconds: 120 }));
  const forecast = told({ leads: leads(100_000), inboxes: many, delays: [0, 3 * 1440, 4 * 1440] });
  assert.equal(forecast.days.reduce((sum, day) => sum + day.sends, 0), 300_000); // prettier-ignore
  assert.ok(forecast.completionAt!.getTime() - NOW.getTime() > 37 * DAY);
});
