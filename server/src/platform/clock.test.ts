import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { sleep, systemClock } from './clock.ts';

const clock = systemClock();

test('sleep ends by its time, at an abort, and at once where that has come already', async () => {
  const started = clock.monotonic();
  await sleep(clock, 20);
  assert.ok(clock.monotonic() - started >= 19);
  const controller = new AbortController();
  clock.after(10, () => controller.abort());
  await sleep(clock, 60_000, controller.signal);
  await sleep(clock, 60_000, controller.signal);
  assert.ok(clock.monotonic() - started < 50_000);
});

test('sleep leaves no listener and no timer behind', async () => {
  const { signal } = new AbortController();
  for (let i = 0; i < 5; i++) await sleep(clock, 1, signal);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  let taken = 0;
  const watching = { ...clock, after: (ms: number, run: () => void) => (clock.after(ms, run), () => void taken++) };
  await sleep(watching, 1);
  assert.equal(taken, 1);
});

test('what is taken back does not run', async () => {
  let ran = false;
  clock.after(5, () => void (ran = true))();
  await sleep(clock, 20);
  assert.equal(ran, false);
});

test('a faster calendar does not speed the wall', async () => {
  const since = Date.now();
  const fast = systemClock({ speed: 1000, since });
  await sleep(fast, 30);
  assert.ok(fast.now().getTime() - since >= 29_000);
  assert.ok(fast.wall().getTime() - since < 25_000);
});
