import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { gatherer } from './gather.ts';

const clock = systemClock();

test('a call alone leaves at once; those that come meanwhile go together, in order, and each gets its own answer', async () => {
  const batches: number[][] = [];
  const add = gatherer<number, string>({
    maxBatch: 100,
    run: async (items) => {
      batches.push([...items]);
      await wait(5);
      return items.map((item) => `answer ${item}`);
    },
  });
  const first = add(0);
  await wait(1);
  const rest = Promise.all([1, 2, 3].map(add));
  assert.equal(await first, 'answer 0');
  assert.deepEqual(await rest, ['answer 1', 'answer 2', 'answer 3']);
  assert.deepEqual(batches, [[0], [1, 2, 3]]);
});

test('no batch is larger than allowed, no more than allowed run at once, nobody is left waiting', async () => {
  let running = 0;
  let most = 0;
  const sizes: number[] = [];
  const add = gatherer<number, number>({
    maxBatch: 7,
    concurrency: 3,
    clock,
    run: async (items) => {
      most = Math.max(most, ++running);
      sizes.push(items.length);
      await wait(1);
      running--;
      return items;
    },
  });
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  assert.deepEqual(await Promise.all(numbers.map(add)), numbers);
  assert.equal(most, 3);
  assert.equal(Math.max(...sizes), 7);
});

test('a batch that fails fails for its own callers only', async () => {
  let turn = 0;
  const add = gatherer<number, number>({
    maxBatch: 2,
    run: async (items) => {
      if (++turn === 1) throw new Error('broken');
      return items;
    },
  });
  const outcomes = await Promise.allSettled([1, 2, 3].map(add));
  assert.deepEqual(
    outcomes.map((one) => one.status),
    ['rejected', 'rejected', 'fulfilled'],
  );
});

test('a run that answers the wrong number of times, or throws before it awaits, is an error for all of its callers', async () => {
  const short = gatherer<number, number>({ maxBatch: 5, run: async () => [1] });
  const outcomes = await Promise.allSettled([1, 2].map(short));
  assert.deepEqual(
    outcomes.map((one) => one.status),
    ['rejected', 'rejected'],
  );
  const sudden = gatherer<number, number>({
    maxBatch: 5,
    run: () => {
      throw new Error('sudden');
    },
  });
  await assert.rejects(sudden(1), /sudden/);
  await assert.rejects(sudden(2), /sudden/);
});

test('many that wait are shared among the free lanes; few go together', async () => {
  const batches: number[][] = [];
  const run = async (items: readonly number[]) => {
    batches.push([...items]);
    await wait(1);
    return items;
  };
  const many = gatherer<number, number>({ maxBatch: 200, concurrency: 2, clock, run });
  await Promise.all(Array.from({ length: 64 }, (_, i) => many(i)));
  assert.deepEqual(batches.map((one) => one.length), [32, 32]); // prettier-ignore
  batches.length = 0;
  // The one that is left over goes with those who may begin last: a smaller batch would have to wait.
  await Promise.all(Array.from({ length: 65 }, (_, i) => many(i)));
  assert.deepEqual(batches.map((one) => one.length), [33, 32]); // prettier-ignore
  batches.length = 0;
  const few = gatherer<number, number>({ maxBatch: 200, concurrency: 2, clock, run });
  await Promise.all(Array.from({ length: 10 }, (_, i) => few(i)));
  assert.deepEqual(batches.map((one) => one.length), [10]); // prettier-ignore
});

/** Batches that end when they are told to, on a clock whose timers go off when they are told to. */
function held() {
  const under: { items: readonly number[]; end: () => void }[] = [];
  const timers = new Set<() => void>();
  const run = (items: readonly number[]) => new Promise<readonly number[]>((resolve) => under.push({ items, end: () => resolve(items) }));
  const after = (_: number, go: () => void) => {
    timers.add(go);
    return () => timers.delete(go);
  };
  const sizes = () => under.map((one) => one.items.length);
  return { under, timers, sizes, add: gatherer<number, number>({ maxBatch: 200, concurrency: 2, clock: { ...clock, after }, run }) };
}

test('a batch begins beside another when it is no smaller', async () => {
  const { under, sizes, add } = held();
  const calls = [1, 2, 3].map(add);
  await wait(0);
  calls.push(...[4, 5].map(add));
  await wait(0);
  assert.deepEqual(sizes(), [3]);
  calls.push(add(6));
  await wait(0);
  assert.deepEqual(sizes(), [3, 3]);
  // No third one, however large.
  calls.push(...[7, 8, 9, 10].map(add));
  await wait(0);
  assert.deepEqual(sizes(), [3, 3]);
  under[0]!.end();
  await wait(0);
  assert.deepEqual(sizes(), [3, 3, 4]);
  for (const one of under) one.end();
  assert.deepEqual(await Promise.all(calls), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('batches that wait for something hold up nobody, and are not without number', async () => {
  const { under, timers, sizes, add } = held();
  const calls = [1, 2, 3].map(add);
  await wait(0);
  for (let i = 4; i < 20; i++) {
    calls.push(add(i));
    await wait(0);
    for (const go of timers) go();
    await wait(0);
  }
  assert.deepEqual(sizes(), [3, 1, 1, 1, 1, 1]);
  // What has waited leaves with whoever comes next.
  under[0]!.end();
  await wait(0);
  assert.deepEqual(sizes(), [3, 1, 1, 1, 1, 1, 11]);
  for (const one of under) one.end();
  assert.equal((await Promise.all(calls)).length, 19);
});
