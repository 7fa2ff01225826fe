import type { Selectable } from 'kysely';
import { json } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { RefusalCode } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';

/** A row that was not imported, as it is kept. */
export type KeptError = { row: number; email: string; column: string | null; code: RefusalCode; message: string };
export type Row = Selectable<Tables['contact_imports']>;

const ours = (ctx: Ctx) => ctx.db.selectFrom('contact_imports').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();

export const list = (ctx: Ctx, paging: PageParams) => page(ours(ctx), paging, 'imp', (id) => byId(ctx, id));

export const insert = (ctx: Ctx, row: Row) =>
  ctx.db
    .insertInto('contact_imports')
    .values({ ...row, errors: json(row.errors) })
    .returningAll()
    .executeTakeFirstOrThrow();
