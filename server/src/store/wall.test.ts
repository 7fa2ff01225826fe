import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '#platform/clock.ts';
import { logTo } from '#platform/log.ts';
import { freshDatabase, serverUrl } from '#testing/database.ts';
import { type Db, connect, inTransaction, isConnectionLost, rowsOf, sqlState } from './db.ts';
import { migrate } from './migrate.ts';
import { forTenant } from './tenant.ts';
import { wallOf } from './wall.ts';

const clock = systemClock();
const AT = new Date('2030-01-07T09:00:00Z');
let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Db;
before(async () => {
  database = await freshDatabase();
  // One connection on each side: what a tenant leaves behind, the next one would find.
  db = connect(database.url, { log: logTo('silent'), max: 1 });
  for (const id of ['wsp_a', 'wsp_b']) {
    await rowsOf(db, 'insert into workspaces (id, name, cancel_at_period_end, created_at) values ($1, $1, false, $2)', [id, AT]);
    for (const mode of ['live', 'test']) await addContact(db, id, mode, `con_${id}_${mode}`);
  }
});
after(async () => {
  await db.destroy();
  await database.drop();
});

const addContact = (on: Db, workspace: string, mode: string, id: string) =>
  rowsOf(
    on,
    `insert into contacts (workspace_id, id, mode, email, email_key, search_text, attributes, global_status, created_at, updated_at)
     values ($1, $3, $2, $3, $3, $3, '{}', 'ok', $4, $4)`,
    [workspace, mode, id, AT],
  );
/** The handler that forgot its `where`. */
const everyContact = async (on: Db) => (await rowsOf<{ id: string }>(on, 'select id from contacts order by id', [])).map((row) => row.id);
const everyWorkspace = async (on: Db) => (await rowsOf<{ id: string }>(on, 'select id from workspaces order by id', [])).map((row) => row.id);
const [a, aLive, b] = [
  () => forTenant(db, 'wsp_a', 'test'),
  () => forTenant(db, 'wsp_a', 'live'),
  () => forTenant(forTenant(db, 'wsp_a', 'live'), 'wsp_b', 'test'),
];

test('a statement that names no workspace sees its own workspace and mode, and the service sees all', async () => {
  for (const [on, workspace, mode] of [[a(), 'wsp_a', 'test'], [aLive(), 'wsp_a', 'live'], [b(), 'wsp_b', 'test'], [a(), 'wsp_a', 'test']] as const) {
    assert.deepEqual(await everyContact(on), [`con_${workspace}_${mode}`]);
    assert.deepEqual(await everyWorkspace(on), [workspace]);
    assert.deepEqual(await rowsOf(on, `select id from contacts where workspace_id <> $1 or mode <> $2`, [workspace, mode]), []);
  }
  assert.equal((await everyContact(db)).length, 4);
  assert.deepEqual(await everyContact(forTenant(db, 'wsp_none', 'test')), []);
  assert.deepEqual(await everyContact(forTenant(db, '', 'test')), []);
}); // prettier-ignore

test('nothing is written into, changed in or taken from another tenant or mode', async () => {
  const refused = (error: unknown) => sqlState(error) === '42501';
  await assert.rejects(addContact(a(), 'wsp_b', 'test', 'con_x'), refused);
  await assert.rejects(addContact(a(), 'wsp_a', 'live', 'con_x'), refused);
  await assert.rejects(rowsOf(a(), `update contacts set workspace_id = 'wsp_b'`, []), refused);
  await assert.rejects(rowsOf(a(), `update contacts set mode = 'live'`, []), refused);
  const whole = () => rowsOf(db, 'select * from contacts order by id', []);
  const before = await whole();
  await inTransaction({ db: a(), clock }, async (inside) => {
    assert.equal((await rowsOf(inside.db, `update contacts set email = 'taken' returning id`, [])).length, 1);
    assert.equal((await rowsOf(inside.db, `delete from contacts returning id`, [])).length, 1);
    throw new Error('back');
  }).catch((error: Error) => assert.equal(error.message, 'back'));
  await assert.rejects(rowsOf(a(), 'truncate contacts', []), refused);
  await assert.rejects(rowsOf(a(), 'alter table contacts disable row level security', []), refused);
  await assert.rejects(rowsOf(a(), 'select * from migrations', []), refused);
  assert.deepEqual(await whole(), before);
});

