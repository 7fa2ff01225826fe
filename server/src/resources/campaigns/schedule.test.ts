import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Schedule, isOpen, nextClosing, nextOpening } from './schedule.ts';

const on = (change: Partial<Schedule> = {}): Schedule => ({ timezone: 'UTC', daysOfWeek: [1, 2, 3, 4, 5], startHour: 9, endHour: 17, ...change });
const at = (text: string) => new Date(text);
const opening = (schedule: Schedule, from: string) => nextOpening(schedule, at(from)).toISOString().slice(0, 16);
const closing = (schedule: Schedule, from: string) => nextClosing(schedule, at(from)).toISOString().slice(0, 16);

test('the window is the wall clock of its zone, its end exclusive', () => {
  const friday = '2026-05-01T';
  assert.deepEqual(
    ['08:59:59.999', '09:00', '16:59:59.999', '17:00'].map((time) => isOpen(on(), at(`${friday}${time}Z`))),
    [false, true, true, false],
  );
  assert.equal(opening(on(), '2026-05-01T17:00:00Z'), '2026-05-04T09:00');
  assert.equal(opening(on({ daysOfWeek: [0] }), '2026-05-03T18:00:00Z'), '2026-05-10T09:00');
  assert.equal(opening(on({ timezone: 'Asia/Kathmandu' }), '2026-05-01T00:00:00Z'), '2026-05-01T03:15');
  assert.equal(closing(on({ endHour: 24 }), '2026-05-01T12:00:00Z'), '2026-05-02T00:00');
  assert.equal(nextOpening(on(), at('2026-05-01T12:34:56.789Z')).toISOString(), '2026-05-01T12:34:56.789Z');
});

test('where clocks change the window moves with them; one that is swallowed waits for the next', () => {
  const york = (change: Partial<Schedule>) => on({ timezone: 'America/New_York', daysOfWeek: [0], ...change });
  // 8 March 2026, 02:00 becomes 03:00.
  assert.equal(opening(york({}), '2026-03-01T23:00:00Z'), '2026-03-08T13:00');
  assert.equal(opening(york({ startHour: 2, endHour: 3 }), '2026-03-07T00:00:00Z'), '2026-03-15T06:00');
  assert.equal(opening(york({ startHour: 2, endHour: 4 }), '2026-03-07T00:00:00Z'), '2026-03-08T07:00');
  assert.equal(closing(york({ startHour: 0, endHour: 2 }), '2026-03-08T05:30:00Z'), '2026-03-08T07:00');
  // 1 November 2026, 02:00 becomes 01:00: the hour comes twice, and is open twice.
  const twice = york({ startHour: 1, endHour: 2 });
  assert.deepEqual(
    ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'].map((text) => isOpen(twice, at(text))),
    [true, true],
  );
  assert.equal(closing(twice, '2026-11-01T05:30:00Z'), '2026-11-01T07:00');
});

const zones = [
  'UTC',
  'America/New_York',
  'Europe/London',
  'Australia/Lord_Howe',
  'America/Santiago',
  'America/Havana',
  'Antarctica/Troll',
  'Asia/Kathmandu',
];
const schedules = fc
  .record({
    timezone: fc.constantFrom(...zones),
    daysOfWeek: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
    startHour: fc.integer({ min: 0, max: 23 }),
    length: fc.integer({ min: 1, max: 24 }),
  })
  .map(({ length, ...rest }) => ({ ...rest, endHour: Math.min(24, rest.startHour + length) }));
const instants = fc.date({ min: at('2026-01-01T00:00:00Z'), max: at('2027-12-31T00:00:00Z'), noInvalidDate: true });
const QUARTER = 15 * 60_000;

test('from any instant the next opening is open and nothing before it; until the closing it stays so', () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, from) => {
      const open = nextOpening(schedule, from);
      assert.ok(open >= from && isOpen(schedule, open));
      if (open > from) assert.equal(isOpen(schedule, new Date(open.getTime() - 1)), false);
      // Every quarter of an hour, because no zone of today changes its clocks by less than two of them.
      for (let time = from.getTime(); time < open.getTime(); time += QUARTER) assert.equal(isOpen(schedule, new Date(time)), false);
      const closed = nextClosing(schedule, open);
      assert.ok(closed > open);
      for (let time = open.getTime(); time < closed.getTime(); time += QUARTER) assert.ok(isOpen(schedule, new Date(time)));
      const meetsNext = schedule.startHour === 0 && schedule.endHour === 24;
      if (!meetsNext) assert.equal(isOpen(schedule, closed), false);
    }),
    { numRuns: 150 },
  );
});
