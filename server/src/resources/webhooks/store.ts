import type { Selectable } from 'kysely';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['webhook_endpoints']>;

const ours = (ctx: Ctx) =>
  ctx.db.selectFrom('webhook_endpoints').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();

/** The endpoint, locked until the commit. Whatever changes it or numbers its attempts holds this lock. */
export const locked = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export const list = (ctx: Ctx, paging: PageParams) => page(ours(ctx), paging, 'whk', (id) => byId(ctx, id));

export const insert = (ctx: Ctx, row: Row) => ctx.db.insertInto('webhook_endpoints').values(row).execute();

export const update = (ctx: Ctx, id: string, values: Partial<Omit<Row, 'workspace_id' | 'id' | 'mode'>>): Promise<Row> =>
  ctx.db
    .updateTable('webhook_endpoints')
    .set(values)
    .where('workspace_id', '=', ctx.workspaceId)
    .where('mode', '=', ctx.mode)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export const remove = (ctx: Ctx, id: string) =>
  ctx.db
    .deleteFrom('webhook_endpoints')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('mode', '=', ctx.mode)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** The sequence of the latest event of the caller's mode. */
export async function lastSequence(ctx: Ctx): Promise<number> {
  const text = 'select last_sequence from event_counters where workspace_id = $1 and mode = $2';
  const [row] = await rowsOf<{ last_sequence: number }>(ctx.db, text, [ctx.workspaceId, ctx.mode]);
  return row?.last_sequence ?? 0;
}
