import { type Ending, type Enrollment, endEnrollments, wakePlanner } from '#resources/enrollments/index.ts';
import { cancelOpenOf } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';

/**
 * End enrollments and cancel what still waits for them, in one go. Answers those that changed. The release of a dot locks the same
 * enrollment: whichever commits first, no dot follows the commit of this.
 */
export async function stopLeads(ctx: Ctx, enrollments: readonly Pick<Enrollment, 'id' | 'campaign_id'>[], as: Ending): Promise<Enrollment[]> {
  if (enrollments.length === 0) return [];
  // A campaign without active leads is complete: have the planner look. (Campaigns are locked before enrollments, everywhere.)
  await wakePlanner(ctx, enrollments.map((one) => one.campaign_id), ctx.now); // prettier-ignore
  const ended = await endEnrollments(ctx, enrollments.map((one) => one.id).sort(), as); // prettier-ignore
  await cancelOpenOf(ctx, ended.map((one) => one.id)); // prettier-ignore
  return ended;
}
