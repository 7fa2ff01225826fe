import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from './clock.ts';
import { inTime } from './deadline.ts';

test('what is in time is given, failures too; what is late is dropped, its failure unheard', async () => {
  const due: (() => void)[] = [];
  let canceled = 0;
  const clock = { ...systemClock(), after: (_ms: number, run: () => void) => (due.push(run), () => void canceled++) };
  assert.equal(await inTime(clock, 5, Promise.resolve('here')), 'here');
  await assert.rejects(inTime(clock, 5, Promise.reject(new Error('no'))), /no/);
  assert.equal(canceled, 2);
  const dropped: string[] = [];
  const slow = Promise.withResolvers<string>();
  const waiting = inTime(clock, 5, slow.promise, (late) => void dropped.push(late));
  due.at(-1)!();
  assert.equal(await waiting, null);
  slow.resolve('late');
  await slow.promise;
  assert.deepEqual(dropped, ['late']);
  const failing = Promise.withResolvers<string>();
  const second = inTime(clock, 5, failing.promise, (late) => void dropped.push(late));
  due.at(-1)!();
  assert.equal(await second, null);
  failing.reject(new Error('unheard'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(dropped, ['late']);
});
