import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { REST_MS, healthAfter, scoreOf, tierOf } from './health.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const FINE = { hard_bounces: 0, complaints: 0, failures: 0, auth_errors: 0 };

test('the formula, at its borders', () => {
  const score = (sends: number, troubles: object = {}) => scoreOf(sends, { ...FINE, ...troubles });
  assert.deepEqual([score(19), score(20), score(5, { hard_bounces: 15, failures: 5 })], [null, 100, 0]);
  assert.deepEqual(
    [score(100, { hard_bounces: 2 }), score(100, { hard_bounces: 3 }), score(100, { hard_bounces: 5 }), score(100, { hard_bounces: 6 })],
    [80, 70, 50, 40],
  );
  assert.deepEqual([score(1_000, { complaints: 1 }), score(1_000, { complaints: 6 }), score(20, { complaints: 1 })], [90, 40, 50]);
  assert.deepEqual([score(100, { failures: 10 }), score(100, { auth_errors: 3 }), score(100, { auth_errors: 50 })], [80, 85, 70]);
  assert.deepEqual([null, 100, 80, 79, 50, 49, 0].map(tierOf), ['good', 'good', 'good', 'degraded', 'degraded', 'paused', 'paused']);
});

test('a score lies between 0 and 100, and more trouble never makes it better', () => {
  const troubles = fc.record({ hard_bounces: fc.nat(300), complaints: fc.nat(30), failures: fc.nat(300), auth_errors: fc.nat(20) });
  fc.assert(
    fc.property(fc.nat(3_000), troubles, fc.constantFrom('complaints', 'auth_errors', 'hard_bounces', 'failures'), (sends, before, kind) => {
      const score = scoreOf(sends, before);
      const worse = scoreOf(sends, { ...before, [kind]: before[kind] + 1 });
      assert.ok(score === null || (score >= 0 && score <= 100 && Number.isInteger(score)));
      // Where there are more troubles than mails that left, one more of them makes the others a smaller part.
      if (score !== null && sends > before.hard_bounces + before.failures) assert.ok(worse! <= score, `${score} ${worse}`);
    }),
  );
});

test('an inbox below 50 rests for a day at least, and until its score is better; nobody else is made active', () => {
  const inbox = (more: object) => ({ status: 'active' as const, status_reason: null, health_tier: 'good' as const, rests_until: null, ...more });
  const rested = healthAfter(inbox({}), 40, NOW);
  assert.deepEqual([rested.status, rested.health_tier, rested.rests_until?.getTime()], ['unhealthy', 'paused', NOW.getTime() + REST_MS]);
  const after = (ms: number, score: number | null) => healthAfter(rested, score, new Date(NOW.getTime() + ms)).status;
  assert.deepEqual(
    [after(REST_MS - 1, 90), after(REST_MS, 49), after(REST_MS, 50), after(REST_MS, null)],
    ['unhealthy', 'unhealthy', 'active', 'active'],
  );
  for (const status of ['paused', 'failed', 'revoked', 'token_expired', 'connecting'] as const) {
    for (const score of [0, 60, 100, null]) assert.equal(healthAfter(inbox({ status }), score, NOW).status, status);
  }
  assert.equal(healthAfter(inbox({ status: 'over_quota_today' }), 10, NOW).status, 'unhealthy');
  assert.equal(healthAfter(inbox({}), 60, NOW).status, 'active');
});
