import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Desk, desk } from '#testing/desk.ts';
import { countUsage, monthOf, sendsLeft } from './index.ts';

let d: Desk;
before(async () => void (d = await desk('pro')));
after(() => d[Symbol.asyncDispose]());

test('both keys see the same workspace, and only live activity counts', async () => {
  await d.call('POST /v1/contacts', { email: 'a@example.com' });
  await d.call('POST /v1/contacts', { email: 'a@example.com' }, { key: d.keys.live });
  await countUsage(d.ctx('test'), monthOf(d.world.clock.now()), 7);
  assert.equal(await countUsage(d.ctx('live'), monthOf(d.world.clock.now()), 3), 3);
  assert.equal(await countUsage(d.ctx('live'), monthOf(d.world.clock.now()), -1), 2);
  await countUsage(d.ctx('live'), '2026-10-01', 9);
  const { body } = await d.call('GET /v1/workspace');
  assert.deepEqual(body.usage, { contacts: 1, sends_this_month: 2, webhooks: 0, inboxes: 0 });
  assert.deepEqual(body.limits, { contacts: 5000, sends_per_month: 10_000, webhooks: 5, inboxes: 10 });
  assert.deepEqual([body.plan, body.plan_status, body.slug], ['pro', 'active', null]);
  assert.deepEqual((await d.call('GET /v1/workspace', undefined, { key: d.keys.live })).body, body);
  assert.equal(await sendsLeft(d.ctx('live')), 9_998);
  assert.equal(await sendsLeft(d.ctx('test')), null);
  const other = await d.call('GET /v1/workspace', undefined, { key: d.keys.otherLive });
  assert.deepEqual(other.body.limits, { contacts: null, sends_per_month: 1_000_000, webhooks: null, inboxes: null });
});

test('what billing says of a workspace is shown as it stands', async () => {
  const paid = `plan = 'scale', plan_status = 'trialing', slug = 'acme', trial_ends_at = '2026-12-01Z', current_period_end = '2026-12-24Z'`;
  await rowsOf(d.world.db, `update workspaces set ${paid}, cancel_at_period_end = true`, []);
  const { body } = await d.call('GET /v1/workspace');
  const shown = [body.plan, body.plan_status, body.slug, body.trial_ends_at, body.current_period_end, body.cancel_at_period_end];
  assert.deepEqual(shown, ['scale', 'trialing', 'acme', '2026-12-01T00:00:00.000Z', '2026-12-24T00:00:00.000Z', true]);
  await rowsOf(d.world.db, 'update workspaces set plan = null, plan_status = null', []);
  const none = (await d.call('GET /v1/workspace')).body;
  assert.deepEqual([none.plan, none.plan_status, none.limits], [null, null, null]);
  await rowsOf(d.world.db, `update workspaces set plan = 'pro', plan_status = 'active', cancel_at_period_end = false`, []);
});

test('the plan has room for its contacts and not for one more, however many ask at once', async () => {
  const key = d.keys.live;
  const batch = (from: number, count: number) => ({ contacts: Array.from({ length: count }, (_, i) => ({ email: `p${from + i}@example.com` })) });
  await d.call('POST /v1/contacts', { email: 'a@example.com' }, { key });
  for (let i = 0; i < 4; i++) await d.call('POST /v1/contacts/batch', batch(i * 1000, 1000), { key });
  await d.call('POST /v1/contacts/batch', batch(4000, 990), { key });
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => d.call('POST /v1/contacts/batch', batch(9000 + i * 3, 3), { key })));
  const made = answers.reduce((sum, one) => sum + one.body.created.length, 0);
  assert.equal(made, 9);
  assert.deepEqual([...new Set(answers.flatMap((one) => one.body.errors.map((row) => row.error.code)))], ['plan_limit_reached']);
  const one = await d.call('POST /v1/contacts', { email: 'more@example.com' }, { key });
  assert.deepEqual([one.status, one.body.error.code], [403, 'plan_limit_reached']);
  assert.equal((await d.call('POST /v1/contacts', { email: 'a@example.com' }, { key })).status, 200, 'a known one needs no room');
  assert.equal((await d.call('POST /v1/contacts', { email: 'more@example.com' })).status, 201, 'test mode is free');
});

test('usage that is counted and taken back leaves nothing', async () => {
  const month = monthOf(d.world.clock.now());
  await assert.rejects(
    inTransaction(d.ctx('live'), async (inside) => {
      await countUsage(inside, month, 100);
      throw new Error('no');
    }),
  );
  assert.equal(await sendsLeft(d.ctx('live')), 9_998);
});