test('after an error, a rollback, a setting of its own or the loss of its connection, it serves whom it is asked for', async () => {
  const only = async () => {
    assert.deepEqual(await everyContact(b()), ['con_wsp_b_test']);
    assert.deepEqual(await everyContact(a()), ['con_wsp_a_test']);
  };
  await assert.rejects(rowsOf(a(), 'select 1 / 0', []), (error) => sqlState(error) === '22012');
  await only();
  // The setting that serves `b` is made before the transaction begins, so that its rollback does not bring `a` back.
  await assert.rejects(inTransaction({ db: b(), clock }, async (inside) => void (await rowsOf(inside.db, 'select 1 / 0', []))));
  assert.deepEqual(await everyContact(b()), ['con_wsp_b_test']);
  await only();
  const killed = inTransaction({ db: a(), clock }, async (inside) => {
    const [own] = await rowsOf<{ pid: number }>(inside.db, 'select pg_backend_pid() as pid', []);
    await rowsOf(db, 'select pg_terminate_backend($1)', [own!.pid]);
    await rowsOf(inside.db, 'select 1', []);
  });
  await assert.rejects(killed, isConnectionLost);
  await only();
  // A statement that begins a transaction by itself and leaves it open takes its connection with it.
  await rowsOf(a(), 'begin', []);
  await only();
  await rowsOf(db, 'select 1', []);
});

test('many tenants at once over few connections: nobody sees what is not theirs', async () => {
  await using wide = Object.assign(connect(database.url, { log: logTo('silent'), max: 3 }), { [Symbol.asyncDispose]: () => wide.destroy() });
  const ask = async (workspace: string, mode: 'live' | 'test', turn: number) => {
    const own = forTenant(wide, workspace, mode);
    if (turn % 5 === 0) return assert.rejects(rowsOf(own, 'select 1 / 0', []));
    const seen = turn % 3 ? await everyContact(own) : await inTransaction({ db: own, clock }, (inside) => everyContact(inside.db));
    assert.deepEqual(seen, [`con_${workspace}_${mode}`]);
  };
  const tenants = [['wsp_a', 'test'], ['wsp_a', 'live'], ['wsp_b', 'test'], ['wsp_b', 'live']] as const;
  await Promise.all(Array.from({ length: 400 }, (_, i) => ask(tenants[i % 4]![0], tenants[i % 4]![1], i)));
}); // prettier-ignore

