// The seeds of `npm test`, shared out over a few files, since files run side by side.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Ground, openGround } from './ground.ts';
import { breachesOf } from './oracles/index.ts';
import { play } from './play.ts';
import type { Story } from './story.ts';
import { reportOf, traceOf } from './trace.ts';

/** So many in one test: each has a deadline of its own. */
const A_TEST = 5;
const LEAST = { operations: 200, days: 30 };
const DAY = 86_400_000;

/** So many are lived a second time. */
const AGAIN = 3;

/**
 * Tests that these seeds hold, and that the first of them tell the same story when they are lived again. In test mode what happens at one instant
 * has no order of its own: they are lived once.
 */
export function liveSeeds(from: number, until: number, mode: Story['mode'] = 'live'): void {
  let ground: Ground;
  const traces: string[][] = [];
  before(async () => void (ground = await openGround()));
  after(() => ground.close());

  for (let first = from; first < until; first += A_TEST) {
    const end = Math.min(first + A_TEST, until);
    test(`seeds ${first} to ${end - 1} hold, ${mode}`, async () => {
      for (let seed = first; seed < end; seed++) {
        const story = await play(ground, seed, mode);
        if (mode === 'live' && traces.length < AGAIN) traces.push(traceOf(story));
        const breaches = breachesOf(story);
        assert.equal(breaches.length, 0, reportOf(story, breaches));
        assert.ok(story.operations >= LEAST.operations, `seed ${seed} has ${story.operations} operations`);
        assert.ok(story.until - story.from >= LEAST.days * DAY, `seed ${seed} is short of ${LEAST.days} days`);
      }
    });
  }

  if (mode === 'test') return;
  test(`seeds ${from} to ${from + AGAIN - 1} tell the same story again`, async () => {
    for (const [i, trace] of traces.entries()) assert.deepEqual(traceOf(await play(ground, from + i)), trace);
  });
}
