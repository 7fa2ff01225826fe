import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '#platform/clock.ts';
import { until } from '#testing/until.ts';
import { repairLinks } from './binaries.ts';
import { type EmbeddedOptions, startEmbedded } from './embedded.ts';
import { launchers } from './launcher.ts';
import { isAlive } from './lock.ts';

const root = mkdtempSync(join(tmpdir(), 'pr-emb-'));
after(() => rmSync(root, { recursive: true, force: true }));
const clock = systemClock();
const settings = { fsync: 'off', shared_buffers: '16MB' };
const start = (dataDir: string, more: Partial<EmbeddedOptions> = {}) => startEmbedded({ dataDir, clock, settings, ...more });

/** A made cluster to copy from: initdb once for all tests. */
const made = join(root, 'made');
await (await start(made)).stop();
function fresh(name: string): string {
  const dir = join(root, name);
  cpSync(made, dir, { recursive: true });
  return dir;
}

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

const pidOf = (dir: string) => Number(readFileSync(join(dir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

async function startElsewhere(dir: string): Promise<{ child: ChildProcess; attached: boolean; url: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'starter.fixture.ts'), dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, ...(JSON.parse(line.toString()) as { attached: boolean; url: string }) };
}

async function kill(child: ChildProcess): Promise<void> {
  const end = once(child, 'exit');
  child.kill('SIGKILL');
  await end;
}

test('a first start makes the database in UTF-8; what is written is there after a restart', async () => {
  const dir = fresh('keeps');
  const one = await start(dir);
  assert.equal(one.attached, false);
  await ask(one.url, 'create table kept (n int)');
  await ask(one.url, 'insert into kept values (42)');
  const locale = 'select datcollate, datlocprovider, pg_encoding_to_char(encoding) from pg_database where datname = current_database()';
  assert.deepEqual(await ask(one.url, locale), ['C', 'b', 'UTF8']);
  const pid = pidOf(dir);
  await one.stop();
  assert.equal(isAlive(pid), false);
  const two = await start(dir);
  assert.deepEqual(await ask(two.url, 'select n from kept'), [42]);
  await two.stop();
});

test('the server listens on no TCP port and its socket is private', async () => {
  const { url, stop } = await start(fresh('private'));
  const settingsThen = await ask(url, "select setting from pg_settings where name in ('listen_addresses', 'unix_socket_permissions') order by name");
  assert.deepEqual(settingsThen, ['', '0700']);
  await stop();
});

test('the server ends soon after its starter was killed, and the next start recovers', { skip: process.platform !== 'linux' }, async () => {
  const dir = fresh('killed');
  const { child, url } = await startElsewhere(dir);
  await ask(url, 'create table written as select 1 as n');
  const pid = pidOf(dir);
  await kill(child);
  await until(() => !isAlive(pid));
  const next = await start(dir);
  assert.equal(next.attached, false);
  assert.deepEqual(await ask(next.url, 'select n from written'), [1]);
  await next.stop();
});

test('of two processes that start at once, one runs the server and the other attaches; its stop stops nothing', async () => {
  const dir = fresh('both');
  const [here, there] = await Promise.all([start(dir), startElsewhere(dir)]);
  assert.notEqual(here.attached, there.attached);
  if (here.attached) await here.stop();
  assert.deepEqual(await ask(here.url, 'select 1'), [1]);
  assert.equal(here.url, there.url);
  await kill(there.child);
  await here.stop();
});

test('a server that dies by itself is started again', async () => {
  const dir = fresh('revived');
  const { url, stop } = await start(dir);
  const pid = pidOf(dir);
  process.kill(pid, 'SIGKILL');
  await until(
    async () =>
      !isAlive(pid) &&
      (await ask(url, 'select 1').then(
        () => true,
        () => false,
      )),
  );
  assert.notEqual(pidOf(dir), pid);
  await stop();
});

test('a postmaster.pid with the recycled process id of another program does not block', async () => {
  const dir = fresh('recycled');
  writeFileSync(join(dir, 'postgres/postmaster.pid'), `${process.pid}\n${dir}/postgres\n1700000000\n5432\n${dir}/postgres\n\n0 0\nready   \n`);
  const { attached, stop } = await start(dir);
  assert.equal(attached, false);
  await stop();
});

test('what a killed initdb left behind is removed, and a foreign folder is not', async () => {
  const dir = join(root, 'half');
  mkdirSync(join(dir, 'postgres.initdb-999/base'), { recursive: true });
  await (await start(dir)).stop();
  assert.deepEqual(readdirSync(dir).toSorted(), ['postgres', 'postgres.log']);
  const foreign = join(root, 'foreign');
  mkdirSync(join(foreign, 'postgres'), { recursive: true });
  writeFileSync(join(foreign, 'postgres/letter.txt'), 'mine');
  await assert.rejects(start(foreign), /ENOTEMPTY/);
  assert.equal(readFileSync(join(foreign, 'postgres/letter.txt'), 'utf8'), 'mine');
});

test('a setting that PostgreSQL refuses is told in its own words', async () => {
  await assert.rejects(start(fresh('refused'), { settings: { max_connections: 'many' } }), /invalid value for parameter "max_connections"/);
});

/** Whether every folder above may be entered by any account. */
const isOpenToOthers = (path: string): boolean => path === '/' || ((statSync(path).mode & 0o001) !== 0 && isOpenToOthers(dirname(path)));

test('every way to run it works: a namespace, another account, another account without setpriv', { skip: process.getuid?.() !== 0 }, async () => {
  chmodSync(root, 0o755);
  for (const [i, how] of launchers().entries()) {
    // Another account cannot run programs that lie where it may not look, as in a clone below a private folder.
    if (how.owner.uid !== 0 && !isOpenToOthers(import.meta.dirname)) continue;
    const { url, stop } = await start(fresh(`way-${i}`), { how });
    assert.deepEqual(await ask(url, 'select 1'), [1]);
    await stop();
  }
});

test('a folder whose path does not fit into a socket address gets a socket elsewhere', async () => {
  const dir = fresh(`long-${'x'.repeat(100)}`);
  const { url, stop } = await start(dir);
  assert.deepEqual(await ask(url, 'select 1'), [1]);
  await stop();
  rmSync(decodeURIComponent(/host=([^&]+)/.exec(url)?.[1] ?? ''), { recursive: true });
});

test('links of the package are made once, and wrong ones are put right', () => {
  const home = join(root, 'package');
  mkdirSync(join(home, 'native/lib'), { recursive: true });
  writeFileSync(join(home, 'native/pg-symlinks.json'), JSON.stringify([{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so' }]));
  symlinkSync('gone', join(home, 'native/lib/libx.so'));
  for (let i = 0; i < 2; i++) repairLinks(home);
  assert.equal(readlinkSync(join(home, 'native/lib/libx.so')), 'libx.so.1.2');
  assert.deepEqual(readdirSync(join(home, 'native/lib')), ['libx.so']);
  assert.equal(existsSync(join(home, 'native/lib/.libx.so')), false);
});
