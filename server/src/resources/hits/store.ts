import type { Selectable } from 'kysely';
import { rowsOf } from '#store/db.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['hits']>;

/** How many hits of a send are kept. */
export async function countOf(ctx: Ctx, sendId: string): Promise<number> {
  const text = 'select nth from hits where workspace_id = $1 and send_id = $2 order by nth desc limit 1';
  return (await rowsOf<{ nth: number }>(ctx.db, text, [ctx.workspaceId, sendId]))[0]?.nth ?? 0;
}

/** Whether a person's first hit of this kind is kept. */
export async function hasFirst(ctx: Ctx, sendId: string, kind: Row['kind']): Promise<boolean> {
  const text = 'select 1 from hits where workspace_id = $1 and send_id = $2 and kind = $3 and is_first';
  return (await rowsOf(ctx.db, text, [ctx.workspaceId, sendId, kind])).length > 0;
}

/** Clicks on other links of a send since an instant. */
export const otherClicks = (ctx: Ctx, sendId: string, url: string, since: Date): Promise<Pick<Row, 'nth' | 'url' | 'made_by' | 'is_first'>[]> =>
  rowsOf(
    ctx.db,
    `select nth, url, made_by, is_first from hits
      where workspace_id = $1 and send_id = $2 and kind = 'click' and url <> $3 and at >= $4`,
    [ctx.workspaceId, sendId, url, since],
  );

/** Say of these what is known by now. */
export const rejudge = (ctx: Ctx, sendId: string, nths: readonly number[], madeBy: Row['made_by'], because: string) =>
  rowsOf(ctx.db, `update hits set made_by = $4, because = $5, is_first = false where workspace_id = $1 and send_id = $2 and nth = any($3::int[])`, [
    ctx.workspaceId,
    sendId,
    nths,
    madeBy,
    because,
  ]);

export const insert = (ctx: Ctx, row: Omit<Row, 'workspace_id' | 'mode'>) =>
  ctx.db
    .insertInto('hits')
    .values({ ...row, workspace_id: ctx.workspaceId, mode: ctx.mode })
    .execute();
