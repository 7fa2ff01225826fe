import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#platform/clock.ts';
import { logTo } from '#platform/log.ts';
import { freshDatabase } from '#testing/database.ts';
import { connect, inTransaction, rowsOf, sqlState } from './db.ts';

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
