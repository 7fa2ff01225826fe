import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { capLeft, dayAt, effectiveDailyLimit, lastMidnight, nextMidnight, resetAfterZoneChange, standingAfter } from './rules.ts';

const HOUR = 3_600_000;
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Australia/Lord_Howe',
  'America/Havana',
);
const instant = fc.date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2029-01-01T00:00:00Z'), noInvalidDate: true });

const at = (text: string) => new Date(text);

test('a day is a local day, 23 or 25 hours long where clocks change, also where midnight itself is skipped', () => {
  const berlin = (text: string) => (nextMidnight(at(text), 'Europe/Berlin').getTime() - lastMidnight(at(text), 'Europe/Berlin').getTime()) / HOUR;
  assert.deepEqual([berlin('2026-03-29T12:00:00Z'), berlin('2026-10-25T12:00:00Z'), berlin('2026-07-01T12:00:00Z')], [23, 25, 24]);
  // On 8 March 2026 Havana goes from 23:59:59 on the 7th to 01:00.
  assert.equal(nextMidnight(at('2026-03-07T12:00:00Z'), 'America/Havana').toISOString(), '2026-03-08T05:00:00.000Z');
  fc.assert(
    fc.property(instant, zone, (now, timezone) => {
      const [before, next] = [lastMidnight(now, timezone), nextMidnight(now, timezone)];
      assert.ok(before <= now && now < next);
      assert.deepEqual(lastMidnight(new Date(next.getTime() - 1), timezone), before);
      assert.deepEqual(lastMidnight(next, timezone), next);
    }),
  );
});

const ramp = {
  daily_limit: 50,
  ramp_enabled: true,
  ramp_start: 10,
  ramp_end: 50,
  ramp_days: 14,
  ramp_started_at: at('2026-05-01T22:30:00Z'),
  timezone: 'UTC',
};

test('the ramp climbs by the local day, to the limit and no further', () => {
  const on = (text: string, change = {}) => effectiveDailyLimit({ ...ramp, ...change }, at(text));
  const days = ['2026-05-01T23:59:59Z', '2026-05-02T00:00:00Z', '2026-05-08T12:00:00Z', '2026-05-15T00:00:00Z', '2027-01-01T00:00:00Z'];
  assert.deepEqual(
    days.map((text) => on(text)),
    [10, 13, 30, 50, 50],
  );
  assert.equal(on('2026-05-01T23:59:59Z', { timezone: 'Europe/Berlin' }), 10);
  assert.equal(on('2026-05-02T22:00:00Z', { timezone: 'Europe/Berlin' }), 13);
  assert.equal(on('2026-04-01T00:00:00Z'), 10);
  assert.deepEqual([on('2027-01-01T00:00:00Z', { daily_limit: 20 }), on('2026-05-01T23:00:00Z', { ramp_enabled: false })], [20, 50]);
});

test('what a day has used comes back at its reset, not before', () => {
  const inbox = {
    ...ramp,
    ramp_enabled: false,
    day_started_at: at('2026-05-01T00:00:00Z'),
    day_resets_at: at('2026-05-02T00:00:00Z'),
    day_count: 50,
  };
  assert.equal(capLeft(inbox, at('2026-05-01T23:59:59.999Z')), 0);
  assert.equal(capLeft(inbox, at('2026-05-02T00:00:00Z')), 50);
  assert.equal(capLeft({ ...inbox, day_count: 60 }, at('2026-05-01T12:00:00Z')), 0);
  assert.equal(dayAt(inbox, at('2026-05-09T12:00:00Z')).day_started_at.toISOString(), '2026-05-09T00:00:00.000Z');
});

test('however often the zone changes, a day is neither bought nor lost', () => {
  const flips = fc.array(fc.tuple(zone, fc.integer({ min: 0, max: 20 * HOUR })), { maxLength: 30 });
  fc.assert(
    fc.property(instant, zone, flips, (start, first, changes) => {
      let inbox = { timezone: first, day_started_at: lastMidnight(start, first), day_resets_at: nextMidnight(start, first), day_count: 7 };
      let now = start;
      for (const [timezone, wait] of changes) {
        now = new Date(now.getTime() + wait);
        const before = inbox;
        inbox = { timezone, ...resetAfterZoneChange(inbox, timezone, now) };
        const isNew = inbox.day_count === 0;
        assert.equal(isNew, now >= before.day_resets_at);
        if (isNew) assert.ok(inbox.day_started_at.getTime() - before.day_started_at.getTime() >= 23 * HOUR);
        const length = inbox.day_resets_at.getTime() - inbox.day_started_at.getTime();
        assert.ok(length >= 24 * HOUR && length <= 50 * HOUR, `${length / HOUR} h`);
        assert.deepEqual(lastMidnight(inbox.day_resets_at, timezone), inbox.day_resets_at);
        inbox.day_count = 7;
      }
    }),
  );
});

test('an inbox is done for the day exactly when its cap is used up, and what was put off comes back exactly when there is room again', () => {
  const now = at('2026-06-01T12:00:00Z');
  const state = fc.constantFrom('active' as const, 'over_quota_today' as const, 'paused' as const, 'failed' as const);
  const inbox = (status: 'active' | 'over_quota_today' | 'paused' | 'failed', limit: number, count: number) => ({
    ...ramp,
    ramp_enabled: false,
    status,
    status_reason: 'Said before.',
    daily_limit: limit,
    day_started_at: at('2026-06-01T00:00:00Z'),
    day_resets_at: at('2026-06-02T00:00:00Z'),
    day_count: count,
  });
  const few = fc.integer({ min: 1, max: 5 });
  fc.assert(
    fc.property(state, few, few, fc.integer({ min: 0, max: 6 }), (status, before, after, count) => {
      const { status: got, status_reason: reason, recalls } = standingAfter(inbox(status, before, count), inbox(status, after, count), now);
      const room = count < after;
      assert.equal(recalls, room && count >= before);
      if (status === 'paused' || status === 'failed') assert.deepEqual([got, reason], [status, 'Said before.']);
      else assert.equal(got, room ? 'active' : 'over_quota_today');
      if (got === status) assert.equal(reason, 'Said before.');
    }),
  );
});
