import { type Selectable, type SqlBool, sql } from 'kysely';
import { emailKey } from '#platform/email-address.ts';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';
import { LEAD_KEY, type LeadStatus, searchText, searched } from './rules.ts';

/** A contact without the text that it is found by, which is made from the rest at each writing. */
export type Row = Omit<Selectable<Tables['contacts']>, 'search_text'>;
type Filter = PageParams & {
  email?: string | undefined;
  q?: string | undefined;
  global_status?: Row['global_status'] | undefined;
  lead_status?: LeadStatus | undefined;
};

const COLUMNS = ['workspace_id', 'mode', 'id', 'email', 'email_key', 'attributes', 'global_status', 'created_at', 'updated_at'] as const;

const ours = (ctx: Ctx) => ctx.db.selectFrom('contacts').select(COLUMNS).where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();

/** The contact, locked until the commit, so that changes side by side lose nothing of each other. */
export const lock = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export function list(ctx: Ctx, { email, q, global_status: status, lead_status: lead, ...paging }: Filter) {
  let query = ours(ctx);
  if (email) query = query.where('email_key', '=', emailKey(email));
  if (status) query = query.where('global_status', '=', status);
  if (lead) query = query.where(sql<SqlBool>`attributes ->> ${sql.lit(LEAD_KEY)} = ${lead}`);
  if (q) query = query.where('search_text', 'like', holding(q));
  return page(query, paging, 'con', (id) => byId(ctx, id));
}

/** The pattern of what holds `text` anywhere, whatever the case; % and _ mean themselves. */
const holding = (text: string) => `%${searched(text).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

const MINE = `workspace_id = $1 and mode = $2`;
const select = (ctx: Ctx, rest: string, values: readonly string[]) =>
  rowsOf<Row>(ctx.db, `select ${COLUMNS.join(', ')} from contacts where ${MINE} and ${rest}`, [ctx.workspaceId, ctx.mode, values]);

export const contactsByIds = (ctx: Ctx, ids: readonly string[]): Promise<Row[]> => select(ctx, 'id = any($3) order by id', ids);

/** The contacts of these addresses, by their emailKey. */
export async function contactsByEmail(ctx: Ctx, keys: readonly string[]): Promise<Map<string, Row>> {
  return new Map((await select(ctx, 'email_key = any($3)', keys)).map((row) => [row.email_key, row]));
}

// Whoever locks many contacts locks them in the order of their ids, so that no two wait for each other.
export const lockByIds = (ctx: Ctx, ids: readonly string[]) => select(ctx, 'id = any($3) order by id for no key update', ids);
export const lockByEmail = (ctx: Ctx, keys: readonly string[]) => select(ctx, 'email_key = any($3) order by id for no key update', keys);

/** The contacts as they are now, and as they stay until the commit: nobody can change or delete them meanwhile. */
export const lockShare = (ctx: Ctx, ids: readonly string[]): Promise<Row[]> => select(ctx, 'id = any($3) order by id for share', ids);

/** Insert those whose address is not there yet and give them back; in the order of their addresses, so that two batches cannot deadlock. */
export async function insertNew(ctx: Ctx, rows: readonly Row[]): Promise<Row[]> {
  const text = `
    insert into contacts (workspace_id, mode, id, email, email_key, attributes, global_status, search_text, created_at, updated_at)
    select $1, $2, id, email, email_key, attributes, global_status, search_text, $9, $9
      from unnest($3::text[], $4::text[], $5::text[], $6::jsonb[], $7::text[], $8::text[])
        as t (id, email, email_key, attributes, global_status, search_text)
     order by email_key collate "C"
    on conflict (workspace_id, mode, email_key) do nothing
    returning id`;
  const made = await rowsOf<{ id: string }>(ctx.db, text, [
    ctx.workspaceId,
    ctx.mode,
    rows.map((row) => row.id),
    rows.map((row) => row.email),
    rows.map((row) => row.email_key),
    rows.map((row) => JSON.stringify(row.attributes)),
    rows.map((row) => row.global_status),
    rows.map(searchText),
    ctx.now,
  ]);
  const ids = new Set(made.map((row) => row.id));
  return rows.filter((row) => ids.has(row.id));
}

/** Write what may change of contacts that the caller has locked. */
export async function saveAll(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  const text = `
    update contacts set attributes = t.attributes, global_status = t.global_status, search_text = t.search_text, updated_at = t.updated_at
      from unnest($3::text[], $4::jsonb[], $5::text[], $6::text[], $7::timestamptz[]) as t (id, attributes, global_status, search_text, updated_at)
     where ${MINE} and contacts.id = t.id`;
  await rowsOf(ctx.db, text, [
    ctx.workspaceId,
    ctx.mode,
    rows.map((row) => row.id),
    rows.map((row) => JSON.stringify(row.attributes)),
    rows.map((row) => row.global_status),
    rows.map(searchText),
    rows.map((row) => row.updated_at),
  ]);
}

/** Gone for good, from audiences and campaigns too. */
export const remove = (ctx: Ctx, id: string) =>
  ctx.db
    .deleteFrom('contacts')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('mode', '=', ctx.mode)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();
