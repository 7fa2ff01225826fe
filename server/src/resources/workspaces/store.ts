import type { Selectable } from 'kysely';
import { type Db, rowsOf } from '#store/db.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['workspaces']>;
export type Usage = { contacts: number; sends_this_month: number; webhooks: number; inboxes: number };

export const insert = (db: Db, row: Row) => db.insertInto('workspaces').values(row).execute();

export async function own(ctx: Ctx): Promise<Row> {
  const [row] = await rowsOf<Row>(ctx.db, 'select * from workspaces where id = $1', [ctx.workspaceId]);
  if (!row) throw new Error(`There is no workspace ${ctx.workspaceId}.`);
  return row;
}

/**
 * The workspace, locked until the commit. Whoever would add to a limited kind of thing asks here first, so that two of them cannot both
 * take the last place. `no key update` does not stand in the way of foreign keys, so everything else goes on.
 */
export const lockOwn = (ctx: Ctx) =>
  ctx.db.selectFrom('workspaces').selectAll().where('id', '=', ctx.workspaceId).forNoKeyUpdate().executeTakeFirstOrThrow();

/** How many live contacts the workspace keeps; usage is about live activity, whichever mode asks. */
export async function liveContacts(ctx: Ctx): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(ctx.db, `select count(*) from contacts where workspace_id = $1 and mode = 'live'`, [ctx.workspaceId]);
  return row!.count;
}

/** How many live mailboxes are connected. */
export async function liveInboxes(ctx: Ctx): Promise<number> {
  const text = `select count(*) from inboxes where workspace_id = $1 and mode = 'live' and status <> 'revoked'`;
  const [row] = await rowsOf<{ count: number }>(ctx.db, text, [ctx.workspaceId]);
  return row!.count;
}

/** How many live webhook endpoints are registered, disabled ones among them. */
export async function liveWebhooks(ctx: Ctx): Promise<number> {
  const text = `select count(*) from webhook_endpoints where workspace_id = $1 and mode = 'live'`;
  const [row] = await rowsOf<{ count: number }>(ctx.db, text, [ctx.workspaceId]);
  return row!.count;
}

/** Live sends of the month that begins on `month` (YYYY-MM-01). */
export async function liveSends(ctx: Ctx, month: string): Promise<number> {
  const text = `select sends_count from usage_months where workspace_id = $1 and mode = 'live' and month = $2`;
  const [row] = await rowsOf<{ sends_count: number }>(ctx.db, text, [ctx.workspaceId, month]);
  return row?.sends_count ?? 0;
}

/** Add `delta` to the sends of a month in the caller's mode; gives the new total, and the plan that it counts against. */
export async function addSends(ctx: Ctx, month: string, delta: number): Promise<{ total: number } & Pick<Row, 'plan' | 'plan_status'>> {
  const text = `
    with counted as (
      insert into usage_months (workspace_id, mode, month, sends_count) values ($1, $2, $3, greatest($4::int, 0))
      on conflict (workspace_id, mode, month) do update set sends_count = greatest(usage_months.sends_count + $4::int, 0)
      returning sends_count
    )
    select sends_count as total, plan, plan_status from counted, workspaces where id = $1`;
  const [row] = await rowsOf<{ total: number } & Pick<Row, 'plan' | 'plan_status'>>(ctx.db, text, [ctx.workspaceId, ctx.mode, month, delta]);
  return row!;
}