test('a connection that served the same tenant last costs no round trip', async () => {
  const heard: string[] = [];
  const real = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [what] = args as [string | { text: string }];
    heard.push(typeof what === 'string' ? what : what.text);
    return (real as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof real;
  try {
    await everyContact(a());
    heard.length = 0;
    await everyContact(a());
    await inTransaction({ db: a(), clock }, async (inside) => void (await everyContact(inside.db)));
    assert.deepEqual(heard, ['select id from contacts order by id', 'begin', 'select id from contacts order by id', 'commit']);
    heard.length = 0;
    await everyContact(b());
    assert.deepEqual(heard.length, 2);
  } finally {
    pg.Client.prototype.query = real;
  }
});

/** Tables that are no tenant's: callers' connections cannot read them at all. */
const NOBODYS = ['heartbeats', 'migrations'];

test('every tenant table stands behind the wall, with its mode where it has one, and every other is closed to callers', async () => {
  const rows = await rowsOf<{ name: string; rule: string | null; enabled: boolean; has_mode: boolean; readable: boolean }>(
    db,
    `select c.relname as name, c.relrowsecurity as enabled, pg_get_expr(p.polqual, p.polrelid) as rule,
            exists (select from pg_attribute where attrelid = c.oid and attname = 'mode' and not attisdropped) as has_mode,
            has_table_privilege(session_user || '_tenant', c.oid, 'select') as readable
       from pg_class c left join pg_policy p on p.polrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    [],
  );
  assert.deepEqual(rows.filter((one) => !one.readable).map((one) => one.name), NOBODYS); // prettier-ignore
  for (const { name, rule, enabled, has_mode: hasMode } of rows.filter((one) => one.readable)) {
    assert.ok(enabled, name);
    assert.match(rule ?? '', /id = current_setting\('postrider\.workspace_id'/, `${name} has no policy`);
    assert.equal(rule!.includes('postrider.mode'), hasMode, name);
  }
  const views = await rowsOf(db, `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')`, []);
  assert.deepEqual(views, [], 'a view is read with the rights of its owner');
});

test('a table that a later migration adds is taken in; one that gains a mode, too', async (t) => {
  const own = await freshDatabase();
  t.after(own.drop);
  const wide = connect(own.url, { log: logTo('silent'), max: 1 });
  await rowsOf(wide, 'create table notes (workspace_id text, word text)', []);
  await rowsOf(wide, `insert into notes values ('wsp_a', 'a'), ('wsp_b', 'b')`, []);
  const mine = forTenant(wide, 'wsp_a', 'test');
  const words = () => rowsOf<{ word: string }>(mine, 'select word from notes', []);
  await assert.rejects(words(), (error) => sqlState(error) === '42501');
  assert.deepEqual(await wallOf(own.url), { raised: false, because: 'The table notes has no policy: the database user must own the tables.' });
  await migrate(own.url);
  assert.deepEqual(await words(), [{ word: 'a' }]);
  await rowsOf(wide, `alter table notes add mode text`, []);
  await rowsOf(wide, `insert into notes values ('wsp_a', 'live', 'live'), ('wsp_a', 'test', 'test')`, []);
  await migrate(own.url);
  assert.deepEqual(await words(), [{ word: 'test' }]);
  assert.deepEqual(await wallOf(own.url), { raised: true });
  await wide.destroy();
});

/** A database that belongs to a user with no more rights than `rights`. */
async function poorHouse(t: { after(work: () => Promise<void>): void }, name: string, rights: string) {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  const user = `${name}_${process.pid}`;
  const drop = async () => {
    await client.query(`drop role if exists ${user}_tenant`);
    await client.query(`drop role if exists ${user}`);
  };
  await drop();
  await client.query(`create role ${user} login ${rights}`);
  const bare = `${user}_db`;
  await client.query(`create database ${bare} owner ${user}`);
  t.after(async () => {
    await client.query(`drop database ${bare} with (force)`);
    await drop();
    await client.end();
  });
  const url = serverUrl()
    .replace(/\/\/[^@]*@/, `//${user}@`)
    .replace(/^([^?]*\/)[^/?]*/, `$1${bare}`);
  return { url, user, admin: client };
}

test('a user that may not create roles: the wall is not raised, the words say what to do, and doing it raises it', async (t) => {
  const { url, user, admin } = await poorHouse(t, 'poor', '');
  await migrate(url);
  const first = await wallOf(url);
  assert.ok(!first.raised);
  assert.match(
    first.because,
    new RegExp(`may not create the role ${user}_tenant.*create role ${user}_tenant nologin; grant ${user}_tenant to ${user};`),
  );
  const open = connect(url, { log: logTo('silent'), walled: false });
  await rowsOf(
    open,
    `insert into workspaces (id, name, cancel_at_period_end, created_at) values ('wsp_a', 'a', false, now()), ('wsp_b', 'b', false, now())`,
    [],
  );
  assert.equal((await everyWorkspace(forTenant(open, 'wsp_a', 'test'))).length, 2, 'the service goes on without it');
  await open.destroy();
  await admin.query(`create role ${user}_tenant nologin bypassrls`);
  assert.match(JSON.stringify(await wallOf(url)), /bypasses/);
  await admin.query(`alter role ${user}_tenant nobypassrls`);
  assert.match(JSON.stringify(await wallOf(url)), /may not act as/);
  await admin.query(`grant ${user}_tenant to ${user}`);
  await migrate(url);
  assert.deepEqual(await wallOf(url), { raised: true });
  const walled = connect(url, { log: logTo('silent') });
  assert.deepEqual(await everyWorkspace(forTenant(walled, 'wsp_a', 'test')), ['wsp_a']);
  assert.equal((await everyWorkspace(walled)).length, 2);
  await walled.destroy();
});

test('a user that may create roles raises it by itself; one that would stand before it does not begin', async (t) => {
  const { url, user, admin } = await poorHouse(t, 'able', 'createrole');
  await migrate(url);
  assert.deepEqual(await wallOf(url), { raised: true });
  const guest = `guest_${process.pid}`;
  await admin.query(`create role ${guest} login`);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`grant all on all tables in schema public to ${guest}; grant all on schema public to ${guest};`);
  await assert.rejects(migrate(url.replace(`//${user}@`, `//${guest}@`)), /does not see every row of \w+: let it own the tables/);
  await owner.query(`revoke all on all tables in schema public from ${guest}; revoke all on schema public from ${guest};`);
  await owner.end();
  await admin.query(`drop role ${guest}`);
});
