import { type Selectable, sql } from 'kysely';
import { inTransaction, rowsOf } from '#store/db.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Advance = Selectable<Tables['test_clock_advances']>;

const KEEP_MS = 24 * 3_600_000;

export const byId = (ctx: Ctx, id: string): Promise<Advance | undefined> =>
  ctx.db.selectFrom('test_clock_advances').selectAll().where('workspace_id', '=', ctx.workspaceId).where('id', '=', id).executeTakeFirst();

/**
 * Open an advance to where `targetOf` says from where the clock stands, which is locked meanwhile: a walk that ends just now is seen whole. False
 * while another is open. Old ones go.
 */
export function begin(ctx: Ctx, id: string, targetOf: (from: Date) => Date): Promise<boolean> {
  const wall = ctx.clock.wall();
  return inTransaction(ctx, async ({ db }) => {
    await rowsOf(db, 'delete from test_clock_advances where workspace_id = $1 and done_at is not null and created_at < $2', [
      ctx.workspaceId,
      new Date(wall.getTime() - KEEP_MS),
    ]);
    await rowsOf(db, 'insert into test_clocks (workspace_id, offset_ms, fence, created_at) values ($1, 0, 0, $2) on conflict do nothing', [
      ctx.workspaceId,
      wall,
    ]);
    const [clock] = await rowsOf<{ offset_ms: number }>(db, 'select offset_ms from test_clocks where workspace_id = $1 for update', [
      ctx.workspaceId,
    ]);
    const from = new Date(ctx.clock.now().getTime() + clock!.offset_ms);
    const target = targetOf(from);
    const made = await rowsOf(
      db,
      `insert into test_clock_advances (workspace_id, id, from_at, target_at, reached_at, processed, created_at) values ($1, $2, $3, $4, $3, 0, $5)
       on conflict do nothing returning 1`,
      [ctx.workspaceId, id, from, target, wall],
    );
    return made.length > 0;
  });
}

/** Whether a worker holds the clock at this moment. */
export async function isWalked(ctx: Ctx): Promise<boolean> {
  const text = 'select 1 from test_clocks where workspace_id = $1 and leased_until > $2';
  return (await rowsOf(ctx.db, text, [ctx.workspaceId, ctx.clock.wall()])).length > 0;
}

/** Take an advance back that nobody walks. False when it is done, or a worker has come after all. */
export async function giveUp(ctx: Ctx, id: string): Promise<boolean> {
  const gone = await ctx.db.deleteFrom('test_clock_advances')
    .where('workspace_id', '=', ctx.workspaceId).where('id', '=', id).where('done_at', 'is', null)
    .where(sql<boolean>`not exists (select 1 from test_clocks c where c.workspace_id = ${ctx.workspaceId} and c.leased_until > ${ctx.clock.wall()})`)
    .executeTakeFirst(); // prettier-ignore
  return gone.numDeletedRows > 0n;
}
