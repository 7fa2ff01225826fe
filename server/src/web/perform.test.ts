import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Refusal } from '#platform/refusal.ts';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Demo, demo } from './demo.ts';
import { begin, keep } from './idempotency.ts';
import { serverUrl } from '#testing/database.ts';

let d: Demo;
before(async () => void (d = await demo(serverUrl())));
beforeEach(() => d.reset());
after(async () => d[Symbol.asyncDispose]());

async function post(path: string, body: object | string, { idem, key = 'admin' }: { idem?: string; key?: string } = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...(idem === undefined ? {} : { 'idempotency-key': idem }) };
  const reply = await d.app.inject({ method: 'POST', url: `/v1/${path}`, headers, payload: typeof body === 'string' ? body : JSON.stringify(body) });
  const parsed = reply.json() as { id?: string; error?: { code: string; resource_id?: string; message: string } };
  return {
    status: reply.statusCode,
    text: reply.body,
    code: parsed.error?.code,
    error: parsed.error,
    id: parsed.id,
    replayed: reply.headers['idempotent-replayed'],
    headers: reply.headers,
  };
}

for (const path of ['marks', 'gathered']) {
  test(`${path}: the same call again gets the kept answer and has no second effect`, async () => {
    const first = await post(path, { word: 'one' }, { idem: 'k1' });
    const again = await post(path, { word: 'one' }, { idem: 'k1' });
    assert.deepEqual([first.status, first.replayed, again.status, again.replayed, again.text], [201, undefined, 201, 'true', first.text]);
    assert.notEqual(again.headers['request-id'], first.headers['request-id']);
    assert.deepEqual(await d.marks(), ['one']);
    assert.equal((await post(path, { word: 'one' }, { idem: 'k1', key: 'admin_2' })).replayed, undefined, 'another workspace has keys of its own');
    assert.equal((await post(path, { word: 'one' })).replayed, undefined);
  });

  test(`${path}: a key belongs to one method, path and body`, async () => {
    await post(path, { word: 'one' }, { idem: 'k1' });
    for (const [where, body] of [[path, { word: 'two' }], [path, '{ "word":"one"}'], ['prepared', { word: 'one' }]] as const) {
      const reply = await post(where, body, { idem: 'k1' });
      assert.deepEqual([reply.status, reply.code], [409, 'idempotency_key_reused']);
    } // prettier-ignore
    assert.deepEqual(await d.marks(), ['one']);
  });

  test(`${path}: fifty calls at once with one key have one effect`, async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(path, { word: 'once' }, { idem: 'same' })));
    assert.deepEqual(await d.marks(), ['once']);
    const firsts = replies.filter((one) => one.status === 201 && !one.replayed);
    assert.equal(firsts.length, 1);
    for (const one of replies) {
      if (one.status === 201) assert.equal(one.text, firsts[0]!.text);
      else assert.deepEqual([one.code, one.headers['retry-after']], ['idempotency_in_progress', '1']);
    }
  });

  test(`${path}: while the first call runs, another with its key is told so at once`, async () => {
    let open = () => {};
    d.seen.gate = new Promise((resolve) => (open = resolve));
    const first = post(path, { word: 'slow' }, { idem: 'k1' });
    while (d.seen.handled + d.seen.batches.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await post(path, { word: 'slow' }, { idem: 'k1' })).code, 'idempotency_in_progress');
    open();
    assert.equal((await first).status, 201);
    assert.equal((await post(path, { word: 'slow' }, { idem: 'k1' })).replayed, 'true');
  });

  test(`${path}: a refusal is kept, a bug and a passing "no" are not`, async () => {
    const refusal = await post(path, { word: 'refuse' }, { idem: 'k1' });
    const again = await post(path, { word: 'refuse' }, { idem: 'k1' });
    assert.deepEqual([refusal.status, again.status, again.replayed, again.text], [422, 422, 'true', refusal.text]);
    for (let i = 0; i < 2; i++) assert.deepEqual([(await post(path, { word: 'boom' }, { idem: 'k2' })).status], [500]);
    if (path === 'marks')
      for (let i = 0; i < 2; i++) assert.deepEqual([(await post(path, { word: 'forbid' }, { idem: 'k3' })).replayed], [undefined]);
    const misfit = await post(path, { word: '' }, { idem: 'k4' });
    const same = await post(path, { word: '' }, { idem: 'k4' });
    assert.deepEqual([misfit.code, same.status, same.replayed, same.text], ['validation_failed', 422, 'true', misfit.text]);
    assert.equal((await post(path, { word: 'fine' }, { idem: 'k4' })).code, 'idempotency_key_reused', 'a corrected call needs a new key');
    assert.equal((await post(path, '{', { idem: 'k5' })).code, 'invalid_json');
    assert.equal((await post(path, '{', { idem: 'k5' })).replayed, 'true');
    assert.deepEqual([await d.marks(), await d.kept()], [[], 3], 'the rest was rolled back');
  });
}

test('after a day a key is free again', async () => {
  await post('marks', { word: 'one' }, { idem: 'k1' });
  d.pass(86_399_999);
  assert.equal((await post('marks', { word: 'one' }, { idem: 'k1' })).replayed, 'true');
  d.pass(2);
  assert.equal((await post('marks', { word: 'two' }, { idem: 'k1' })).status, 201);
  assert.equal((await post('marks', { word: 'two' }, { idem: 'k1' })).replayed, 'true');
  assert.deepEqual([await d.marks(), await d.kept()], [['one', 'two'], 1]);
});

