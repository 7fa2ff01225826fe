import { rowsOf } from '#store/db.ts';
import { lockEnrollments, planAgain, wakePlanner } from '#resources/enrollments/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { takeBackSends } from './of-campaign.ts';

type Late = { campaign_id: string; enrollment_id: string };

/**
 * Cancel the campaign sends that have waited for an inbox since before an instant, and have their leads planned anew: by the inbox of their first
 * mail once it can send again, or by another one where they have had none. The caller has locked nothing.
 */
export async function takeBackOverdue(ctx: Ctx, inboxId: string, before: Date): Promise<void> {
  const late = await rowsOf<Late>(
    ctx.db,
    `select campaign_id, enrollment_id from sends
      where workspace_id = $1 and inbox_id = $2 and state = 'scheduled' and due_at is not null and scheduled_at < $3
        and campaign_id is not null and enrollment_id is not null
      order by enrollment_id limit 500`,
    [ctx.workspaceId, inboxId, before],
  );
  if (late.length === 0) return;
  const enrollmentIds = late.map((send) => send.enrollment_id);
  await wakePlanner(ctx, late.map((send) => send.campaign_id), ctx.now); // prettier-ignore
  await lockEnrollments(ctx, enrollmentIds);
  await planAgain(ctx, await takeBackSends(ctx, enrollmentIds));
}
