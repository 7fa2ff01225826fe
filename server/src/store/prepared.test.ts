import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#platform/clock.ts';
import { logTo } from '#platform/log.ts';
import { freshDatabase } from '#testing/database.ts';
import { connect, inTransaction, planOnce, rowsOf, sqlState } from './db.ts';

test('a statement is prepared once; when its table changes, a transaction is tried again on a connection that is not outdated', async () => {
  const database = await freshDatabase();
  const db = connect(database.url, { log: logTo('fatal'), max: 1 });
  const clock = systemClock();
  const text = 'select * from things where a = $1';
  await rowsOf(db, 'create table things (a int)', []);
  await rowsOf(db, 'insert into things values ($1)', [1]);
  assert.deepEqual(await rowsOf(db, text, [1]), [{ a: 1 }]);
  const held = await rowsOf<{ count: number }>(db, 'select count(*) from pg_prepared_statements where statement = $1', [text]);
  assert.equal(held[0]!.count, 1);
  await rowsOf(db, `alter table things add b text not null default 'b'`, []);
  assert.deepEqual(await inTransaction({ db, clock }, (inside) => rowsOf(inside.db, text, [1])), [{ a: 1, b: 'b' }]);
  await rowsOf(db, 'alter table things add c int', []);
  await assert.rejects(rowsOf(db, text, [1]), (error) => sqlState(error) === '0A000');
  assert.deepEqual(await rowsOf(db, text, [1]), [{ a: 1, b: 'b', c: null }]);
  await db.destroy();
  await database.drop();
});

test('planOnce: the plan for any values, until the transaction ends; wherever it is asked for, the transaction stays whole', async () => {
  const database = await freshDatabase();
  const db = connect(database.url, { log: logTo('fatal'), max: 1 });
  const world = { db, clock: systemClock() };
  const text = 'insert into things select * from unnest($1::int[])';
  const plans = async () => {
    const asked = 'select generic_plans, custom_plans from pg_prepared_statements where statement = $1';
    const [row] = await rowsOf<{ generic_plans: number; custom_plans: number }>(db, asked, [text]);
    return [row!.generic_plans, row!.custom_plans];
  };
  await rowsOf(db, 'create table things (a int)', []);
  await rowsOf(db, 'set plan_cache_mode = auto', []);
  await rowsOf(db, text, [[1]]);
  assert.deepEqual(await plans(), [0, 1]);
  await inTransaction(world, async (inside) => {
    await planOnce(inside.db);
    await rowsOf(inside.db, text, [[2]]);
  });
  assert.deepEqual(await plans(), [1, 1]);
  await rowsOf(db, text, [[3]]);
  assert.deepEqual(await plans(), [1, 2]);
  // In the midst of one, in one that does nothing else, and in one that is undone.
  await inTransaction(world, async (inside) => {
    await rowsOf(inside.db, text, [[4]]);
    await planOnce(inside.db);
  });
  await inTransaction(world, (inside) => planOnce(inside.db));
  const undone = inTransaction(world, async (inside) => {
    await planOnce(inside.db);
    await rowsOf(inside.db, text, [[5]]);
    throw new Error('undone');
  });
  await assert.rejects(undone, /undone/);
  await rowsOf(db, text, [[6]]);
  assert.deepEqual(await plans(), [1 + 1, 4]);
  const there = await rowsOf<{ a: number }>(db, 'select a from things order by a', []);
  assert.deepEqual(there.map((row) => row.a), [1, 2, 3, 4, 6]); // prettier-ignore
  await db.destroy();
  await database.drop();
});
