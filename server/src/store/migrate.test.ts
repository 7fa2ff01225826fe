import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { freshDatabase } from '#testing/database.ts';
import { NewerSchemaError, migrate } from './migrate.ts';

const FOLDER = new URL('../../db/migrations/', import.meta.url);
let folder: string;
before(() => void (folder = mkdtempSync(join(tmpdir(), 'postrider-migrations-'))));
after(() => rmSync(folder, { recursive: true }));

/** A database without a single table. */
async function empty(t: { after(work: () => Promise<void>): void }): Promise<{ url: string; rows: (text: string) => Promise<unknown[]> }> {
  const { url, drop } = await freshDatabase();
  t.after(drop);
  const rows = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  await rows('drop schema public cascade; create schema public');
  return { url, rows };
}

function withExtra(name: string, text: string): URL {
  const own = mkdtempSync(join(folder, 'set-'));
  cpSync(FOLDER, own, { recursive: true });
  writeFileSync(join(own, name), text);
  return pathToFileURL(`${own}/`);
}

const TABLES = `select table_name from information_schema.tables where table_schema = 'public' order by 1`;

test('eight starters at once: one migrates, the others find it done', async (t) => {
  const { url, rows } = await empty(t);
  const answers = await Promise.all(Array.from({ length: 8 }, () => migrate(url)));
  const busy = answers.filter((names) => names.length > 0);
  assert.equal(busy.length, 1);
  assert.deepEqual(
    await rows('select name from migrations order by name'),
    busy[0]!.map((name) => ({ name })),
  );
  assert.deepEqual(await migrate(url), []);
});

test('a migration that fails leaves nothing of itself, keeps those before it, and goes on once it is mended', async (t) => {
  const { url, rows } = await empty(t);
  const broken = withExtra('9999_broken.sql', 'create table half_done (id text); insert into half_done values (1, 2);');
  await assert.rejects(migrate(url, broken), /9999_broken\.sql failed: .*more expressions/);
  const tables = await rows(TABLES);
  assert.ok(!JSON.stringify(tables).includes('half_done'));
  assert.ok(JSON.stringify(tables).includes('events'));
  assert.deepEqual(await rows(`select name from migrations where name like '9999%'`), []);
  // Nor does one whose own text went through, but that could not be noted as done.
  const twice = withExtra('9999_broken.sql', `create table half_done (id text); insert into migrations values ('9999_broken.sql');`);
  await assert.rejects(migrate(url, twice), /duplicate key/);
  assert.deepEqual(await rows(TABLES), tables);
  const mended = withExtra('9999_broken.sql', 'create table half_done (id text);');
  assert.deepEqual(await migrate(url, mended), ['9999_broken.sql']);
});

test('a database that a newer version has migrated is not touched', async (t) => {
  const { url, rows } = await empty(t);
  await migrate(url, withExtra('9998_newer.sql', 'create table newer (id text);'));
  const before = await rows(TABLES);
  const older = withExtra('9999_ours.sql', 'create table ours (id text);');
  await assert.rejects(migrate(url, older), (error) => error instanceof NewerSchemaError && error.message.includes('9998_newer.sql'));
  assert.deepEqual(await rows(TABLES), before);
});

test('a database that cannot be reached is an error, not a wait', async () => {
  await assert.rejects(migrate('postgresql://nobody@127.0.0.1:1/none'));
});
