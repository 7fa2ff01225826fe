import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';

/** The campaigns in which contacts are tied to an inbox, or wait for it. */
export async function campaignsUsing(ctx: Ctx, inboxId: string): Promise<string[]> {
  const rows = await rowsOf<{ campaign_id: string }>(
    ctx.db,
    `select distinct campaign_id from enrollments where workspace_id = $1 and mode = $2 and assigned_inbox_id = $3 and status = 'active'`,
    [ctx.workspaceId, ctx.mode, inboxId],
  );
  return rows.map((row) => row.campaign_id).sort();
}

/**
 * Free the contacts that are tied to an inbox which is gone: their next step leaves by another inbox of the campaign, when it is due. Who waited
 * for a send of the inbox is due again at once. Locks the enrollments in id order; the caller has locked inbox and campaigns, and cancels the sends.
 */
export async function handBack(ctx: Ctx, inboxId: string): Promise<void> {
  const tied = await rowsOf<{ id: string }>(
    ctx.db,
    `select id from enrollments where workspace_id = $1 and mode = $2 and assigned_inbox_id = $3 and status = 'active' order by id for no key update`,
    [ctx.workspaceId, ctx.mode, inboxId],
  );
  // No due time means: a send is written down. One that a worker has already taken up goes on; its outcome sets the next step's time.
  await rowsOf(
    ctx.db,
    `update enrollments e set assigned_inbox_id = null, updated_at = $3,
            plan_due_at = case when s.id is null then e.plan_due_at else $3 end, next_send_at = case when s.id is null then e.next_send_at else $3 end
       from unnest($2::text[]) as tied (id)
       left join sends s on s.workspace_id = $1 and s.enrollment_id = tied.id and s.is_open and s.enrollment_id > '' and s.state = 'scheduled'
      where e.workspace_id = $1 and e.id = tied.id`,
    [ctx.workspaceId, tied.map((row) => row.id), ctx.now],
  );
}
