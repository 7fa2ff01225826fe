import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Desk, desk } from '#testing/desk.ts';
import { suppress, suppressedAmong } from './index.ts';

let d: Desk;
before(async () => void (d = await desk()));
after(() => d[Symbol.asyncDispose]());

test('an address is suppressed once, whatever its spelling, and the first reason stands', async () => {
  const first = await d.call('POST /v1/suppressions', { email: ' Ann@Example.com ', reason: 'unsubscribe' });
  assert.deepEqual([first.status, first.body.email, first.body.reason, first.body.source_send_id], [201, 'Ann@Example.com', 'unsubscribe', null]);
  const again = await d.call('POST /v1/suppressions', { email: 'ann@EXAMPLE.com' });
  assert.deepEqual([again.status, again.body], [200, first.body]);
  assert.deepEqual((await d.call(`GET /v1/suppressions/${first.body.id}`)).body, first.body);
  assert.deepEqual([...(await suppressedAmong(d.ctx(), ['ANN@example.com', 'bob@example.com']))], ['ann@example.com']);
  assert.equal((await suppressedAmong(d.ctx('live'), ['ann@example.com'])).size, 0);
});

test('fifty at once make one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => d.call('POST /v1/suppressions', { email: `${i % 2 ? 'Race' : 'race'}@example.com` })),
  );
  assert.deepEqual(answers.map((one) => one.status).sort(), [...Array<number>(49).fill(200), 201]);
  assert.equal(new Set(answers.map((one) => one.body.id)).size, 1);
});

test('a batch answers row by row, known ones among the good', async () => {
  const rows = [
    { email: 'batch1@example.com', reason: 'hard_bounce' },
    { email: 'bad' },
    'x',
    { email: 'BATCH1@example.com' },
    { reason: 'manual' },
    { email: 'ann@example.com' },
    { email: 'b@example.com', extra: 1 },
  ];
  const { status, body } = await d.call('POST /v1/suppressions/batch', { suppressions: rows });
  assert.equal(status, 200);
  assert.deepEqual(
    body.created.map((one) => [one.email, one.reason]),
    [
      ['batch1@example.com', 'hard_bounce'],
      ['batch1@example.com', 'hard_bounce'],
      ['Ann@Example.com', 'unsubscribe'],
    ],
  );
  assert.deepEqual(
    body.errors.map((one) => [one.index, one.email, one.error.code]),
    [
      [1, 'bad', 'invalid_email'],
      [2, '', 'validation_failed'],
      [4, '', 'parameter_missing'],
      [6, 'b@example.com', 'unknown_parameter'],
    ],
  );
});

test('what is refused, and why', async () => {
  const many = Array.from({ length: 1001 }, () => ({ email: 'a@b.co' }));
  const cases: [string, unknown, number, string, string?][] = [
    ['POST /v1/suppressions', {}, 422, 'parameter_missing', 'email'],
    ['POST /v1/suppressions', { email: 'a@b' }, 422, 'invalid_email', 'email'],
    ['POST /v1/suppressions', { email: 'a@b.co\r\nBcc: x@y.co' }, 422, 'invalid_email', 'email'],
    ['POST /v1/suppressions', { email: 'a@b.co', reason: 'spite' }, 422, 'validation_failed', 'reason'],
    ['POST /v1/suppressions', { email: 'a@b.co', source_send_id: 'snd_1' }, 422, 'unknown_parameter', 'source_send_id'],
    ['POST /v1/suppressions/batch', { suppressions: many }, 422, 'validation_failed', 'suppressions'],
    ['POST /v1/suppressions/batch', { suppressions: [] }, 422, 'validation_failed', 'suppressions'],
    ['GET /v1/suppressions?reason=spite', undefined, 400, 'invalid_parameter', 'reason'],
    ['GET /v1/suppressions?email=no', undefined, 400, 'invalid_parameter', 'email'],
    ['GET /v1/suppressions/sup_nothing', undefined, 404, 'resource_missing'],
    ['DELETE /v1/suppressions/con_00000000000000000000000000', undefined, 404, 'resource_missing'],
  ];
  const before = await d.count('suppressions');
  for (const [line, body, status, code, param] of cases) {
    const answer = await d.call(line, body);
    assert.deepEqual([line, answer.status, answer.body.error.code], [line, status, code]);
    if (param) assert.equal(answer.body.error.param, param, line);
  }
  assert.equal(await d.count('suppressions'), before);
});

test('lists filter and stay within workspace and mode; deletion needs admin scope', async () => {
  const { body } = await d.call('POST /v1/suppressions', { email: 'gone@example.com', reason: 'hard_bounce' });
  const emails = async (query: string, key?: string) =>
    (await d.call(`GET /v1/suppressions?${query}`, undefined, key ? { key } : {})).body.data.map((one) => one.email);
  assert.deepEqual(await emails('email=GONE@example.com'), ['gone@example.com']);
  assert.deepEqual((await emails('reason=hard_bounce')).sort(), ['batch1@example.com', 'gone@example.com']);
  for (const key of [d.keys.live, d.keys.otherTest]) {
    assert.deepEqual(await emails('limit=10', key), []);
    for (const method of ['GET', 'DELETE']) assert.equal((await d.call(`${method} /v1/suppressions/${body.id}`, undefined, { key })).status, 404);
  }
  const { secret } = (await d.call('POST /v1/api_keys', { name: 'w', scope: 'write' })).body;
  assert.equal((await d.call(`DELETE /v1/suppressions/${body.id}`, undefined, { key: secret })).body.error.code, 'insufficient_scope');
  assert.equal((await d.call(`DELETE /v1/suppressions/${body.id}`)).status, 200);
  assert.equal((await d.call(`GET /v1/suppressions/${body.id}`)).status, 404);
});

test('a suppression commits only after a release that has locked an open send to the address', async () => {
  const { workspaceId, mode } = d.ctx();
  const send = {
    workspace_id: workspaceId,
    mode,
    id: 'snd_open',
    inbox_id: 'inb_1',
    to_email: 'Held@example.com',
    to_email_key: 'held@example.com',
    subject: 's',
    state: 'scheduled',
    rfc822_message_id: '<1@x>',
    thread_references: [],
    is_reply: false,
    attempt_count: 0,
    scheduled_at: d.world.clock.now(),
    created_at: d.world.clock.now(),
    fence: 0,
  };
  await rowsOf(
    d.world.db,
    `insert into sends (${Object.keys(send).join(', ')})
     select ${Object.keys(send).join(', ')} from jsonb_populate_record(null::sends, $1)`,
    [JSON.stringify(send)],
  );
  const order: string[] = [];
  let suppressing = Promise.resolve();
  await inTransaction(d.world, async ({ db }) => {
    await rowsOf(db, `select 1 from sends where id = 'snd_open' for no key update`, []);
    suppressing = suppress(d.ctx(), { email: 'held@example.com', reason: 'manual' }).then(() => void order.push('suppressed'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    order.push('released');
  });
  await suppressing;
  assert.deepEqual(order, ['released', 'suppressed']);
});
