import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '#platform/clock.ts';
import { logTo } from '#platform/log.ts';
import { freshDatabase } from '#testing/database.ts';
import { type Db, beforeCommit, connect, inTransaction, isConnectionLost, json, rowsOf, rowsOfEach, sqlState } from './db.ts';

const clock = systemClock();
const lines: string[] = [];
const log = logTo('warn', { write: (line) => void lines.push(line) });
let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Db;
before(async () => {
  database = await freshDatabase();
  db = connect(database.url, { log, max: 6 });
  await rowsOf(db, 'create table marks (id text primary key, count bigint not null, day date, held jsonb, list text[])', []);
});
after(async () => {
  await db.destroy();
  await database.drop();
});

const put = (on: Db, id: string) => rowsOf(on, 'insert into marks (id, count) values ($1, 0)', [id]);
const add = (on: Db, id: string) => rowsOf(on, 'update marks set count = count + 1 where id = $1', [id]);
const countOf = async (id: string) => (await rowsOf<{ count: number }>(db, 'select count from marks where id = $1', [id]))[0]?.count;

test('a deadlock is tried again until both have their way', async () => {
  await put(db, 'a');
  await put(db, 'b');
  let attempts = 0;
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const across = (first: string, second: string) =>
    inTransaction({ db, clock }, async (inside) => {
      const attempt = attempts++;
      await add(inside.db, first);
      both[attempt]?.resolve();
      // Each has what the other wants before it goes on.
      await Promise.all(both.map((one) => one.promise));
      await add(inside.db, second);
    });
  await Promise.all([across('a', 'b'), across('b', 'a')]);
  assert.ok(attempts >= 3, String(attempts));
  assert.deepEqual([await countOf('a'), await countOf('b')], [2, 2]);
});

test('what is no deadlock is tried once, and what conflicts for ever five times', async () => {
  const attempted = async (code: string) => {
    let attempts = 0;
    const raising = inTransaction({ db, clock }, async (inside) => {
      attempts++;
      await rowsOf(inside.db, `do $$ begin raise exception 'no' using errcode = '${code}'; end $$`, []);
    });
    await assert.rejects(raising, (error) => sqlState(error) === code);
    return attempts;
  };
  assert.deepEqual([await attempted('23505'), await attempted('P0001'), await attempted('40001'), await attempted('40P01')], [1, 1, 5, 5]);
});

test('a transaction inside a transaction is the same one', async () => {
  const fails = inTransaction({ db, clock }, async (outer) => {
    await inTransaction(outer, async (inner) => {
      assert.equal(inner.db, outer.db);
      await put(inner.db, 'inner');
    });
    throw new Error('outer');
  });
  await assert.rejects(fails, /outer/);
  assert.equal(await countOf('inner'), undefined);
});

test('last acts run after the work, in order, those that a last act adds too, and before the commit', async () => {
  const order: string[] = [];
  const act = (on: Db, name: string) => async () => {
    order.push(name);
    await put(on, name);
    assert.equal(await countOf(name), undefined, 'not committed yet');
    if (name === 'first') beforeCommit(on, act(on, 'third'));
  };
  await inTransaction({ db, clock }, async (inside) => {
    beforeCommit(inside.db, act(inside.db, 'first'));
    await inTransaction(inside, async (inner) => beforeCommit(inner.db, act(inner.db, 'second')));
    order.push('work');
  });
  assert.deepEqual(order, ['work', 'first', 'second', 'third']);
  assert.deepEqual(await Promise.all(['first', 'second', 'third'].map(countOf)), [0, 0, 0]);
  assert.throws(() => beforeCommit(db, async () => undefined), /needs a transaction/);
});

test('a last act that fails takes the work with it, work that fails has no last act, and a retry starts anew', async () => {
  let acts = 0;
  const failing = inTransaction({ db, clock }, async (inside) => {
    await put(inside.db, 'lost');
    beforeCommit(inside.db, () => Promise.reject(new Error('last')));
  });
  await assert.rejects(failing, /last/);
  assert.equal(await countOf('lost'), undefined);
  const broken = inTransaction({ db, clock }, async (inside) => {
    beforeCommit(inside.db, async () => void acts++);
    throw new Error('work');
  });
  await assert.rejects(broken, { message: /^work/ });
  assert.equal(acts, 0);
  let attempts = 0;
  await inTransaction({ db, clock }, async (inside) => {
    beforeCommit(inside.db, async () => {
      acts++;
      if (++attempts === 1) await rowsOf(inside.db, `do $$ begin raise exception 'no' using errcode = '40P01'; end $$`, []);
    });
  });
  assert.deepEqual([attempts, acts], [2, 2]);
});

test('the statement of the last act leaves with the commit: refused, it undoes everything; broken, the work is done again', async () => {
  const PUT = 'insert into marks (id, count) values ($1, 0)';
  const last = (name: string, text: string, parameters: readonly unknown[]) =>
    inTransaction({ db, clock }, async (inside) => {
      await put(inside.db, name);
      beforeCommit(inside.db, async () => ({ text: PUT, parameters: [`${name}, an earlier act`] }));
      beforeCommit(inside.db, async () => ({ text, parameters }));
    });
  await last('kept', PUT, ['kept, the last act']);
  assert.deepEqual(await Promise.all(['kept', 'kept, an earlier act', 'kept, the last act'].map(countOf)), [0, 0, 0]);
  await assert.rejects(last('undone', 'select 1 / $1::int', [0]), (error) => sqlState(error) === '22012');
  assert.deepEqual(await Promise.all(['undone', 'undone, an earlier act'].map(countOf)), [undefined, undefined]);
  let attempts = 0;
  await inTransaction({ db, clock }, async (inside) => {
    const fails = ++attempts === 1;
    const text = `do $$ begin if ${fails} then raise exception 'no' using errcode = '40P01'; end if; end $$`;
    beforeCommit(inside.db, async () => ({ text, parameters: [] }));
  });
  assert.equal(attempts, 2);
});

