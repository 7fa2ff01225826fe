import { type Selectable, sql } from 'kysely';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['audiences']>;
export type Counted = Row & { contact_count: number };

const COUNT = sql<number>`(select count(*) from audience_contacts
  where audience_contacts.workspace_id = audiences.workspace_id and audience_contacts.audience_id = audiences.id)`;

const ours = (ctx: Ctx) => ctx.db.selectFrom('audiences').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).select(COUNT.as('contact_count')).where('id', '=', id).executeTakeFirst();

export const list = (ctx: Ctx, paging: PageParams) => page(ours(ctx).select(COUNT.as('contact_count')), paging, 'aud', (id) => byId(ctx, id));

/** The audience, locked against changes and members coming or going by this service until the commit. */
export const lock = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forUpdate().executeTakeFirst();

/** The audience, sure to be there until the commit; others may add members at the same time. */
export const lockKey = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forKeyShare().executeTakeFirst();

export const insert = (ctx: Ctx, row: Row) => ctx.db.insertInto('audiences').values(row).execute();

const mine = (ctx: Ctx, id: string) => sql<boolean>`workspace_id = ${ctx.workspaceId} and mode = ${ctx.mode} and id = ${id}`;

export const change = (ctx: Ctx, id: string, values: Pick<Row, 'name' | 'description' | 'updated_at'>) =>
  ctx.db.updateTable('audiences').set(values).where(mine(ctx, id)).execute();

export const remove = (ctx: Ctx, id: string) => ctx.db.deleteFrom('audiences').where(mine(ctx, id)).execute();

/** Add members, in the order of their ids; gives back those that were none before. */
export async function insertMembers(ctx: Ctx, id: string, contactIds: readonly string[]): Promise<string[]> {
  const text = `
    insert into audience_contacts (workspace_id, audience_id, contact_id, created_at)
    select $1, $2, contact_id, $4 from unnest($3::text[]) as t (contact_id) order by contact_id collate "C"
    on conflict do nothing
    returning contact_id`;
  return (await rowsOf<{ contact_id: string }>(ctx.db, text, [ctx.workspaceId, id, contactIds, ctx.now])).map((row) => row.contact_id);
}

/**
 * Make contacts members that the caller has written or locked in this transaction, so that nobody can delete them meanwhile. Of an audience that
 * is there no more nobody becomes a member.
 */
export async function addMembers(ctx: Ctx, id: string, contactIds: readonly string[]): Promise<void> {
  const text = `
    with known as materialized (
      select id from audiences where workspace_id = $1 and mode = $2 and id = $3 for key share
    )
    insert into audience_contacts (workspace_id, audience_id, contact_id, created_at)
    select $1, known.id, contact_id, $5 from known, unnest($4::text[]) as t (contact_id) order by contact_id collate "C"
    on conflict do nothing`;
  await rowsOf(ctx.db, text, [ctx.workspaceId, ctx.mode, id, contactIds, ctx.now]);
}

export const removeMember = (ctx: Ctx, id: string, contactId: string) =>
  ctx.db
    .deleteFrom('audience_contacts')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('audience_id', '=', id)
    .where('contact_id', '=', contactId)
    .returning('contact_id')
    .executeTakeFirst();

/** The members of an audience of this workspace and mode, in the order of their ids; none of an unknown audience. */
export async function contactIdsOf(ctx: Ctx, audienceId: string): Promise<string[]> {
  const text = `
    select contact_id from audience_contacts
     where workspace_id = $1 and audience_id = (select id from audiences where workspace_id = $1 and mode = $2 and id = $3)
     order by contact_id`;
  return (await rowsOf<{ contact_id: string }>(ctx.db, text, [ctx.workspaceId, ctx.mode, audienceId])).map((row) => row.contact_id);
}
