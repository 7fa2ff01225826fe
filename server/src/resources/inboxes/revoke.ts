import { found } from '#platform/refusal.ts';
import { record } from '#resources/events/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { leavingWarmup, noServer } from './settings.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

/**
 * Take an inbox out of service for good, or until it is connected anew: its credentials are erased, nobody reads it, nothing more leaves by it.
 * Locks it. `isNews` is false when it was so before; then nothing is told again.
 */
export async function revokeInbox(ctx: Ctx, id: string): Promise<{ row: store.Row; isNews: boolean }> {
  const before = found(await store.locked(ctx, id), 'inbox');
  if (before.status === 'revoked') return { row: before, isNews: false };
  const row = await store.update(ctx, id, {
    ...noServer,
    status: 'revoked',
    status_reason: 'Disconnected by a caller.',
    revoked_at: ctx.now,
    ...leavingWarmup(before, ctx.now),
    retry_at: null,
    recall_at: null,
    next_poll_at: null,
    poll_lease_holder: null,
    poll_leased_until: null,
  });
  record(ctx, { type: 'inbox.disconnected', resourceId: id, data: present(row, ctx.now), previous: { status: before.status, revoked_at: null } });
  return { row, isNews: true };
}