test('a transaction begins with its first statement, and one without any leaves its connection as it was', async () => {
  // Of the transaction that this statement is part of: whether something was written in it.
  const state = async (on: Db) => (await rowsOf<{ own: boolean }>(on, 'select pg_current_xact_id_if_assigned() is not null as own', []))[0]!.own;
  await inTransaction({ db, clock }, async () => undefined);
  assert.equal(await state(db), false);
  await assert.rejects(
    inTransaction({ db, clock }, () => Promise.reject(new Error('early'))),
    /early/,
  );
  assert.equal(await state(db), false);
  await inTransaction({ db, clock }, async (inside) => {
    await put(inside.db, 'begun');
    assert.equal(await state(inside.db), true);
    assert.equal(await countOf('begun'), undefined, 'not outside');
  });
});

test('statements that leave together are carried out in order, each seeing what was committed before it', async () => {
  await rowsOf(db, 'create table turns (id int primary key, held boolean not null)', []);
  await rowsOf(db, 'insert into turns values (1, false), (2, false)', []);
  const free = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = inTransaction({ db, clock }, async (inside) => {
    await rowsOf(inside.db, 'select 1 from turns where id = 1 for update', []);
    locked.resolve();
    await free.promise;
    await rowsOf(inside.db, 'update turns set held = true where id = 2', []);
  });
  await locked.promise;
  const asked = inTransaction({ db, clock }, ({ db: inside }) =>
    rowsOfEach(inside, [
      { text: 'select id from turns where id = $1 for update', parameters: [1] },
      { text: 'select held from turns where id = $1', parameters: [2] },
    ]),
  );
  free.resolve();
  await holder;
  assert.deepEqual(await asked, [[{ id: 1 }], [{ held: true }]]);
  const failing = inTransaction({ db, clock }, ({ db: inside }) =>
    rowsOfEach(inside, [
      { text: 'select 1 / $1::int', parameters: [0] },
      { text: 'insert into marks (id, count) values ($1, 0)', parameters: ['after a fault'] },
    ]),
  );
  await assert.rejects(failing, (error) => sqlState(error) === '22012');
  assert.equal(await countOf('after a fault'), undefined);
  await assert.rejects(rowsOfEach(db, []), /needs a transaction/);
});

test('counters come as numbers, days as text, JSON as it was', async () => {
  const held = [{ a: "it's", b: [1, null, { ü: '\\' }] }, 'text'];
  const [row] = await rowsOf(db, 'insert into marks values ($1, $2, $3, $4, $5) returning *', [
    'types',
    2 ** 40,
    '2026-02-28',
    json(held),
    ['x', 'y"z'],
  ]);
  assert.deepEqual(row, { id: 'types', count: 2 ** 40, day: '2026-02-28', held, list: ['x', 'y"z'] });
});

test('a statement that runs too long is ended, and is no lost connection', async () => {
  const hasty = connect(database.url, { log, max: 1, statementTimeoutMs: 50 });
  await assert.rejects(rowsOf(hasty, 'select pg_sleep(5)', []), (error) => sqlState(error) === '57014' && !isConnectionLost(error));
  await hasty.destroy();
});

test('a lost connection is known as one, and the next call gets another', async () => {
  const killed = inTransaction({ db, clock }, async (inside) => {
    const [own] = await rowsOf<{ pid: number }>(inside.db, 'select pg_backend_pid() as pid', []);
    await rowsOf(db, 'select pg_terminate_backend($1)', [own!.pid]);
    await rowsOf(inside.db, 'select 1', []);
  });
  await assert.rejects(killed, isConnectionLost);
  assert.deepEqual(await rowsOf(db, 'select 1 as one', []), [{ one: 1 }]);
  const nowhere = connect('postgresql://nobody@127.0.0.1:1/none', { log });
  await assert.rejects(rowsOf(nowhere, 'select 1', []), isConnectionLost);
  await nowhere.destroy();
  const noSocket = connect('postgresql://nobody@/none?host=/nowhere/at/all', { log });
  await assert.rejects(rowsOf(noSocket, 'select 1', []), isConnectionLost);
  await noSocket.destroy();
});

test('which errors tell of a lost connection', () => {
  const coded = (code: string, message = '') => Object.assign(new Error(message), { code });
  const lost = ['08000', '08006', '57P01', '57P02', '57P03', '53300', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT'];
  for (const code of [...lost, 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND']) assert.equal(isConnectionLost(coded(code)), true, code);
  for (const code of ['23505', '40P01', '40001', '57014', '42P01', '22P02', 'EACCES', 'ERR_X'])
    assert.equal(isConnectionLost(coded(code)), false, code);
  for (const text of ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])
    assert.ok(isConnectionLost(new Error(text)), text);
  for (const other of [null, undefined, 'ECONNREFUSED', {}, new Error('no'), { code: '08006' }]) assert.equal(isConnectionLost(other), false);
  assert.deepEqual(
    ['23505', 'EPIPE', 'x', ''].map((code) => sqlState(coded(code))),
    ['23505', '', '', ''],
  );
});
