import { type Selectable, sql } from 'kysely';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['inboxes']>;
type Filter = PageParams & { provider?: Row['provider'] | undefined; status?: Row['status'] | undefined; tag?: string | undefined };

const ours = (ctx: Ctx) => ctx.db.selectFrom('inboxes').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();
export const byIds = (ctx: Ctx, ids: readonly string[], lock: '' | 'for no key update' | 'for no key update skip locked' = '') =>
  rowsOf<Row>(ctx.db, `select * from inboxes where workspace_id = $1 and mode = $2 and id = any($3) order by id ${lock}`, [
    ctx.workspaceId,
    ctx.mode,
    ids,
  ]);
export const locked = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/**
 * The inbox that is connected at this address, else the last SMTP one that was, locked; nobody else connects it before the commit, even where
 * there is none yet.
 */
export async function lockedByAddress(ctx: Ctx, emailKey: string): Promise<Row | undefined> {
  await rowsOf(ctx.db, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [['inbox', ctx.workspaceId, ctx.mode, emailKey].join('|')]);
  return ours(ctx)
    .where('email_key', '=', emailKey)
    .where((is) => is.or([is('status', '<>', 'revoked'), is('provider', '=', 'smtp')]))
    .orderBy(sql`status = 'revoked'`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export const withAnyTag = (ctx: Ctx, tags: readonly string[]) =>
  ours(ctx)
    .where(sql<boolean>`tags && ${[...tags]}::text[]`)
    .orderBy('id')
    .execute();
export const addresses = (ctx: Ctx) =>
  ctx.db.selectFrom('inboxes').select('email_key').where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode).execute();

export function list(ctx: Ctx, { provider, status, tag, ...paging }: Filter) {
  let query = ours(ctx);
  if (provider) query = query.where('provider', '=', provider);
  if (status) query = query.where('status', '=', status);
  if (tag !== undefined) query = query.where(sql<boolean>`${tag.trim().toLowerCase()} = any(tags)`);
  return page(query, paging, 'inb', (id) => byId(ctx, id));
}

export const insert = (ctx: Ctx, row: Omit<Row, 'workspace_id' | 'mode'>) =>
  ctx.db
    .insertInto('inboxes')
    .values({ ...row, workspace_id: ctx.workspaceId, mode: ctx.mode })
    .returningAll()
    .executeTakeFirstOrThrow();

export const update = (ctx: Ctx, id: string, changes: Partial<Row>) =>
  ctx.db.updateTable('inboxes').set(changes)
    .where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode).where('id', '=', id)
    .returningAll().executeTakeFirstOrThrow(); // prettier-ignore

type Health = Pick<Row, 'id' | 'status' | 'status_reason' | 'health_score' | 'health_tier' | 'health_due_at' | 'rests_until'>;
/** What a judgement says of inboxes that are locked. */
export const saveHealth = (ctx: Ctx, rows: readonly Health[]) =>
  rowsOf(
    ctx.db,
    `update inboxes i set status = t.status, status_reason = t.status_reason, health_score = t.health_score, health_tier = t.health_tier,
            health_due_at = t.health_due_at, rests_until = t.rests_until
       from unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::timestamptz[], $8::timestamptz[])
            as t (id, status, status_reason, health_score, health_tier, health_due_at, rests_until)
      where i.workspace_id = $1 and i.id = t.id`,
    [
      ctx.workspaceId,
      rows.map((row) => row.id),
      rows.map((row) => row.status),
      rows.map((row) => row.status_reason),
      rows.map((row) => row.health_score),
      rows.map((row) => row.health_tier),
      rows.map((row) => row.health_due_at),
      rows.map((row) => row.rests_until),
    ],
  );

export const saveFolder = (ctx: Ctx, row: Omit<Selectable<Tables['inbox_folders']>, 'workspace_id'>) =>
  ctx.db.insertInto('inbox_folders').values({ ...row, workspace_id: ctx.workspaceId })
    .onConflict((key) => key.columns(['workspace_id', 'inbox_id', 'role']).doUpdateSet({
      path: row.path, uid_validity: row.uid_validity, last_uid: row.last_uid, updated_at: row.updated_at,
    })).execute(); // prettier-ignore

export const folders = (ctx: Ctx, inboxId: string) =>
  ctx.db
    .selectFrom('inbox_folders')
    .selectAll()
    .where('workspace_id', '=', ctx.workspaceId)
    .where('inbox_id', '=', inboxId)
    .orderBy('role')
    .execute();
