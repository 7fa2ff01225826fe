// A bulk call of sandbox sends over the API, held against the very rows that it makes, brought in by COPY.
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import pg from 'pg';
import { authenticate } from '#resources/api-keys/index.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { rowsOf } from '#store/db.ts';
import { createApp } from '#web/app.ts';
import type { World } from '#world/ctx.ts';
import { copyIn, copyOut } from './copy-in.ts';
import { addressOf, letterTo } from './letter.ts';

const SENDS = 1_000;
const TABLES = ['sends', 'send_contents', 'budget_units', 'messages', 'sandbox_reactions', 'events'];
type Json = { id: string };

/** Milliseconds of one call, and of a COPY of all that it wrote into another workspace. */
export async function bulkOf(world: World, databaseUrl: string): Promise<{ call: number; copy: number }> {
  const { workspaceId, testKey } = await createWorkspace(world, { name: 'Bulk' });
  const app = createApp(world, allRoutes, { authenticate });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const ask = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
      const answer = await app.inject({ method, url, payload, headers: { authorization: `Bearer ${testKey}` } });
      if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.statusCode} ${answer.body.slice(0, 300)}`);
      return answer.json<Json & { created: object[] }>();
    };
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { id } = await ask('POST', '/v1/inboxes/sandbox', {});
      ids.push((await ask('PATCH', `/v1/inboxes/${id}`, { daily_limit: 500 })).id);
    }
    const { subject, text, html } = letterTo('{{name}}');
    const to = Array.from({ length: SENDS }, (_, nth) => addressOf(nth));
    const letter = { subject, body_text: text, body_html: html, variables: { name: 'Ann' }, from_strategy: { type: 'rotate', inbox_ids: ids } };
    const started = performance.now();
    const { created } = await ask('POST', '/v1/sends', { to, ...letter });
    const call = performance.now() - started;
    if (created.length !== SENDS) throw new Error(`${created.length} sends were made, not ${SENDS}.`);
    return { call, copy: await copied(world, client, workspaceId) };
  } finally {
    await app.close();
    await client.end();
  }
}

/** The rows of a workspace once more, in another: one transaction, a COPY for each table. Milliseconds. */
async function copied(world: World, client: pg.Client, from: string): Promise<number> {
  const { workspaceId: to } = await createWorkspace(world, { name: 'Copy' });
  const parts: { table: string; columns: string; data: Buffer }[] = [];
  for (const table of TABLES) {
    const [row] = await rowsOf<{ columns: string }>(
      world.db,
      `select string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns from information_schema.columns
        where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
      [table],
    );
    const { columns } = row!;
    const read = `copy (select ${columns} from ${table} where workspace_id = '${from}') to stdout`;
    const data = Buffer.from((await copyOut(client, read)).toString().replaceAll(from, to));
    parts.push({ table, columns, data });
  }
  const started = performance.now();
  await client.query('begin');
  for (const { table, columns, data } of parts) await copyIn(client, `copy ${table} (${columns}) from stdin`, Readable.from([data]));
  await client.query('commit');
  const ms = performance.now() - started;
  const [row] = await rowsOf<{ count: number }>(world.db, 'select count(*) from sends where workspace_id = $1', [to]);
  if (row!.count !== SENDS) throw new Error(`${row!.count} sends were copied, not ${SENDS}.`);
  return ms;
}
