import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { beforeCommit, inTransaction, rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import type { Ctx } from '#world/ctx.ts';
import { type Happening, record } from './index.ts';

let h: House;
before(async () => void (h = await house({ madeUpEvents: true })));
after(() => h.close());

const happened = (resourceId: string, data: object = {}): Happening => ({ type: 'contact.updated', resourceId, data });
const sequences = async ({ workspaceId, mode }: Ctx) => {
  const text = 'select sequence, resource_id from events where workspace_id = $1 and mode = $2 order by sequence';
  return rowsOf<{ sequence: number; resource_id: string }>(h.db, text, [workspaceId, mode]);
};
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test('fifty transactions at once over two workspaces, a third of them undone: no gap, no double, none lost', async () => {
  const tenants = [await h.ctx({ workspace: 'gap one' }), await h.ctx({ workspace: 'gap two' })];
  const expected: number[] = [0, 0];
  const work = Array.from({ length: 50 }, async (_, n) => {
    const undone = n % 3 === 0;
    if (!undone) for (const [i] of tenants.entries()) expected[i]! += 1 + ((n + i) % 3);
    const running = inTransaction(h.world, async ({ db }) => {
      // Each the other way round: whoever locked in the order of telling would meet a deadlock.
      for (const i of n % 2 ? [0, 1] : [1, 0]) {
        const ctx = { ...tenants[i]!, db };
        record(ctx, ...Array.from({ length: 1 + ((n + i) % 3) }, (_unused, k) => happened(`${n}-${k}`)));
      }
      await rowsOf(db, 'select pg_sleep($1)', [(n % 5) / 500]);
      if (undone) throw new Error('undone');
    });
    await running.catch((error: Error) => assert.equal(error.message, 'undone'));
  });
  await Promise.all(work);
  for (const [i, ctx] of tenants.entries()) {
    const rows = await sequences(ctx);
    assert.deepEqual(
      rows.map((row) => row.sequence),
      upTo(expected[i]!),
    );
    for (const row of rows) assert.notEqual(Number(row.resource_id.split('-')[0]) % 3, 0, 'none of what was undone');
  }
});

test('the events of one transaction keep their order, also those that a last act tells', async () => {
  const ctx = await h.ctx({ workspace: 'order' });
  await inTransaction(ctx, async (inside) => {
    record(inside, happened('1'), happened('2'));
    beforeCommit(inside.db, async () => record(inside, happened('4')));
    record(inside, happened('3'));
  });
  assert.deepEqual(
    await sequences(ctx),
    upTo(4).map((n) => ({ sequence: n, resource_id: String(n) })),
  );
  await inTransaction(ctx, async (inside) => record(inside, ...upTo(20).map((n) => happened(String(n)))));
  const listed = (await (await h.api({ workspace: 'order' })).events.list({ limit: 100 })).data;
  assert.deepEqual(
    listed.map((one) => one.sequence).filter((n) => n > 4),
    upTo(24).slice(4).reverse(),
  );
});

test('modes count for themselves; an undone transaction takes no number', async () => {
  const [live, quiet] = [await h.ctx({ workspace: 'modes', mode: 'live' }), await h.ctx({ workspace: 'modes', mode: 'test' })];
  await inTransaction(live, async (inside) => record(inside, happened('a')));
  await assert.rejects(
    inTransaction(live, async (inside) => {
      record(inside, happened('lost'));
      throw new Error('undone');
    }),
  );
  await inTransaction(quiet, async (inside) => record(inside, happened('t')));
  await inTransaction(live, async (inside) => record(inside, happened('b')));
  assert.deepEqual(await sequences(live), [
    { sequence: 1, resource_id: 'a' },
    { sequence: 2, resource_id: 'b' },
  ]);
  assert.deepEqual(await sequences(quiet), [{ sequence: 1, resource_id: 't' }]);
  assert.throws(() => record(live, happened('outside')), /needs a transaction/);
});

test('what was written stays: no update, no delete, no truncate, not by SQL either', async () => {
  const ctx = await h.ctx({ workspace: 'stone' });
  await inTransaction(ctx, async (inside) => record(inside, happened('x', { a: 1 })));
  const before = await rowsOf(h.db, 'select * from events where workspace_id = $1', [ctx.workspaceId]);
  for (const text of [
    `update events set data = '{}'`,
    'update events set sequence = sequence + 1',
    'delete from events',
    `delete from events where resource_id = 'x'`,
    'truncate events',
    'truncate events cascade',
    'truncate contacts, events, event_counters cascade',
  ]) {
    await assert.rejects(rowsOf(h.db, text, []), /events are immutable/, text);
  }
  assert.deepEqual(await rowsOf(h.db, 'select * from events where workspace_id = $1', [ctx.workspaceId]), before);
});

test('an event shows what was told, to the letter', async () => {
  const ctx = await h.ctx({ workspace: 'letter' });
  const data = { text: `ü "quoted" \\ 𝕏 \u2028`, list: [1, null, { deep: true }], number: 1.5 };
  await inTransaction(ctx, async (inside) => {
    record(inside, { ...happened('con_x', data), previous: { email: 'a@b.co' }, metadata: { 'k k': ' v\n' } });
  });
  const api = await h.api({ workspace: 'letter' });
  const [event] = (await api.events.list()).data;
  assert.deepEqual(
    [event!.object, event!.mode, event!.type, event!.resource_id, event!.data, event!.previous, event!.metadata, event!.sequence, event!.created_at],
    ['event', 'test', 'contact.updated', 'con_x', data, { email: 'a@b.co' }, { 'k k': ' v\n' }, 1, h.now().toISOString()],
  );
  assert.deepEqual(JSON.parse(JSON.stringify(await api.events.retrieve(event!.id))), event);
});

test('events are read only: filtered by type and resource, one mode and workspace at a time, and changed by no method', async () => {
  const api = await h.api({ workspace: 'read' });
  const { id } = await api.inboxes.createSandbox();
  h.tick(1);
  await api.contacts.create({ email: 'ann@example.com' });
  const types = async (query: object, who = api) => (await who.events.list(query)).data.map((one) => one.type);
  assert.deepEqual(await types({}), ['contact.created', 'inbox.connected']);
  assert.deepEqual(await types({ type: 'inbox.connected' }), ['inbox.connected']);
  assert.deepEqual(await types({ resource_id: id }), ['inbox.connected']);
  assert.deepEqual(await types({ resource_id: id, type: 'contact.created' }), []);
  assert.deepEqual(await types({ resource_id: `x' or '1'='1` }), []);
  assert.deepEqual(await types({ resource_id: id }, await h.api({ workspace: 'read other' })), []);
  assert.deepEqual(await types({}, await h.api({ workspace: 'read', mode: 'live' })), []);
  for (const [param, value] of [
    ['type', 'inbox.exploded'],
    ['type', ''],
    ['limit', '0'],
    ['sequence', '1'],
    ['after_sequence', '-1'],
    ['after_sequence', 'x'],
    ['after_sequence', '1e3'],
  ]) {
    await refused(api.events.list({ [param!]: value } as object), 400, 'invalid_parameter', param);
  }
  const after = async (sequence: number, query: object = {}) =>
    (await api.events.list({ after_sequence: sequence, ...query }).then((page) => page.data)).map((one) => one.sequence);
  assert.deepEqual([await after(0), await after(1), await after(2), await after(0, { type: 'inbox.connected' })], [[2, 1], [2], [], [1]]);
  assert.deepEqual(
    await api.events
      .list({ after_sequence: 0, limit: 1 })
      .toArray()
      .then((all) => all.map((one) => one.sequence)),
    [2, 1],
  );
  const [event] = (await api.events.list()).data;
  const authorization = `Bearer ${await h.secretFor({ workspace: 'read' })}`;
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'] as const) {
    const answer = await h.app.inject({ method, url: `/v1/events/${event!.id}`, headers: { authorization } });
    assert.deepEqual([answer.statusCode, answer.headers['allow']], [405, 'GET, HEAD'], method);
  }
});
