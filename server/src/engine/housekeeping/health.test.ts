import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { house } from '#testing/house.ts';
import { until } from '#testing/until.ts';
import { stage } from '#testing/stage.ts';

const HOUR = 3_600_000;

test('bounces make an inbox rest, once and with one event; after its rest and a quiet week it is active again', async () => {
  await using s = await stage({ behave: (recipient) => (recipient.startsWith('bounce') ? 'hard_bounce' : 'silent') });
  const inbox = () => s.api.inboxes.retrieve(s.inbox.id);
  /** Read until so many have come: the post office writes them when it can. */
  const reports = async (wanted: number) => {
    for (let i = 0; i < 200; i++) {
      await s.readMail();
      if ((await s.api.events.list({ type: 'message.bounced' })).data.length === wanted) return;
    }
    assert.fail(`${wanted} reports never came`);
  };
  for (let i = 0; i < 19; i++) await s.send(`p${i}@people.test`);
  await s.h.settle();
  s.h.tick(HOUR);
  await s.h.settle();
  assert.equal((await inbox()).health_score, null);
  await s.send('bounce1@people.test');
  await s.h.settle();
  await reports(1);
  await s.h.housekeeping.step();
  // One of twenty counts as one of fifty.
  assert.deepEqual([(await inbox()).health_score, (await inbox()).status], [80, 'active']);
  for (let i = 2; i < 6; i++) await s.send(`bounce${i}@people.test`);
  await s.h.settle();
  await reports(5);
  await s.h.housekeeping.step();
  await s.h.housekeeping.step();
  assert.deepEqual([(await inbox()).health_score, (await inbox()).status], [0, 'unhealthy']);
  const told = (await s.api.events.list({ type: 'inbox.health_changed' })).data;
  const tiers = told.map(({ data }) => [data['health_tier'], data['previous_health_tier'], data['status']]);
  assert.deepEqual(tiers, [['paused', 'good', 'unhealthy']]);
  const held = await s.send('later@people.test');
  await s.h.settle();
  assert.equal((await s.api.sends.retrieve(held.id)).state, 'scheduled');
  s.h.tick(25 * HOUR);
  await s.h.housekeeping.step();
  assert.equal((await inbox()).status, 'unhealthy');
  s.h.tick(7 * 24 * HOUR);
  await s.h.housekeeping.step();
  assert.deepEqual([(await inbox()).health_score, (await inbox()).status], [null, 'active']);
  assert.equal((await s.api.events.list({ type: 'inbox.health_changed' })).data.length, 2);
});

const DAY = 86_400;
const START = Date.parse('2030-01-07T09:00:00Z');

/** Bounces under a test clock, moved by so many days at a time: what the log says of health, and how the inbox ends. */
async function drivenThrough(days: readonly number[]) {
  await using h = await house();
  const api = await h.api();
  const quiet = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
  const { id } = await api.inboxes.createSandbox({ sandbox_config: quiet, email_address: 'sam@sandbox.postrider.test' });
  await api.inboxes.update(id, { daily_limit: 500 });
  await api.testClock.advance({ seconds: 100 * DAY });
  // Two days of mails: those of the second come back.
  for (const part of ['p', 'bounce-'])
    for (let i = 0; i < 20; i++) {
      const send_at = new Date(START + (part === 'p' ? 100.5 : 101.5) * DAY * 1_000).toISOString();
      await api.sends.create({ to: `${part}${i}@sandbox.postrider.test`, inbox_id: id, subject: 'S', body_text: 'B', send_at });
    }
  const states = [];
  for (const some of days) {
    await api.testClock.advance({ seconds: Math.round(some * DAY) });
    states.push((await api.inboxes.retrieve(id)).status);
  }
  const told = (await api.events.list({ type: 'inbox.health_changed' })).data.toReversed();
  assert.deepEqual(h.lines, []);
  return { states, told: told.map(({ created_at: at, data }) => [at, data['health_tier'], data['status']]), end: await api.inboxes.retrieve(id) };
}

test("under a test clock health is judged at the workspace's own time, the same however the way is cut", async () => {
  const { states, told, end } = await drivenThrough([1, 1, 1, 7]);
  assert.deepEqual(states, ['active', 'unhealthy', 'unhealthy', 'active']);
  assert.equal(told.length, 2);
  const [fell, rose] = told.map(([at]) => (Date.parse(at as string) - START) / 1_000 / DAY);
  // When the reports came; and when the last of them was a week old.
  assert.ok(fell! >= 101.5 && fell! < 101.51, `${fell}`);
  assert.ok(rose! >= 108.5 && rose! < 108.7, `${rose}`);
  assert.deepEqual([told.map(([, tier, status]) => `${tier} ${status}`), end.health_score], [['paused unhealthy', 'good active'], null]);
  assert.deepEqual((await drivenThrough([10])).told, told);
  assert.deepEqual((await drivenThrough([0.5, 1.25, 0.3, 4.1, 2.6, 1.25])).told, told);
});

test('where health cannot be judged a walk stumbles and is taken up again, instead of coming back a millisecond later for ever', async () => {
  await using h = await house();
  const api = await h.api();
  await api.inboxes.createSandbox({ email_address: 'sam@sandbox.postrider.test' });
  await rowsOf(h.db, `alter table inboxes add constraint broken check (health_due_at < '2030-01-08') not valid`, []);
  const call = api.testClock.advance({ seconds: 2 * DAY });
  await until(() => h.lines.join('').includes('a test clock stumbled'));
  await rowsOf(h.db, 'alter table inboxes drop constraint broken', []);
  assert.match(h.lines.join(''), /a test clock stumbled/);
  assert.equal((await call).advanced_seconds, 2 * DAY);
});
