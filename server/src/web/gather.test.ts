import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { gathererByGroup } from './gather.ts';

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

test('calls of one tick go together; those that come during a run wait for the next, at most maxBatch at a time', async () => {
  const runs: number[][] = [];
  const ends: (() => void)[] = [];
  const add = gathererByGroup<number, number>({
    maxBatch: 3,
    concurrency: 1,
    groupOf: () => '',
    run: async (items) => {
      runs.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return items.map((item) => item * 2);
    },
  });
  const first = [add(1), add(2)];
  await tick();
  const later = [3, 4, 5, 6].map(add);
  await tick();
  assert.deepEqual(runs, [[1, 2]]);
  for (let i = 0; i < 3; i++) {
    ends[i]!();
    await tick();
  }
  assert.deepEqual(runs, [[1, 2], [3, 4, 5], [6]]);
  assert.deepEqual(await Promise.all([...first, ...later]), [2, 4, 6, 8, 10, 12]);
});

test('every caller gets the result of its own item, whatever the groups, sizes and faults', async () => {
  const items = fc.array(fc.record({ group: fc.constantFrom('a', 'b'), value: fc.nat(20), wait: fc.boolean() }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(items, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), async (given, maxBatch, concurrency) => {
      const running = new Map<string, number>();
      const add = gathererByGroup<{ group: string; value: number }, number>({
        maxBatch,
        concurrency,
        groupOf: ({ group }) => group,
        run: async (batch) => {
          const group = batch[0]!.group;
          running.set(group, (running.get(group) ?? 0) + 1);
          assert.ok(batch.length <= maxBatch && running.get(group)! <= concurrency && batch.every((one) => one.group === group));
          await tick();
          running.set(group, running.get(group)! - 1);
          if (batch.some((one) => one.value === 13)) throw new Error('all');
          return batch.map(({ value }) => (value === 7 ? new Error('one') : value));
        },
      });
      const calls: Promise<unknown>[] = [];
      for (const one of given) {
        const fails = (error: Error) => assert.ok(error.message === 'all' || one.value === 7);
        calls.push(add(one).then((value) => assert.equal(value, one.value), fails)); // prettier-ignore
        if (one.wait) await tick();
      }
      await Promise.all(calls);
    }),
    { numRuns: 50 },
  );
});
