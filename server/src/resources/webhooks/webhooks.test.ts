// Endpoints as callers see them: what is accepted, what is refused, and what is shown to whom.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inTransaction, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { desk } from '#testing/desk.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';

const URL_ = 'https://hooks.example.com/in';
const ALL: { url: string; enabled_events: ['*'] } = { url: URL_, enabled_events: ['*'] };

let h: House;
before(async () => void (h = await house()));
after(() => h.close());

test('an endpoint from its making to its end; the secret is shown by making and rotating alone', async () => {
  const api = await h.api({ workspace: 'life' });
  const made = await api.webhooks.create({ url: URL_, enabled_events: ['send.sent', 'message.replied'], description: 'CRM' });
  const { secret, ...endpoint } = made;
  assert.match(made.id, /^whk_[0-9a-z]{26}$/);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(JSON.parse(JSON.stringify(endpoint)), {
    id: made.id,
    object: 'webhook_endpoint',
    mode: 'test',
    url: URL_,
    enabled_events: ['send.sent', 'message.replied'],
    description: 'CRM',
    verified_at: null,
    disabled: false,
    disabled_reason: null,
    consecutive_failures: 0,
    last_success_at: null,
    last_failure_at: null,
    created_at: h.now().toISOString(),
    updated_at: h.now().toISOString(),
  });
  assert.deepEqual(JSON.parse(JSON.stringify(await api.webhooks.retrieve(made.id))), JSON.parse(JSON.stringify(endpoint)));
  const rotated = await api.webhooks.rotate(made.id);
  assert.match(rotated.secret, /^whsec_/);
  assert.notEqual(rotated.secret, secret);
  h.tick(1000);
  const changed = await api.webhooks.update(made.id, { enabled_events: ['*'], description: null, disabled: true });
  assert.deepEqual([changed.enabled_events, changed.description, changed.disabled, changed.disabled_reason], [['*'], null, true, 'manual']);
  assert.equal(changed.updated_at, h.now().toISOString());
  const listed = (await api.webhooks.list()).data;
  assert.deepEqual(listed.map((one) => one.id), [made.id]); // prettier-ignore
  for (const shown of [changed, listed, await api.webhooks.retrieve(made.id)]) assert.ok(!JSON.stringify(shown).includes('whsec_'));
  assert.equal((await api.webhooks.delete(made.id)).id, made.id);
  await refused(api.webhooks.retrieve(made.id), 404, 'resource_missing', 'id');
  await refused(api.webhooks.delete(made.id), 404, 'resource_missing', 'id');
  const rows = await rowsOf(h.db, 'select * from idempotency_keys', []);
  assert.ok(!JSON.stringify(rows).includes('whsec_'));
});

test('lists are paged; events and deliveries of others are not found', async () => {
  const api = await h.api({ workspace: 'pages' });
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    ids.unshift((await api.webhooks.create(ALL)).id);
    h.tick(1);
  }
  const walked: string[] = [];
  for await (const one of api.webhooks.list({ limit: 2 })) walked.push(one.id);
  assert.deepEqual(walked, ids);
  const [delivery] = (await api.webhooks.deliveries(ids[0]!)).data;
  assert.deepEqual([delivery!.trigger, delivery!.status, delivery!.event_type], ['verification', 'pending', 'webhook.verification']);
  await refused(api.webhooks.deliveries(ids[0]!, { status: 'odd' as 'failed' }), 400, 'invalid_parameter', 'status');
  assert.deepEqual((await api.webhooks.deliveries(ids[0]!, { status: 'failed' })).data, []);
  assert.deepEqual((await api.webhooks.deliveries(ids[0]!, { event_type: 'webhook.verification' })).data.length, 1);
  assert.deepEqual((await api.webhooks.deliveries(ids[0]!, { event_id: 'evt_x' })).data, []);
  await refused(api.webhooks.redeliver(ids[1]!, delivery!.id), 404, 'resource_missing', 'id');
  await refused(api.webhooks.redeliver(ids[0]!, `${delivery!.id.slice(0, -1)}0`), 404, 'resource_missing', 'id');
  for (const who of [{ workspace: 'pages other' }, { workspace: 'pages', mode: 'live' }] as const) {
    const other = await h.api(who);
    assert.deepEqual((await other.webhooks.list()).data, []);
    const id = ids[0]!;
    for (const call of [
      () => other.webhooks.retrieve(id), () => other.webhooks.update(id, {}), () => other.webhooks.rotate(id), () => other.webhooks.test(id),
      () => other.webhooks.deliveries(id),
      () => other.webhooks.redeliver(id, delivery!.id), () => other.webhooks.replay(id, { from_sequence: 1 }), () => other.webhooks.delete(id),
    ]) await refused(Promise.resolve(call()), 404, 'resource_missing', 'id'); // prettier-ignore
  }
});

