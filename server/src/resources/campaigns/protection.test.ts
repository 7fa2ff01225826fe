import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countUpTo, isTooMuch } from './protection.ts';

const of = (hard_bounces: number, sends_known: number) => ({ hard_bounces, sends_known });

test('above five in a hundred, and not at it; from a hundred sends on', () => {
  assert.deepEqual([of(5, 100), of(6, 100), of(6, 99), of(99, 99), of(6, 119), of(6, 120), of(50, 1_000), of(51, 1_000)].map(isTooMuch), [
    false,
    true,
    false,
    false,
    true,
    false,
    false,
    true,
  ]);
});

test('what is counted now and then judges as if everything were counted each time, and counts seldom', () => {
  const history = fc.array(fc.record({ sends: fc.integer({ min: 0, max: 40 }), bounces: fc.integer({ min: 0, max: 2 }) }), {
    minLength: 50,
    maxLength: 400,
  });
  fc.assert(
    fc.property(history, (looks) => {
      let sends = 0;
      let bounces = 0;
      let known = 0;
      let counts = 0;
      for (const look of looks) {
        sends += look.sends + look.bounces;
        bounces += look.bounces;
        const upTo = countUpTo(of(bounces, known));
        const seen = upTo === 0 ? known : Math.min(upTo, sends);
        if (upTo > 0) counts++;
        assert.equal(isTooMuch(of(bounces, seen)), isTooMuch(of(bounces, sends)), `${bounces} of ${sends}, ${seen} counted`);
        if (isTooMuch(of(bounces, seen))) return;
        known = Math.max(known, seen);
      }
      assert.ok(counts <= looks.length);
    }),
    { numRuns: 500 },
  );
});
