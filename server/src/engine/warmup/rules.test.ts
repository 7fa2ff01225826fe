import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Facts, denialOf, triesAgainAt } from './rules.ts';

const HOUR = 3_600_000;
/** A Monday morning. */
const NOW = new Date('2030-01-07T10:00:00Z');
const at = (hours: number) => new Date(NOW.getTime() + hours * HOUR);
const inbox = {
  status: 'active', warmup_enabled: true, next_send_at: NOW, daily_limit: 50, ramp_enabled: false, ramp_start: 1, ramp_end: 1, ramp_days: 1,
  ramp_started_at: NOW, timezone: 'UTC', day_started_at: at(-10), day_resets_at: at(14), day_count: 0,
} as const; // prettier-ignore
type Changes = { [K in keyof Facts]?: Facts[K] extends object ? Partial<Facts[K]> : Facts[K] };
const facts = (changes: Changes = {}): Facts => ({
  mail: { id: 'wum_1', place: 0, scheduled_at: NOW, ...changes.mail },
  inbox: { ...inbox, ...changes.inbox },
  partner: { status: 'active', warmup_enabled: true, ...changes.partner },
  spent: changes.spent ?? 0,
  limit: changes.limit ?? 10,
  waiting: changes.waiting ?? 0,
});
const said = (changes: Changes, now = NOW) => {
  const denial = denialOf(facts(changes), now);
  return denial === null ? 'leaves' : denial.kind === 'wait' ? denial.until.toISOString() : denial.because;
};

test('each gate says what becomes of a mail that it stops', () => {
  const soon = at(0.5).toISOString();
  const left = 'One of the two has left the pool.';
  const full = "The day's limit was reached.";
  assert.equal(said({}), 'leaves');
  assert.equal(said({ inbox: { status: 'over_quota_today' } }), 'leaves');
  assert.equal(said({ inbox: { warmup_enabled: false } }), left);
  assert.equal(said({ partner: { warmup_enabled: false } }), left);
  for (const status of ['revoked', 'failed'] as const) assert.equal(said({ partner: { status } }), 'Its recipient is not read any more.');
  for (const status of ['paused', 'unhealthy', 'failed', 'token_expired', 'connecting'] as const) assert.equal(said({ inbox: { status } }), soon);
  assert.equal(said({ partner: { status: 'paused' } }), soon);
  assert.equal(said({ partner: { status: 'unhealthy' } }), 'leaves');
  assert.equal(said({ spent: 10 }), full);
  assert.equal(said({ inbox: { day_count: 50 } }), full);
  assert.equal(said({ waiting: 50 }), soon);
  assert.equal(said({ waiting: 49 }), 'leaves');
  assert.equal(said({ inbox: { next_send_at: at(0.1) } }), at(0.1).toISOString());
  assert.equal(said({ mail: { scheduled_at: at(-7) } }), 'It could not leave in time.');
  assert.equal(said({ mail: { scheduled_at: at(-7), place: 1 } }), 'leaves');
  assert.equal(said({ mail: { scheduled_at: at(-73), place: 1 } }), 'It could not leave in time.');
  // An answer whose day is full waits for the next morning, and nothing leaves by night.
  assert.match(said({ mail: { place: 1 }, spent: 10 }), /^2030-01-08T0[89]:/);
  assert.match(said({}, at(-3)), /^2030-01-07T0[89]:/);
  assert.match(said({}, at(9)) + said({ mail: { place: 1 } }, at(9)), /in time\.2030-01-08T0[89]:/);
});

test('whatever else holds: nothing leaves beyond the cap, the limit, the gap or the hours, for or to somebody who left', () => {
  fc.assert(
    fc.property(
      fc.record({
        spent: fc.nat(12),
        limit: fc.nat(10),
        waiting: fc.nat(60),
        day: fc.nat(60),
        hour: fc.integer({ min: -12, max: 30 }),
        gap: fc.integer({ min: -3, max: 3 }),
      }),
      fc.record({ place: fc.nat(3), here: fc.boolean(), there: fc.boolean() }),
      ({ spent, limit, waiting, day, hour, gap }, { place, here, there }) => {
        const now = at(hour);
        const own = {
          ...inbox,
          warmup_enabled: here,
          day_count: day,
          next_send_at: new Date(now.getTime() + gap),
          day_started_at: at(-40),
          day_resets_at: at(40),
        };
        const denial = denialOf(
          facts({ mail: { place, scheduled_at: now }, inbox: own, partner: { warmup_enabled: there }, spent, limit, waiting }),
          now,
        );
        const open = here && there && spent < limit && day + waiting < 50 && gap <= 0 && now.getUTCHours() >= 8 && now.getUTCHours() < 18;
        assert.equal(denial === null, open);
        if (denial?.kind === 'wait') assert.ok(denial.until > now);
      },
    ),
  );
});

test('what broke is tried three times, each time later', () => {
  assert.deepEqual([1, 2, 3, 4].map((attempts) => triesAgainAt(attempts, NOW)), [at(0.5), at(1), null, null]); // prettier-ignore
});
