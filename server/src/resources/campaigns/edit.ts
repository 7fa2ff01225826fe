// Which campaigns may be changed, and what a change means for what was planned before it.
import { Refusal, found } from '#platform/refusal.ts';
import { lockEnrollments, planAgain } from '#resources/enrollments/index.ts';
import { takeBackSends, waitingEnrollments } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

/** The campaign, locked, if it may be changed: as a draft or while it is paused. */
export async function lockedForEdit(ctx: Ctx, id: string): Promise<store.Row> {
  const campaign = found(await store.locked(ctx, id), 'campaign');
  if (campaign.status === 'running') throw new Refusal('campaign_running', 'Pause this campaign to change it.');
  if (campaign.status === 'completed') {
    throw new Refusal('invalid_campaign_state', 'This campaign is completed: only a draft or a paused campaign can be changed.');
  }
  return campaign;
}

/**
 * Cancel what was planned until `plannedUntil` (all by default) and no worker holds, and have it planned anew: its texts or its inbox may not
 * be those of the campaign any more. The caller has locked the campaign.
 */
export async function planAnew(ctx: Ctx, campaignId: string, plannedUntil: Date | null = null): Promise<void> {
  await planAnewOf(ctx, await waitingEnrollments(ctx, campaignId, plannedUntil));
}

/** The same for these enrollments, in id order. */
export async function planAnewOf(ctx: Ctx, enrollmentIds: readonly string[]): Promise<void> {
  if (enrollmentIds.length === 0) return;
  await lockEnrollments(ctx, enrollmentIds);
  await planAgain(ctx, await takeBackSends(ctx, enrollmentIds));
}
