// What of a campaign's sends has not ended: for when the campaign is changed or deleted.
import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import { cancelOpenOf } from './cancel.ts';

type Waiting = { enrollment_id: string };

/** The enrollments for which sends of a campaign wait that no worker holds; those planned until `plannedUntil`, or all. In id order. */
export async function waitingEnrollments(ctx: Ctx, campaignId: string, plannedUntil: Date | null = null): Promise<string[]> {
  const rows = await rowsOf<Waiting>(
    ctx.db,
    `select distinct enrollment_id from sends
      where workspace_id = $1 and campaign_id = $2 and campaign_id > '' and is_open and state = 'scheduled' and enrollment_id is not null
        and ($3::timestamptz is null or created_at <= $3)
      order by enrollment_id`,
    [ctx.workspaceId, campaignId, plannedUntil],
  );
  return rows.map((row) => row.enrollment_id);
}

/** The enrollments for which a mail of a step waits in another text than this variant's (null: the step's own). In id order. */
export async function waitingWithOtherText(ctx: Ctx, campaignId: string, stepId: string, variantId: string | null): Promise<string[]> {
  const rows = await rowsOf<Waiting>(
    ctx.db,
    `select enrollment_id from sends
      where workspace_id = $1 and campaign_id = $2 and campaign_id > '' and is_open and state = 'scheduled' and enrollment_id is not null
        and campaign_step_id = $3 and variant_id is distinct from $4
      order by enrollment_id`,
    [ctx.workspaceId, campaignId, stepId, variantId],
  );
  return rows.map((row) => row.enrollment_id);
}

/** Cancel what waits for these enrollments, which the caller has locked. Answers those for which nothing is on its way any more. */
export async function takeBackSends(ctx: Ctx, enrollmentIds: readonly string[]): Promise<string[]> {
  await cancelOpenOf(ctx, enrollmentIds);
  // A worker may hold one, or have put one back since we looked: that one decides what comes next.
  const open = await rowsOf<Waiting>(
    ctx.db,
    `select enrollment_id from sends where workspace_id = $1 and enrollment_id = any($2) and enrollment_id > '' and is_open`,
    [ctx.workspaceId, enrollmentIds],
  );
  const busy = new Set(open.map((row) => row.enrollment_id));
  return enrollmentIds.filter((id) => !busy.has(id));
}

/** The steps of a campaign of which a mail is in a worker's hands at this moment, or of which nobody knows yet whether it left. */
export async function stepsLeaving(ctx: Ctx, campaignId: string): Promise<Set<string>> {
  const rows = await rowsOf<{ campaign_step_id: string }>(
    ctx.db,
    `select distinct campaign_step_id from sends
      where workspace_id = $1 and campaign_id = $2 and campaign_id > '' and is_open and state = 'sending' and campaign_step_id is not null`,
    [ctx.workspaceId, campaignId],
  );
  return new Set(rows.map((row) => row.campaign_step_id));
}
