import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type Desk, desk } from '#testing/desk.ts';
import { authenticate } from './index.ts';
import { newSecret } from './secret.ts';

let d: Desk;
before(async () => void (d = await desk()));
after(() => d[Symbol.asyncDispose]());

const make = async (body: object, key = d.keys.test) => (await d.call('POST /v1/api_keys', { name: 'k', ...body }, { key })).body;
const statusOf = async (key: string) => (await d.call('GET /v1/workspace', undefined, { key })).status;

test('a secret spells 256 bits in 43 base62 characters', () => {
  const bytes = (fill: number) => ({ bytes: (count: number) => Buffer.alloc(count, fill), u32: () => 0 });
  assert.equal(newSecret(bytes(0), 'test'), `svc_test_${'0'.repeat(43)}`);
  const most = newSecret(bytes(255), 'live').slice('svc_live_'.length);
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  assert.equal(
    [...most].reduce((sum, one) => sum * 62n + BigInt(digits.indexOf(one)), 0n),
    2n ** 256n - 1n,
  );
});

test('a created key works, is shown once, and is kept as a hash', async () => {
  const made = await d.call('POST /v1/api_keys', { name: 'CI' });
  assert.equal(made.status, 201);
  const { secret, ...rest } = made.body;
  assert.match(secret, /^svc_test_[0-9A-Za-z]{43}$/);
  assert.deepEqual(
    { ...rest, id: '' },
    {
      id: '',
      object: 'api_key',
      name: 'CI',
      mode: 'test',
      scope: 'write',
      last_four: secret.slice(-4),
      auto_confirm: false,
      created_at: '2026-11-21T09:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
    },
  );
  assert.equal(await statusOf(secret), 200);
  const list = await d.call('GET /v1/api_keys');
  assert.deepEqual(Object.keys(list.body).sort(), ['data', 'has_more', 'next_cursor', 'object']);
  assert.equal(list.body.data.length, 2);
  assert.ok(!/secret|hash/.test(JSON.stringify(list.body)));
  const stored = JSON.stringify([
    await rowsOf(d.world.db, 'select * from api_keys', []),
    await rowsOf(d.world.db, 'select * from api_key_secrets', []),
  ]);
  assert.ok(!stored.includes(secret));
});

test('what is refused, and why', async () => {
  const write = (await make({ scope: 'write' })).secret;
  const read = (await make({ scope: 'read' })).secret;
  const live = (await make({ mode: 'live' }, d.keys.live)).id;
  const own = (await make({})).id;
  const cases: [string, unknown, string, number, string][] = [
    ['POST /v1/api_keys', { name: '' }, d.keys.test, 422, 'validation_failed'],
    ['POST /v1/api_keys', { name: '   ' }, d.keys.test, 422, 'validation_failed'],
    ['POST /v1/api_keys', { name: 'x'.repeat(121) }, d.keys.test, 422, 'validation_failed'],
    ['POST /v1/api_keys', { name: 'a\nb' }, d.keys.test, 422, 'validation_failed'],
    ['POST /v1/api_keys', { name: 'a', scope: 'owner' }, d.keys.test, 422, 'validation_failed'],
    ['POST /v1/api_keys', { name: 'a', scope: 'admin' }, write, 403, 'insufficient_scope'],
    ['POST /v1/api_keys', { name: 'a' }, read, 403, 'insufficient_scope'],
    ['POST /v1/contacts', { email: 'a@b.co' }, read, 403, 'insufficient_scope'],
    ['POST /v1/api_keys', { name: 'a', mode: 'live' }, d.keys.test, 403, 'mode_mismatch'],
    [`POST /v1/api_keys/${live}/rotate?confirm=true`, undefined, d.keys.test, 404, 'resource_missing'],
    [`DELETE /v1/api_keys/${live}?confirm=true`, undefined, d.keys.test, 404, 'resource_missing'],
    [`DELETE /v1/api_keys/${own}?confirm=true`, undefined, d.keys.otherTest, 404, 'resource_missing'],
    [`POST /v1/api_keys/${own}/rotate`, undefined, d.keys.test, 400, 'confirmation_required'],
    ...['TRUE', '1', 'yes', ''].map((value): [string, unknown, string, number, string] => [
      `DELETE /v1/api_keys/${own}?confirm=${value}`,
      undefined,
      d.keys.test,
      400,
      'confirmation_required',
    ]),
  ];
  const before = await d.count('api_keys');
  for (const [line, body, key, status, code] of cases) {
    const answer = await d.call(line, body, { key });
    assert.deepEqual([line, answer.status, answer.body.error.code], [line, status, code]);
  }
  assert.equal(await d.count('api_keys'), before);
});

test('revocation and rotation are seen at once, and again by nobody', async () => {
  const { id, secret } = await make({ scope: 'admin', auto_confirm: true });
  assert.equal(await statusOf(secret), 200);
  const rotated = await d.call(`POST /v1/api_keys/${id}/rotate`, undefined, { key: secret });
  assert.equal(rotated.status, 200, 'auto_confirm stands for confirm=true');
  assert.equal(await statusOf(secret), 401);
  const next = rotated.body.secret;
  assert.equal(rotated.body.last_four, next.slice(-4));
  assert.equal(await statusOf(next), 200);
  const revoked = await d.call(`DELETE /v1/api_keys/${id}`, undefined, { key: next });
  assert.equal(revoked.body.revoked_at, d.world.clock.now().toISOString());
  assert.equal(await statusOf(next), 401);
  d.pass(1000);
  assert.deepEqual((await d.call(`DELETE /v1/api_keys/${id}?confirm=true`)).body, revoked.body, 'twice is no error, the first time stands');
  assert.equal((await d.call(`POST /v1/api_keys/${id}/rotate?confirm=true`)).status, 404);
});

test('another process sees a revocation within the minute', async () => {
  const { id, secret } = await make({});
  const elsewhere = { ...d.world, box: { ...d.world.box } };
  await authenticate(elsewhere, secret);
  await d.call(`DELETE /v1/api_keys/${id}?confirm=true`);
  d.pass(29_000);
  await authenticate(elsewhere, secret);
  d.pass(2_000);
  await assert.rejects(authenticate(elsewhere, secret), { code: 'invalid_api_key' });
});

test('wrong secrets: the other prefix, a wrong character, no key at all', async () => {
  const { test: good } = d.keys;
  for (const bad of [good.replace('_test_', '_live_'), `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`, 'svc_test_', 'x', `${good}A`]) {
    assert.equal(await statusOf(bad), 401, bad);
  }
});

test('one idempotency key makes one API key, and a replay names it', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => d.call('POST /v1/api_keys', { name: 'once' }, { idem: 'k-1' })));
  const [first] = answers.filter((one) => one.status === 201);
  const replay = await d.call('POST /v1/api_keys', { name: 'once' }, { idem: 'k-1' });
  assert.deepEqual([replay.status, replay.body.error.code], [409, 'idempotency_replay_unavailable']);
  assert.equal(replay.body.error.resource_id, first!.body.id);
  const { body } = await d.call('GET /v1/api_keys');
  assert.equal(body.data.filter((one) => one.name === 'once').length, 1);
});

test('last_used_at is written at most once a minute', async () => {
  const { id, secret } = await make({});
  const used = async () => {
    await authenticate(d.world, secret);
    return (await rowsOf<{ last_used_at: Date }>(d.world.db, 'select last_used_at from api_keys where id = $1', [id]))[0]!.last_used_at.getTime();
  };
  const first = await used();
  d.pass(45_000);
  assert.equal(await used(), first);
  d.pass(16_000);
  assert.equal(await used(), first + 61_000);
});