test('only admin keys change endpoints; every key reads them', async () => {
  const admin = await h.api({ workspace: 'scopes' });
  const { id } = await admin.webhooks.create(ALL);
  const [delivery] = (await admin.webhooks.deliveries(id)).data;
  for (const scope of ['read', 'write'] as const) {
    const api = await h.api({ workspace: 'scopes', scope });
    assert.equal((await api.webhooks.retrieve(id)).id, id);
    assert.equal((await api.webhooks.list()).data.length, 1);
    assert.equal((await api.webhooks.deliveries(id)).data.length, 1);
    for (const call of [
      () => api.webhooks.create(ALL), () => api.webhooks.update(id, { disabled: true }), () => api.webhooks.rotate(id), () => api.webhooks.test(id),
      () => api.webhooks.redeliver(id, delivery!.id), () => api.webhooks.replay(id, { from_sequence: 1 }), () => api.webhooks.delete(id),
    ]) await refused(call(), 403, 'insufficient_scope'); // prettier-ignore
  }
});

test('which events: at least one, known, each once, and the star alone', async () => {
  const api = await h.api({ workspace: 'events' });
  const bad: [unknown, string][] = [
    [[], 'enabled_events'],
    [['send.exploded'], 'enabled_events[0]'],
    [['send.sent', 'webhook.verification'], 'enabled_events[1]'],
    [['*', 'send.sent'], 'enabled_events'],
    [['*', '*'], 'enabled_events'],
    [['send.sent', 'send.sent'], 'enabled_events'],
    ['*', 'enabled_events'],
    [null, 'enabled_events'],
  ];
  for (const [events, param] of bad) {
    await refused(api.webhooks.create({ url: URL_, enabled_events: events as ['*'] }), 422, 'validation_failed', param);
  }
  await refused(api.webhooks.create({ url: URL_ } as typeof ALL), 422, 'parameter_missing', 'enabled_events');
  await refused(api.webhooks.create({ enabled_events: ['*'] } as unknown as typeof ALL), 422, 'parameter_missing', 'url');
  await refused(api.webhooks.create({ ...ALL, events: [] } as typeof ALL), 422, 'unknown_parameter', 'events');
  await refused(api.webhooks.create({ ...ALL, description: 'x'.repeat(501) }), 422, 'validation_failed', 'description');
  const { id } = await api.webhooks.create(ALL);
  await refused(api.webhooks.update(id, { enabled_events: [] }), 422, 'validation_failed', 'enabled_events');
  await refused(api.webhooks.update(id, { url: 'ftp://x.example.com' }), 422, 'validation_failed', 'url');
  await refused(api.webhooks.update(id, { disabled: 'yes' as unknown as boolean }), 422, 'validation_failed', 'disabled');
  assert.equal((await api.webhooks.retrieve(id)).url, URL_);
  assert.equal((await api.webhooks.list()).data.length, 1);
});

