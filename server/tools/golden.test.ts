import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '#platform/clock.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { schemaText, tablesSource } from './catalog.ts';
import { differences } from './golden.ts';

const dir = mkdtempSync(join(tmpdir(), 'postrider-golden-test-'));
let client: pg.Client;
let stop = async () => {};

before(async () => {
  const database = await startEmbedded({ dataDir: dir, clock: systemClock(), settings: { fsync: 'off' } });
  stop = database.stop;
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`create table letters (
    id text collate "C" primary key, n bigint generated always as identity, size integer not null default 3, tags text[] not null,
    state text not null check (state in ('new', 'it''s')), only_one text check (only_one = 'sole'), at timestamptz, day date, extra jsonb not null,
    check (size > 0 or state in ('new', 'old')), unique (size, state))`);
  await client.query(`create index letters_due on letters (at) where state = 'new'`);
  await client.query('alter table letters enable row level security');
  await client.query(`create policy mine on letters using (state = 'new')`);
});

after(async () => {
  await client.end();
  await stop();
  rmSync(dir, { recursive: true });
});

test('the types of a table say what the driver hands over', async () => {
  const source = await tablesSource(client);
  const columns = [...source.matchAll(/^ {4}(\w+): (.*);$/gm)].map(([, name, type]) => [name, type]);
  assert.deepEqual(columns, [
    ['id', 'string'],
    ['n', 'Generated<number>'],
    ['size', 'Generated<number>'],
    ['tags', 'string[]'],
    ['state', "'new' | 'it\\'s'"],
    ['only_one', "'sole' | null"],
    ['at', 'Date | null'],
    ['day', 'string | null'],
    ['extra', 'Json'],
  ]);
  assert.match(source, /^import type \{ Generated \} from 'kysely';$/m);
});

test('the schema shows columns, constraints, indexes and policies', async () => {
  const text = await schemaText(client);
  for (const part of [
    'id        text collate "C" not null',
    'size      integer not null default 3',
    'constraint letters_pkey PRIMARY KEY (id)',
    'constraint letters_size_state_key UNIQUE (size, state)',
    "CREATE INDEX letters_due ON public.letters USING btree (at) WHERE (state = 'new'::text);",
    "-- on letters: policy mine for * to public using ((state = 'new'::text)) with check ();",
    '-- on letters: row level security;',
  ]) {
    assert.ok(text.includes(part), `${part} is missing in:\n${text}`);
  }
});

test('differences: nothing, a changed line, a new file, a stale file', () => {
  mkdirSync(join(dir, 'golden/mail'), { recursive: true });
  writeFileSync(join(dir, 'golden/schema.sql'), 'a\nb\n');
  const made = new Map([['golden/schema.sql', 'a\nb\n']]);
  assert.deepEqual(differences(made, dir), []);
  assert.deepEqual(differences(made.set('golden/schema.sql', 'a\nc\n'), dir), ['golden/schema.sql: has changed', '  - b', '  + c']);
  assert.deepEqual(differences(new Map([['golden/new.sql', '']]), dir), ['golden/new.sql: is not there yet']);
  writeFileSync(join(dir, 'golden/mail/old.eml'), '');
  assert.deepEqual(differences(new Map(), dir), ['golden/mail/old.eml: nothing makes it any more']);
});
