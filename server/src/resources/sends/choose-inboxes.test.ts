import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Candidate, shareOut } from './choose-inboxes.ts';

const candidate = (last_turn: number, i: number) =>
  fc.record({ id: fc.constant(`inb_${i}`), left: fc.integer({ min: -3, max: 40 }), last_turn: fc.constant(last_turn) });
const inboxes = fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 8 }).chain((turns) => fc.tuple(...turns.map(candidate)));
const counted = (ids: readonly string[], candidates: readonly Candidate[]) => candidates.map((one) => ids.filter((id) => id === one.id).length);

test('rotation gives everybody the same number of turns, give or take one, and goes on where it stopped', () => {
  fc.assert(
    fc.property(inboxes, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 }), (candidates, calls) => {
      let now: readonly Candidate[] = candidates;
      const all: string[] = [];
      for (const count of calls) {
        const { ids, after } = shareOut('rotate', now, count);
        all.push(...ids);
        now = after;
      }
      const turns = counted(all, candidates);
      assert.ok(Math.max(...turns) - Math.min(...turns) <= 1, String(turns));
      const first = candidates.toSorted((a, b) => a.last_turn - b.last_turn)[0]!;
      assert.equal(all[0], first.id);
    }),
  );
});

test('the least busy gets the next one, so that what is left evens out', () => {
  fc.assert(
    fc.property(inboxes, fc.integer({ min: 1, max: 60 }), (candidates, count) => {
      const { ids, after } = shareOut('least_busy', candidates, count);
      const taken = counted(ids, candidates);
      for (const [i, one] of candidates.entries()) assert.equal(after[i]!.left, one.left - taken[i]!);
      const used = after.filter((_, i) => taken[i]! > 0);
      // Nobody who has given has less left than another has, but for the last one given.
      for (const one of used) assert.ok(one.left >= Math.max(...after.map((other) => other.left)) - 1);
    }),
  );
});

test('of equals the one that waits the longest is next, then the first by id', () => {
  const even = ['b', 'a', 'c'].map((id) => ({ id, left: 5, last_turn: 0 }));
  assert.deepEqual(shareOut('least_busy', even, 4).ids, ['a', 'b', 'c', 'a']);
  assert.deepEqual(shareOut('rotate', even, 4).ids, ['a', 'b', 'c', 'a']);
});
