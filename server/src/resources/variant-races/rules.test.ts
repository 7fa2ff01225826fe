import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Arm, isRacing, winnerOf } from './rules.ts';

const arms = fc
  .array(fc.record({ sent: fc.integer({ min: 0, max: 300 }), hits: fc.integer({ min: 0, max: 300 }) }), { maxLength: 4 })
  .map((all) => all.map(({ sent, hits }, i): Arm => ({ id: `v${i}`, sent, hits: Math.min(sent, hits) })));
const rate = ({ sent, hits }: Arm) => hits / sent;

test('a winner has had its mails like everybody, and a rate above every other', () => {
  let found = 0;
  fc.assert(
    fc.property(arms, fc.integer({ min: 1, max: 20 }), (all, least) => {
      const winner = winnerOf(all, least);
      const best = all.filter((arm) => all.every((other) => other === arm || rate(arm) > rate(other)));
      const isDue = all.length > 1 && all.every((arm) => arm.sent >= least);
      assert.equal(winner, isDue && best.length === 1 ? best[0]!.id : null);
      if (winner !== null) found++;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(found > 100, `${found}`);
});

test('the order of the texts and their names decide nothing', () => {
  fc.assert(
    fc.property(arms, fc.integer({ min: 1, max: 50 }), (all, least) => {
      assert.equal(winnerOf(all.toReversed(), least), winnerOf(all, least));
      const renamed = winnerOf(all.map((arm) => ({ ...arm, id: `${arm.id}x` })), least); // prettier-ignore
      assert.equal(renamed, winnerOf(all, least) === null ? null : `${winnerOf(all, least)}x`);
    }),
  );
});

test('one answer more for the winner does not cost it the race, one mail too few of anybody holds it up', () => {
  fc.assert(
    fc.property(arms, fc.integer({ min: 1, max: 50 }), (all, least) => {
      const winner = winnerOf(all, least);
      if (winner === null) return;
      const more = all.map((arm) => (arm.id === winner && arm.hits < arm.sent ? { ...arm, hits: arm.hits + 1 } : arm));
      assert.equal(winnerOf(more, least), winner);
      for (const one of all) {
        const short = all.map((arm) => (arm === one ? { ...arm, sent: least - 1 } : arm));
        assert.equal(winnerOf(short, least), null);
      }
    }),
  );
});

test('level is level, however large the numbers; nobody races alone', () => {
  const arm = (id: string, sent: number, hits: number) => ({ id, sent, hits });
  assert.equal(winnerOf([arm('a', 300, 100), arm('b', 900, 300)], 100), null);
  assert.equal(winnerOf([arm('a', 100, 0), arm('b', 100, 0)], 100), null);
  assert.equal(winnerOf([arm('a', 100, 3), arm('b', 100, 3), arm('c', 100, 2)], 100), null);
  assert.equal(winnerOf([arm('a', 999_999, 333_334), arm('b', 300, 100)], 100), 'a');
  assert.equal(winnerOf([arm('a', 100, 50)], 100), null);
});

test('a race is open with variants and the wish for a winner, until there is one', () => {
  const wish = { metric: 'reply', min_sends: 1 } as const;
  const open = { variants: [{}], winning_variant_id: null, auto_winner: wish };
  assert.deepEqual([open, { ...open, variants: null }, { ...open, winning_variant_id: 'x' }, { ...open, auto_winner: null }].map(isRacing), [
    true,
    false,
    false,
    false,
  ]);
});
