import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type Stage, stage } from '#testing/stage.ts';

const MINUTE = 60_000;
const forbid = (s: Stage) => rowsOf(s.h.db, `alter table sends add constraint poison check (to_email not like 'poison%')`, []);
const allow = (s: Stage) => rowsOf(s.h.db, 'alter table sends drop constraint poison', []);
const said = (s: Stage, words: string) => s.h.lines.filter((line) => line.includes(words)).length;
const reached = (s: Stage) => s.office.deliveries.map((one) => one.recipient).sort();

test('a campaign that cannot be planned delays no other, and goes on when it can', async () => {
  await using s = await stage();
  await forbid(s);
  await s.campaign(['first@people.test']);
  const { id } = await s.campaign(['poison@people.test']);
  await s.campaign(['last@people.test']);
  await s.h.settle();
  assert.deepEqual(reached(s), ['first@people.test', 'last@people.test']);
  assert.equal(said(s, 'could not be planned'), 1);
  await allow(s);
  await s.h.run(16 * MINUTE);
  assert.deepEqual(await s.statuses(id), { poison: 'finished' });
});

test('leads that cannot be written are put off, each named in the log; the others of their campaign go on at once, with gaps as ever', async () => {
  await using s = await stage({ senders: ['ann@sender.test', 'bob@sender.test'] });
  await forbid(s);
  const { id } = await s.campaign(['one@people.test', 'poison1@people.test', 'two@people.test', 'poison2@people.test', 'three@people.test']);
  await s.h.settle();
  await s.h.run(5 * MINUTE);
  assert.deepEqual(reached(s), ['one@people.test', 'three@people.test', 'two@people.test']);
  assert.equal(said(s, 'a campaign could not be planned'), 1);
  const named = s.h.lines.flatMap((line) => (line.includes('a lead is put off') ? (JSON.parse(line) as { enrollment: string }).enrollment : []));
  const waiting = await rowsOf<{ id: string; plan_due_at: Date; next_send_at: Date }>(
    s.h.db,
    `select id, plan_due_at, next_send_at from enrollments where contact_email like 'poison%' order by id`,
    [],
  );
  assert.deepEqual(named.sort(), waiting.map((one) => one.id)); // prettier-ignore
  for (const one of waiting) assert.deepEqual(one.next_send_at, one.plan_due_at);
  await allow(s);
  await s.h.run(16 * MINUTE);
  assert.deepEqual(new Set(Object.values(await s.statuses(id))), new Set(['finished']));
  assert.equal(s.office.deliveries.length, 5);
});

test('a database that is short of something puts off nobody', async () => {
  await using s = await stage();
  await rowsOf(
    s.h.db,
    `create function full_disk() returns trigger language plpgsql as $$ begin raise exception 'no space left' using errcode = 'disk_full'; end $$`,
    [],
  );
  await rowsOf(s.h.db, 'create trigger full_disk before insert on sends for each row execute function full_disk()', []);
  const { id } = await s.campaign(['one@people.test', 'two@people.test']);
  await s.h.settle();
  assert.equal(said(s, 'a campaign could not be planned'), 1);
  assert.equal(said(s, 'put off'), 0);
  await rowsOf(s.h.db, 'drop trigger full_disk on sends', []);
  await s.h.run(MINUTE);
  assert.deepEqual(await s.statuses(id), { one: 'finished', two: 'finished' });
});