test('a secret is shown once and stored nowhere: its key names what it made', async () => {
  const first = await post('keys', { word: 'hunter2' }, { idem: 'k1' });
  for (const word of ['hunter2', 'other']) {
    const again = await post('keys', { word }, { idem: 'k1' });
    assert.deepEqual([again.status, again.code, again.error?.resource_id], [409, 'idempotency_replay_unavailable', first.id]);
    assert.ok(again.error!.message.includes(first.id!));
  }
  assert.deepEqual(await d.marks(), ['hunter2']);
  assert.ok(!JSON.stringify(await rowsOf(d.db, 'select * from idempotency_keys', [])).includes('hunter2'));
});

test('a prepared call looks outside once; a replay does not look again', async () => {
  await post('prepared', { word: 'loud' }, { idem: 'k1' });
  assert.equal((await post('prepared', { word: 'loud' }, { idem: 'k1' })).replayed, 'true');
  assert.deepEqual([d.seen.prepared, await d.marks()], [1, ['LOUD']]);
  const refusal = await post('prepared', { word: 'unreachable' }, { idem: 'k2' });
  assert.deepEqual(
    [refusal.status, refusal.code, (await post('prepared', { word: 'unreachable' }, { idem: 'k2' })).replayed],
    [422, 'inbox_connection_failed', 'true'],
  );
});

test('a key is 1 to 255 visible characters', async () => {
  for (const idem of ['', 'a b', 'a\tb', 'é', 'x'.repeat(256)]) {
    const reply = await post('marks', { word: 'a' }, { idem });
    assert.deepEqual([reply.status, reply.code], [400, 'invalid_parameter'], idem);
  }
  assert.equal((await post('marks', { word: 'a' }, { idem: `~!${'x'.repeat(253)}` })).status, 201);
});

const CLAIM = { workspaceId: 'wsp_one', mode: 'test' as const, key: 'k', method: 'POST', path: '/v1/marks', bodyHash: 'h', secret: false };
const isInProgress = (error: unknown) => error instanceof Refusal && error.code === 'idempotency_in_progress';

test('of two calls with one key in one batch only the first goes on', async () => {
  const [first, second, other] = await inTransaction(d.world, ({ db }) =>
    begin(db, [CLAIM, CLAIM, { ...CLAIM, mode: 'live' }], d.world.clock.wall()),
  );
  assert.deepEqual([first, isInProgress(second), other], [undefined, true, undefined]);
});

test('an answer is never kept over another: the later transaction must give up', async () => {
  const kept = [{ claim: CLAIM, status: 200, text: '{}', resourceId: null }];
  await keep(d.db, kept, d.world.clock.wall());
  await assert.rejects(keep(d.db, kept, d.world.clock.wall()), isInProgress);
});

test('a key whose transaction has not ended is in progress for another connection, and free when it is rolled back', async () => {
  const at = d.world.clock.wall();
  await assert.rejects(
    inTransaction(d.world, async ({ db }) => {
      assert.deepEqual(await begin(db, [CLAIM], at), [undefined]);
      const [inside] = await begin(d.db, [CLAIM], at);
      assert.ok(isInProgress(inside));
      throw new Error('rolled back');
    }),
    /rolled back/,
  );
  assert.deepEqual(await begin(d.db, [CLAIM], at), [undefined]);
});

test('gathered calls share transactions, each gets its own answer, and a poisonous one fails alone', async () => {
  const words = Array.from({ length: 60 }, (_, i) => (i === 17 ? 'boom' : i === 31 ? 'refuse' : `w${i}`));
  const replies = await Promise.all(words.map((word) => post('gathered', { word }, { idem: word })));
  replies.forEach((reply, i) => {
    assert.equal(reply.status, i === 17 ? 500 : i === 31 ? 422 : 201);
    if (reply.status === 201) assert.equal((JSON.parse(reply.text) as { word: string }).word, words[i]);
  });
  assert.deepEqual((await d.marks()).sort(), words.filter((one) => one !== 'boom' && one !== 'refuse').sort());
  assert.ok(d.seen.batches.some((size) => size > 10), String(d.seen.batches)); // prettier-ignore
  assert.equal((await post('gathered', { word: 'w3' }, { idem: 'w3' })).replayed, 'true');
});

test('a call that is apart has a transaction of its own, with its key and its answer', async () => {
  const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => post('gathered', { word: `apart${i}` }, { idem: `a${i}` })));
  assert.deepEqual([replies.map((one) => one.status), d.seen.batches], [Array.from({ length: 20 }, () => 201), Array.from({ length: 20 }, () => 1)]);
  assert.equal((await post('gathered', { word: 'apart3' }, { idem: 'a3' })).text, replies[3]!.text);
  assert.equal((await d.marks()).length, 20);
});

test('calls of two workspaces never share a transaction', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, i) => post('gathered', { word: `w${i}` }, { key: i % 2 ? 'write' : 'write_2' })));
  const rows = await rowsOf<{ workspace_id: string; word: string }>(d.db, 'select workspace_id, word from marks', []);
  assert.equal(rows.length, 40);
  for (const row of rows) assert.equal(row.workspace_id, Number(row.word.slice(1)) % 2 ? 'wsp_one' : 'wsp_two');
});