test('a disabled endpoint is sent nothing by hand; a replay begins at an event that there is', async () => {
  const api = await h.api({ workspace: 'state' });
  const { id } = await api.webhooks.create(ALL);
  const [delivery] = (await api.webhooks.deliveries(id)).data;
  for (const from of [0, -1, 1.5, '1', null]) {
    await refused(api.webhooks.replay(id, { from_sequence: from as number }), 422, 'validation_failed', 'from_sequence');
  }
  await refused(api.webhooks.replay(id, { from_sequence: 1 }), 422, 'validation_failed', 'from_sequence');
  await inTransaction(await h.ctx({ workspace: 'state' }), async (ctx) => record(ctx, { type: 'contact.created', resourceId: 'con_1', data: {} }));
  assert.deepEqual((await api.webhooks.replay(id, { from_sequence: 1 })).to_sequence, 1);
  await refused(api.webhooks.replay(id, { from_sequence: 2 }), 422, 'validation_failed', 'from_sequence');
  await api.webhooks.update(id, { disabled: true });
  await refused(api.webhooks.replay(id, { from_sequence: 1 }), 409, 'invalid_webhook_state', 'id');
  await refused(api.webhooks.redeliver(id, delivery!.id), 409, 'invalid_webhook_state', 'id');
});

test('a key that was used makes no second endpoint and no second secret', async () => {
  await using d = await desk();
  const made = await d.call('POST /v1/webhooks', ALL, { idem: 'one' });
  assert.equal(made.status, 201);
  for (const body of [ALL, { ...ALL, description: 'other' }]) {
    const again = await d.call('POST /v1/webhooks', body, { idem: 'one' });
    assert.deepEqual([again.status, again.body.error.code, again.body.error.resource_id], [409, 'idempotency_replay_unavailable', made.body.id]);
    assert.ok(again.body.error.message.includes(made.body.id) && !JSON.stringify(again.body).includes('whsec_'));
  }
  assert.equal(await d.count('webhook_endpoints'), 1);
  const rotated = await d.call(`POST /v1/webhooks/${made.body.id}/rotate`, undefined, { idem: 'two' });
  assert.match(rotated.body.secret, /^whsec_/);
  const again = await d.call(`POST /v1/webhooks/${made.body.id}/rotate`, undefined, { idem: 'two' });
  assert.deepEqual([again.status, again.body.error.code, again.body.error.resource_id], [409, 'idempotency_replay_unavailable', made.body.id]);
  // Fifty at once: one is made, the others learn of it or are asked to come back.
  const calls = await Promise.all(Array.from({ length: 50 }, () => d.call('POST /v1/webhooks', ALL, { idem: 'many' })));
  assert.equal(calls.filter((one) => one.status === 201).length, 1);
  assert.equal(await d.count('webhook_endpoints'), 2);
});

test('the plan limits endpoints of live mode, also when they are made at once; test mode is free', async () => {
  await using d = await desk('pro');
  const calls = await Promise.all(Array.from({ length: 12 }, () => d.call('POST /v1/webhooks', ALL, { key: d.keys.live })));
  assert.deepEqual(calls.map((one) => one.status).toSorted(), [...Array<number>(5).fill(201), ...Array<number>(7).fill(403)]);
  for (const one of calls) if (one.status === 403) assert.equal(one.body.error.code, 'plan_limit_reached');
  const { body } = await d.call('GET /v1/workspace');
  assert.deepEqual((body as unknown as { usage: { webhooks: number } }).usage.webhooks, 5);
  const [made] = calls.filter((one) => one.status === 201);
  await d.call(`DELETE /v1/webhooks/${made!.body.id}`, undefined, { key: d.keys.live });
  assert.equal((await d.call('POST /v1/webhooks', ALL, { key: d.keys.live })).status, 201);
  for (let i = 0; i < 8; i++) assert.equal((await d.call('POST /v1/webhooks', ALL)).status, 201);
  assert.equal((await d.call('POST /v1/webhooks', ALL, { key: d.keys.live })).status, 403);
});
