// A page of fifty out of many contacts over the API, held against the same SQL by hand on a connection of its own; first page and far behind.
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { authenticate } from '#resources/api-keys/index.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { rowsOf } from '#store/db.ts';
import { createApp } from '#web/app.ts';
import type { World } from '#world/ctx.ts';

const PAGES = 1_000;
const BATCH = 20_000;

/** A workspace of `rows` contacts, and the ids of one in the middle and of one near the end of its list. */
async function filled(world: World, rows: number) {
  const { workspaceId, liveKey } = await createWorkspace(world, { name: 'Pages' });
  for (let from = 0; from < rows; from += BATCH) {
    await rowsOf(
      world.db,
      `insert into contacts (workspace_id, id, mode, email, email_key, attributes, global_status, search_text, created_at, updated_at)
       select $1, 'con_' || lpad(i::text, 26, '0'), 'live', 'p' || i || '@example.com', 'p' || i || '@example.com',
              jsonb_build_object('first_name', 'First ' || i, 'company', 'Company ' || i % 997), 'ok', 'p' || i || '@example.com',
              $2::timestamptz + i * interval '1 ms', $2 from generate_series($3::int, $4::int) as i`,
      [workspaceId, world.clock.now(), from, Math.min(from + BATCH, rows) - 1],
    );
  }
  await rowsOf(world.db, 'vacuum analyze contacts', []);
  const idOf = (nth: number) => `con_${String(nth).padStart(26, '0')}`;
  return { workspaceId, liveKey, middle: idOf(Math.floor(rows / 2)), end: idOf(100) };
}

/** Pages a second, one after the other: by hand, and by the API from the top, the middle and near the end. */
export async function pagesOf(world: World, databaseUrl: string, rows: number): Promise<Record<'hand' | 'first' | 'middle' | 'end', number>> {
  const { workspaceId, liveKey, middle, end } = await filled(world, rows);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const app = createApp(world, allRoutes, { authenticate });
  const hand = async () => {
    const text = `select * from contacts where workspace_id = $1 and mode = 'live' order by created_at desc, id desc limit 51`;
    const { rows: page } = await client.query<object>({ name: 'page', text, values: [workspaceId] });
    if (JSON.stringify(page.slice(0, 50)).length < 1_000) throw new Error('That is no page.');
  };
  const page = (after?: string) => async () => {
    const url = `/v1/contacts?limit=50${after ? `&starting_after=${after}` : ''}`;
    const reply = await app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${liveKey}` } });
    if (reply.statusCode !== 200 || reply.json<{ data: object[] }>().data.length !== 50) throw new Error(`A page came as ${reply.statusCode}.`);
  };
  // An id is looked up first; a reader who turns pages has the cursor of the page before.
  const cursorBehind = async (id: string) => {
    const url = `/v1/contacts?limit=1&starting_after=${id}`;
    return (await app.inject({ url, headers: { authorization: `Bearer ${liveKey}` } })).json<{ next_cursor: string }>().next_cursor;
  };
  const kinds = { hand, first: page(), middle: page(await cursorBehind(middle)), end: page(await cursorBehind(end)) };
  try {
    const perSecond: Record<string, number> = {};
    for (const [name, one] of Object.entries(kinds)) perSecond[name] = await rate(one);
    return perSecond as Record<keyof typeof kinds, number>;
  } finally {
    await app.close();
    await client.end();
  }
}

async function rate(work: () => Promise<void>): Promise<number> {
  for (let i = 0; i < PAGES; i++) await work();
  const started = performance.now();
  for (let i = 0; i < PAGES; i++) await work();
  return PAGES / ((performance.now() - started) / 1000);
}
