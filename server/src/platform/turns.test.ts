import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineTooLong, turns } from './turns.ts';

test('never more of one name, nor altogether, than allowed; everybody has a turn, also after failures', async () => {
  const job = fc.record({ name: fc.constantFrom('a', 'b', 'c'), steps: fc.integer({ min: 0, max: 5 }), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 30 }), async (jobs) => {
      const turn = turns({ each: 2, all: 3, line: 100 });
      const running = new Map<string, number>();
      let done = 0;
      const results = await Promise.allSettled(
        jobs.map(({ name, steps, fails }) =>
          turn(name, async () => {
            running.set(name, (running.get(name) ?? 0) + 1);
            assert.ok(running.get(name)! <= 2);
            assert.ok([...running.values()].reduce((sum, one) => sum + one, 0) <= 3);
            for (let i = 0; i < steps; i++) await Promise.resolve();
            running.set(name, running.get(name)! - 1);
            done++;
            if (fails) throw new Error('no');
          }),
        ),
      );
      assert.equal(done, jobs.length);
      assert.deepEqual(results.map((one) => one.status === 'rejected'), jobs.map((one) => one.fails)); // prettier-ignore
    }),
    { numRuns: 50 },
  );
});

test('a line that is full turns away, for its name only', async () => {
  const turn = turns({ each: 1, all: 2, line: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = turn('a', () => promise);
  const second = turn('a', async () => 'second');
  await assert.rejects(
    turn('a', async () => 'third'),
    LineTooLong,
  );
  assert.equal(await turn('b', async () => 'other'), 'other');
  resolve();
  assert.deepEqual([await first, await second, await turn('a', async () => 'fourth')], [undefined, 'second', 'fourth']);
});
