import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type Stage, stage } from '#testing/stage.ts';

const HOUR = 3_600_000;

/** An inbox that has sent its two of the day; three more wait for tomorrow, as does one that was meant for tomorrow's first moment. */
async function full() {
  const s = await stage();
  await s.api.inboxes.update(s.inbox.id, { daily_limit: 2 });
  const sends = [];
  for (let i = 0; i < 5; i++) sends.push((await s.send(`p${i}@people.test`)).id);
  const midnight = new Date(s.h.now());
  midnight.setUTCHours(24, 0, 0, 0);
  const meant = (await s.send('later@people.test', { send_at: midnight.toISOString() })).id;
  await s.h.settle();
  assert.deepEqual([s.office.deliveries.length, (await s.api.inboxes.retrieve(s.inbox.id)).status], [2, 'over_quota_today']);
  await s.h.run(HOUR, HOUR);
  assert.equal(s.office.deliveries.length, 2);
  return { s, sends, meant, midnight };
}
const left = async (s: Stage) =>
  (await rowsOf<{ at: Date }>(s.h.db, `select due_at as at from sends where state = 'scheduled'`, [])).map((one) => one.at);

test('a raised cap brings back today what it had put off, up to the new cap; what was meant for tomorrow stays there', async () => {
  const { s, meant, midnight } = await full();
  await using _ = s;
  assert.equal((await s.api.inboxes.update(s.inbox.id, { daily_limit: 4 })).status, 'active');
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 4);
  assert.equal((await s.api.inboxes.retrieve(s.inbox.id)).status, 'over_quota_today');
  assert.deepEqual(await left(s), [midnight, midnight]);
  assert.equal((await s.api.sends.retrieve(meant)).state, 'scheduled');
  s.h.tick(midnight.getTime() - s.h.now().getTime());
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 6);
});

test('turning the ramp off does the same; a paused inbox sends them once it goes on', async () => {
  const { s } = await full();
  await using _ = s;
  await s.api.inboxes.update(s.inbox.id, { daily_limit: 50, ramp: { enabled: true, start: 1, end: 50 }, status: 'paused' });
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 2);
  await s.api.inboxes.update(s.inbox.id, { ramp: { enabled: false } });
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 2);
  await s.api.inboxes.update(s.inbox.id, { status: 'active' });
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 5);
});

test('a cap that falls below what was sent closes the day; midnight opens the next', async () => {
  await using s = await stage();
  for (let i = 0; i < 3; i++) await s.send(`p${i}@people.test`);
  await s.h.settle();
  const lowered = await s.api.inboxes.update(s.inbox.id, { daily_limit: 3 });
  assert.deepEqual([lowered.status, lowered.status_reason], ['over_quota_today', 'The daily cap is used up.']);
  assert.equal((await s.api.inboxes.update(s.inbox.id, { display_name: 'Ann' })).status, 'over_quota_today');
  // It began at nine.
  s.h.tick(15 * HOUR - 1);
  await s.h.settle();
  assert.equal((await s.api.inboxes.retrieve(s.inbox.id)).status, 'over_quota_today');
  s.h.tick(1);
  await s.h.settle();
  assert.equal((await s.api.inboxes.retrieve(s.inbox.id)).status, 'active');
});
