import { rowsOf } from '#store/db.ts';
import { endEnrollments, lockEnrollments, wakePlanner } from '#resources/enrollments/index.ts';
import { record } from '#resources/events/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Row } from './store.ts';
import { present } from './wire.ts';

/** A send that could not leave this long after it was due fails: `expired`, or by the last trouble's reason. */
export const MAX_LATENESS_MS = 24 * 3_600_000;

/** A campaign's send of an inbox that cannot send is taken back before it is too late: its lead shall not be lost because a mailbox rested. */
export const TAKE_BACK_AFTER_MS = MAX_LATENESS_MS - 3_600_000;

type Overdue = { inboxId: string; before: Date; reason: NonNullable<Row['failure_reason']>; detail: string | null; sparesCampaigns?: boolean };

/** Fail what has waited for an inbox since before an instant, and end the enrollments that it belongs to. Answers how many. */
export async function failOverdue(ctx: Ctx, { inboxId, before, reason, detail, sparesCampaigns = false }: Overdue): Promise<number> {
  const late = await rowsOf<Pick<Row, 'id' | 'campaign_id' | 'enrollment_id'>>(
    ctx.db,
    `select id, campaign_id, enrollment_id from sends
      where workspace_id = $1 and inbox_id = $2 and state = 'scheduled' and due_at is not null and scheduled_at < $3
        and (campaign_id is null or not $4) order by id limit 500`,
    [ctx.workspaceId, inboxId, before, sparesCampaigns],
  );
  if (late.length === 0) return 0;
  const enrollmentIds = late.flatMap((send) => send.enrollment_id ?? []).sort();
  await wakePlanner(ctx, late.flatMap((send) => send.campaign_id ?? []), ctx.now); // prettier-ignore
  await lockEnrollments(ctx, enrollmentIds);
  const failed = await rowsOf<Row>(
    ctx.db,
    `update sends set state = 'failed', failure_reason = $3, failure_detail = $4, due_at = null
      where workspace_id = $1 and id = any($2) and state = 'scheduled' returning *`,
    [ctx.workspaceId, late.map((send) => send.id), reason, detail],
  );
  await endEnrollments(ctx, failed.flatMap((send) => send.enrollment_id ?? []).sort(), 'failed'); // prettier-ignore
  for (const send of failed) record(ctx, { type: 'send.failed', resourceId: send.id, data: present(send), metadata: send.metadata as object | null });
  return failed.length;
}
