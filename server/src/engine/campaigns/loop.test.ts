import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { stage } from '#testing/stage.ts';

test('a campaign that cannot be planned delays no other, and goes on when it can', async () => {
  await using s = await stage();
  await rowsOf(s.h.db, `alter table sends add constraint poison check (to_email <> 'poison@people.test')`, []);
  await s.campaign(['first@people.test']);
  const { id } = await s.campaign(['poison@people.test']);
  await s.campaign(['last@people.test']);
  await s.h.settle();
  assert.deepEqual(s.office.deliveries.map((one) => one.recipient).sort(), ['first@people.test', 'last@people.test']);
  assert.equal(s.h.lines.filter((line) => line.includes('could not be planned')).length, 1);
  await rowsOf(s.h.db, 'alter table sends drop constraint poison', []);
  await s.h.run(60_000);
  assert.deepEqual(await s.statuses(id), { poison: 'finished' });
});
