// Half of the endpoints hang, drip, break or fail: the others do not notice.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { inTransaction, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { run } from '../loop.ts';
import { house } from '#testing/house.ts';
import { type Script, rawReceiver, receiver } from '#testing/receiver/index.ts';

const EVENTS = 200;
/** 200 events, 4 at a time, seven seconds and a half each, are 375 seconds: so long would it take if one silent endpoint were waited for. */
const MOST_MS = 80_000;

test('every healthy endpoint gets every event soon, whatever the other half does', async () => {
  // Seven seconds and a half for an exchange: a silent endpoint alone keeps its places busy for minutes with what it is told here, and a healthy
  // one is never taken for silent because the machine is busy.
  await using h = await house({ hurry: 2 });
  const hostile: Script[] = [
    () => undefined,
    (socket) => void socket.resetAndDestroy(),
    (socket) => void setInterval(() => socket.write('x'), 50).unref(),
    (socket) => void socket.write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'),
  ];
  const good = await Promise.all([1, 2, 3, 4].map(() => receiver()));
  const bad = await Promise.all(hostile.map((script) => rawReceiver(script)));
  // The good ones share their workspace with the bad, or have one of their own.
  for (const [i, there] of [...good, ...bad].entries()) {
    const api = await h.api({ workspace: i % 2 ? 'mixed' : 'other' });
    await api.webhooks.create({ url: there.url, enabled_events: ['*'] });
  }
  await rowsOf(h.db, 'update webhook_endpoints set verified_at = $1', [h.now()]);
  await rowsOf(h.db, `delete from webhook_deliveries where trigger = 'verification'`, []);
  for (const workspace of ['mixed', 'other']) {
    await inTransaction(await h.ctx({ workspace }), async (ctx) =>
      record(ctx, ...Array.from({ length: EVENTS }, (_, i) => ({ type: 'contact.created' as const, resourceId: `con_${i}`, data: { i } }))),
    );
  }
  const ending = new AbortController();
  const started = performance.now();
  const running = run(h.world, [h.webhooks], ending.signal);
  while (good.some((one) => one.received.length < EVENTS) && performance.now() - started < MOST_MS)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const seconds = (performance.now() - started) / 1000;
  ending.abort();
  for (const one of bad) await one[Symbol.asyncDispose]();
  await running;
  for (const one of good) {
    assert.equal(new Set(one.received.map((each) => each.event.id)).size, EVENTS);
    await one.close();
  }
  assert.ok(seconds < MOST_MS / 1000, `${seconds} s`);
  const failing = await rowsOf<{ url: string }>(h.db, 'select url from webhook_endpoints where consecutive_failures > 0', []);
  for (const { url } of bad) assert.ok(failing.some((one) => one.url === url), url); // prettier-ignore
});
