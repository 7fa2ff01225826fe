import { Refusal, found } from '#platform/refusal.ts';
import { endEnrollments, wakePlanner } from '#resources/enrollments/index.ts';
import { record } from '#resources/events/index.ts';
import { countUsage, monthOf } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

/**
 * Cancel a send that no worker has taken up. Refuses with `send_not_cancelable` from `sending` on. The contact of a campaign's send is taken out
 * of the campaign with it, or it would wait there for a step that never comes; attaching it again goes on at that step.
 */
export async function cancelSend(ctx: Ctx, id: string): Promise<store.Row> {
  const { campaign_id: campaignId, enrollment_id: enrollmentId } = found(await store.byId(ctx, id), 'send');
  // Campaign, enrollment, send: the order in which everybody locks.
  if (campaignId !== null) await wakePlanner(ctx, [campaignId], ctx.now);
  if (enrollmentId !== null) await endEnrollments(ctx, [enrollmentId], 'removed');
  const row = found(await store.locked(ctx, id), 'send');
  // Thrown inside the caller's transaction: the enrollment is as it was.
  if (row.state !== 'scheduled') throw new Refusal('send_not_cancelable', `This send is ${row.state}; only a scheduled one can be canceled.`);
  const [canceled] = await cancelAll(ctx, [row]);
  return found(canceled, 'send');
}

/** Cancel what still waits for these enrollments, because they have come to an end. */
export async function cancelOpenOf(ctx: Ctx, enrollmentIds: readonly string[]): Promise<void> {
  await cancelAll(ctx, await store.lockedScheduledOf(ctx, enrollmentIds));
}

export async function cancelAll(ctx: Ctx, rows: readonly Pick<store.Row, 'id'>[]): Promise<store.Row[]> {
  if (rows.length === 0) return [];
  const canceled = await store.cancel(ctx, rows.map((row) => row.id)); // prettier-ignore
  // They count off the month in which they were created.
  const months = Map.groupBy(ctx.mode === 'live' ? canceled : [], (row) => monthOf(row.created_at));
  for (const [month, those] of [...months].sort(([a], [b]) => (a < b ? -1 : 1))) await countUsage(ctx, month, -those.length);
  for (const row of canceled) record(ctx, { type: 'send.canceled', resourceId: row.id, data: present(row), metadata: row.metadata as object | null });
  return canceled;
}
