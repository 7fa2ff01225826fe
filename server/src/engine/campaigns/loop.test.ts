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

test('of many leads the few who are to blame are found by halves', async () => {
  await using s = await stage();
  await forbid(s);
  const { id } = await s.campaign(Array.from({ length: 40 }, (_, i) => `${i === 17 ? 'poison' : 'lead'}${i}@people.test`));
  const looks: number[] = [];
  const { transaction } = s.h.world.db;
  s.h.world.db.transaction = () => {
    looks.push(1);
    return transaction.call(s.h.world.db);
  };
  await s.h.campaigns.step();
  s.h.world.db.transaction = transaction;
  const planned = await rowsOf<{ count: number }>(s.h.db, 'select count(*) from sends where campaign_id = $1', [id]);
  assert.deepEqual([planned[0]!.count, said(s, 'a lead is put off')], [39, 1]);
  assert.ok(looks.length < 20, `${looks.length} transactions`);
});

test('new leads stay spread where leads are tried apart', async () => {
  await using s = await stage();
  await s.api.inboxes.update(s.inbox.id, { min_gap_seconds: 1, max_gap_seconds: 2, daily_limit: 20 });
  await forbid(s);
  await s.campaign(['next@people.test', 'poison@people.test', ...Array.from({ length: 6 }, (_, i) => `new${i}@people.test`)], { steps: 2 });
  const begun = `update enrollments set current_step = 1, assigned_inbox_id = $1 where contact_email !~ '^new'`;
  await rowsOf(s.h.db, begun, [s.inbox.id]);
  for (let i = 0; i < 20; i++) {
    await s.h.campaigns.step();
    s.h.tick(5_000);
  }
  assert.equal(said(s, 'a lead is put off'), 1);
  const [planned] = await rowsOf<{ count: number }>(s.h.db, `select count(*) from sends where to_email ~ '^new'`, []);
  assert.equal(planned!.count, 1);
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

test('a database that is short of something while leads are tried apart puts off nobody but who was found to blame', async () => {
  await using s = await stage();
  await forbid(s);
  await rowsOf(
    s.h.db,
    `create function full_disk() returns trigger language plpgsql as $$ begin
       if new.to_email like 'late%' then raise exception 'no space left' using errcode = 'disk_full'; end if; return new; end $$`,
    [],
  );
  await rowsOf(s.h.db, 'create trigger full_disk after insert on sends for each row execute function full_disk()', []);
  const { id } = await s.campaign(['poison@people.test', 'late1@people.test', 'late2@people.test']);
  await s.h.settle();
  assert.deepEqual([said(s, 'a lead is put off'), said(s, 'the other leads of a campaign could not be planned')], [1, 1]);
  await rowsOf(s.h.db, 'drop trigger full_disk on sends', []);
  await s.h.run(2 * MINUTE);
  assert.deepEqual(await s.statuses(id), { poison: 'active', late1: 'finished', late2: 'finished' });
});
