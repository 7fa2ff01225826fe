import { found } from '#platform/refusal.ts';
import { removeEnrollments } from '#resources/enrollments/index.ts';
import { takeBackSends, waitingEnrollments } from '#resources/sends/index.ts';
import { forgetMarks } from '#resources/variant-races/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

/**
 * Remove a campaign with its steps and enrollments. What waits is canceled; what a worker holds is canceled before its dot, because the release
 * looks for the campaign under its lock; what was released completes. Sends, messages and events keep their history. `confirmRunning` is
 * called for a running campaign, and throws to keep it.
 */
export async function deleteCampaign(ctx: Ctx, id: string, confirmRunning: () => void): Promise<store.Row> {
  const row = found(await store.lockedToDelete(ctx, id), 'campaign');
  if (row.status === 'running') confirmRunning();
  // Enrollments before sends, as everywhere. The sends remember their enrollments when these are gone.
  await removeEnrollments(ctx, id);
  await takeBackSends(ctx, await waitingEnrollments(ctx, id));
  await forgetMarks(ctx, id);
  await store.remove(ctx, id);
  return row;
}
