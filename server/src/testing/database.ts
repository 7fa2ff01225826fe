// A fresh database for each test, copied from one that is migrated once.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import pg from 'pg';
import { migrate } from '#store/migrate.ts';

const MIGRATIONS = new URL('../../db/migrations/', import.meta.url);
let count = 0;

/** Where the tests' server is; the runner (`npm test`, also with paths) starts it. */
export function serverUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (!url) throw new Error('There is no test database: run the tests by `npm test -- <path>`.');
  return url;
}

// A URL whose server is a Unix socket has no host, which URL refuses: the database is what stands before the parameters.
const urlOf = (name: string) => serverUrl().replace(/^([^?]*\/)[^/?]*/, `$1${name}`);

async function asked<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The name of the migrated template, made by whichever test file comes first. */
function template(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(readFileSync(new URL(name, MIGRATIONS)));
  const name = `template_${hash.digest('hex').slice(0, 16)}`;
  return asked(serverUrl(), async (client) => {
    await client.query('select pg_advisory_lock(77)');
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1 and datistemplate', [name]);
    if (!rowCount) {
      await client.query(`drop database if exists ${name}`);
      await client.query(`create database ${name}`);
      await migrate(urlOf(name));
      await client.query(`alter database ${name} is_template true`);
    }
    return name;
  });
}

let made: Promise<string> | undefined;

/** Make a database of its own; `drop` removes it whoever is still connected. */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  made ??= template();
  const from = await made;
  const name = `t_${process.pid}_${count++}`;
  await asked(serverUrl(), async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} template ${from}`);
  });
  return {
    url: urlOf(name),
    drop: () => asked(serverUrl(), async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  };
}
