import { type Selectable, type SqlBool, sql } from 'kysely';
import { emailKey } from '#platform/email-address.ts';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';
import { LEAD_KEY, type LeadStatus } from './rules.ts';

export type Row = Selectable<Tables['contacts']>;
type Filter = PageParams & {
  email?: string | undefined;
  q?: string | undefined;
  global_status?: Row['global_status'] | undefined;
  lead_status?: LeadStatus | undefined;
};

const ours = (ctx: Ctx) => ctx.db.selectFrom('contacts').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();

/** The contact, locked until the commit, so that changes side by side lose nothing of each other. */
export const lock = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export function list(ctx: Ctx, { email, q, global_status: status, lead_status: lead, ...paging }: Filter) {
  let query = ours(ctx);
  if (email) query = query.where('email_key', '=', emailKey(email));
  if (status) query = query.where('global_status', '=', status);
  if (lead) query = query.where(sql<SqlBool>`attributes ->> ${sql.lit(LEAD_KEY)} = ${lead}`);
  if (q) query = query.where(holds(q));
  return page(query, paging, 'con', (id) => byId(ctx, id));
}

/** The text anywhere in the address or in an attribute's value, nested ones too, whatever the case; % and _ mean themselves. */
function holds(text: string) {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql<SqlBool>`(email ilike ${pattern} or exists (
    select 1 from jsonb_path_query(attributes, 'strict $.**') as value
     where jsonb_typeof(value) in ('string', 'number', 'boolean') and value #>> '{}' ilike ${pattern}))`;
}

const MINE = `workspace_id = $1 and mode = $2`;
const select = (ctx: Ctx, rest: string, values: readonly string[]) =>
  rowsOf<Row>(ctx.db, `select * from contacts where ${MINE} and ${rest}`, [ctx.workspaceId, ctx.mode, values]);

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
export function insertNew(ctx: Ctx, rows: readonly Row[]): Promise<Row[]> {
  const text = `
    insert into contacts (workspace_id, mode, id, email, email_key, attributes, global_status, created_at, updated_at)
    select $1, $2, id, email, email_key, attributes, global_status, $8, $8
      from unnest($3::text[], $4::text[], $5::text[], $6::jsonb[], $7::text[]) as t (id, email, email_key, attributes, global_status)
     order by email_key collate "C"
    on conflict (workspace_id, mode, email_key) do nothing
    returning *`;
  return rowsOf<Row>(ctx.db, text, [
    ctx.workspaceId,
    ctx.mode,
    rows.map((row) => row.id),
    rows.map((row) => row.email),
    rows.map((row) => row.email_key),
    rows.map((row) => JSON.stringify(row.attributes)),
    rows.map((row) => row.global_status),
    ctx.now,
  ]);
}

/** Write what may change of contacts that the caller has locked. */
export async function saveAll(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  const text = `
    update contacts set attributes = t.attributes, global_status = t.global_status, updated_at = t.updated_at
      from unnest($3::text[], $4::jsonb[], $5::text[], $6::timestamptz[]) as t (id, attributes, global_status, updated_at)
     where ${MINE} and contacts.id = t.id`;
  await rowsOf(ctx.db, text, [
    ctx.workspaceId,
    ctx.mode,
    rows.map((row) => row.id),
    rows.map((row) => JSON.stringify(row.attributes)),
    rows.map((row) => row.global_status),
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
    .returningAll()
    .executeTakeFirst();
