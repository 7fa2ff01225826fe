import type { Selectable } from 'kysely';
import { rowsOf } from '#store/db.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx, World } from '#world/ctx.ts';

export type Row = Selectable<Tables['sandbox_reactions']>;
export type Fresh = Pick<Row, 'workspace_id' | 'send_id' | 'kind' | 'due_at'>;

export async function insertAll(world: World, rows: readonly Fresh[]): Promise<void> {
  if (rows.length === 0) return;
  await rowsOf(
    world.db,
    `insert into sandbox_reactions (workspace_id, mode, send_id, kind, due_at)
     select workspace_id, 'test', send_id, kind, due_at from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
       as t (workspace_id, send_id, kind, due_at)
     on conflict (workspace_id, send_id, kind) do nothing`,
    [rows.map((row) => row.workspace_id), rows.map((row) => row.send_id), rows.map((row) => row.kind), rows.map((row) => row.due_at)],
  );
}

/** What is due by the world's clock: of one workspace, or of all that no test clock drives. In the order in which it happens. */
/** A mail is opened before a link in it is followed. */
const BY_KIND = "case kind when 'open' then 0 when 'click' then 1 else 2 end, kind";

export const dueReactions = (world: World, workspaceId: string | null, limit: number): Promise<Row[]> =>
  workspaceId === null
    ? rowsOf<Row>(
        world.db,
        `select r.* from sandbox_reactions r
          where done_at is null and due_at <= $1 and not exists (select 1 from test_clocks c where c.workspace_id = r.workspace_id)
          order by due_at, workspace_id, send_id, ${BY_KIND} limit $2`,
        [world.clock.now(), limit],
      )
    : rowsOf<Row>(
        world.db,
        `select * from sandbox_reactions where workspace_id = $3 and done_at is null and due_at <= $1
          order by due_at, send_id, ${BY_KIND} limit $2`,
        [world.clock.now(), limit, workspaceId],
      );

/** Take reactions to be carried out in this transaction. Answers those that nobody else has taken. */
export const endReactions = (ctx: Ctx, rows: readonly Pick<Row, 'send_id' | 'kind'>[], problem: string | null = null) =>
  rowsOf<Pick<Row, 'send_id' | 'kind'>>(
    ctx.db,
    `update sandbox_reactions r set done_at = $2, problem = $5
       from unnest($3::text[], $4::text[]) as t (send_id, kind)
      where r.workspace_id = $1 and r.send_id = t.send_id and r.kind = t.kind and r.done_at is null returning r.send_id, r.kind`,
    [ctx.workspaceId, ctx.now, rows.map((row) => row.send_id), rows.map((row) => row.kind), problem],
  );
