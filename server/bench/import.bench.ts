// Importing a file by a worker, held against what the database alone can do with it: COPY into a temporary table and one upsert from there,
// without events, memberships or progress. Both write the same contacts with the same indexes.
import { Readable } from 'node:stream';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import pg from 'pg';
import { importsLoop } from '#engine/imports/index.ts';
import { importById, queueImport } from '#resources/contact-imports/index.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { rowsOf } from '#store/db.ts';
import { actingFor, type Ctx, type World } from '#world/ctx.ts';
import { copyIn } from './copy-in.ts';

const CITIES = ['Berlin', 'Rome', 'Paris', 'Oslo', 'Zürich', 'Madrid', 'Wien', 'Prague'];

/** A file of `rows` people with five columns. */
export function fileOf(rows: number): Buffer {
  const lines = ['email,first_name,last_name,company,city'];
  for (let i = 0; i < rows; i++) {
    const email = `first${i}.last${(i * 7919) % rows}@company${i % 9973}.example.com`;
    lines.push(`${email},First ${i},Last ${(i * 31) % 5000},Company ${i % 9973} GmbH,${CITIES[i % 8]}`);
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

const freshCtx = async (world: World): Promise<Ctx> => actingFor(world, (await createWorkspace(world, { name: 'Import' })).workspaceId, 'live');

/** Rows a second of COPY and upsert. */
export async function copyAndUpsert(world: World, databaseUrl: string, rows: number): Promise<number> {
  const { workspaceId } = await freshCtx(world);
  const file = fileOf(rows);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const started = performance.now();
    await client.query('create temporary table people (email text, first_name text, last_name text, company text, city text)');
    await copyIn(client, 'copy people from stdin with (format csv, header true)', Readable.from(file, { objectMode: false }));
    await client.query(
      `insert into contacts (workspace_id, id, mode, email, email_key, attributes, global_status, search_text, created_at, updated_at)
       select $1, 'con_' || substr(md5(email), 1, 26), 'live', email, lower(email),
              jsonb_build_object('first_name', first_name, 'last_name', last_name, 'company', company, 'city', city), 'ok',
              lower(concat_ws(E'\\n', email, first_name, last_name, company, city)), $2, $2
         from people
       on conflict (workspace_id, mode, email_key) do update set attributes = contacts.attributes || excluded.attributes, updated_at = $2`,
      [workspaceId, world.clock.now()],
    );
    return rows / ((performance.now() - started) / 1000);
  } finally {
    await client.end();
  }
}

/** Rows a second of an import with events and memberships, from its queue to `succeeded`; says how long the event loop was held up. */
export async function importByWorker(world: World, rows: number): Promise<number> {
  const ctx = await freshCtx(world);
  const file = fileOf(rows);
  const loop = importsLoop(world, { processId: 'bench.1.1', isAlive: () => true });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const job = await queueImport(ctx, file, { on_conflict: 'upsert', audience_name: 'Everybody' });
  const started = performance.now();
  delay.enable();
  await loop.step();
  await loop.idle();
  delay.disable();
  const seconds = (performance.now() - started) / 1000;
  await loop.close();
  const ended = await importById(ctx, job.id);
  if (ended?.status !== 'succeeded' || ended.succeeded_rows !== rows)
    throw new Error(`The import ended as ${ended?.status} with ${ended?.succeeded_rows} rows.`);
  for (const text of [
    'select count(*) from contacts where workspace_id = $1',
    'select count(*) from audience_contacts where workspace_id = $1',
    `select count(*) from events where workspace_id = $1 and type = 'contact.created'`,
  ]) {
    const [row] = await rowsOf<{ count: number }>(world.db, text, [ctx.workspaceId]);
    if (row!.count !== rows) throw new Error(`${text} gives ${row!.count}, not ${rows}.`);
  }
  process.stderr.write(`event loop while importing: p99 ${ms(delay.percentile(99))}, worst ${ms(delay.max)}\n`);
  return rows / seconds;
}

const ms = (nanoseconds: number) => `${(nanoseconds / 1e6).toFixed(1)} ms`;
