import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { raiseWall } from './wall.ts';

const FOLDER = new URL('../../db/migrations/', import.meta.url);
// One arbitrary number that every Postrider knows: whoever holds the lock migrates, the others wait and find it done.
const LOCK = 7_269_004_118;

/** A database that a newer Postrider has migrated: this one must not touch it. */
export class NewerSchemaError extends Error {
  override name = 'NewerSchemaError';
}

/**
 * Bring the database up to the newest migration of `folder`, under a lock, each file in a transaction of its own, and raise the wall around every
 * tenant's table, new ones too (see wall.ts). Returns the names applied now.
 * Throws NewerSchemaError when the database knows migrations that this version does not.
 */
export async function migrate(url: string, folder: URL = FOLDER): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query('create table if not exists migrations (name text primary key)');
    const done = new Set((await client.query<{ name: string }>('select name from migrations')).rows.map((row) => row.name));
    const known = readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .sort();
    const strange = [...done].filter((name) => !known.includes(name));
    if (strange.length) throw new NewerSchemaError(`The database has migrations that this version does not know: ${strange.join(', ')}.`);
    const due = known.filter((name) => !done.has(name));
    for (const name of due) await applyOne(client, new URL(name, folder), name);
    await raiseWall(client);
    return due;
  } finally {
    await client.end();
  }
}

async function applyOne(client: pg.Client, file: URL, name: string): Promise<void> {
  await client.query('begin');
  try {
    await client.query(readFileSync(file, 'utf8'));
    await client.query('insert into migrations (name) values ($1)', [name]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}
