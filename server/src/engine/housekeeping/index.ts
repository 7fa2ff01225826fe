// The door. Housekeeping: what time alone brings about.
import { rowsOf } from '#store/db.ts';
import type { World } from '#world/ctx.ts';
import type { Loop } from '../loop.ts';

const KEEP_IDEMPOTENCY_MS = 24 * 3_600_000;

/** Inboxes get their new day, old idempotency keys go. */
export function housekeepingLoop(world: World): Loop {
  return {
    name: 'housekeeping',
    idleMs: 5_000,
    async step() {
      const now = world.clock.now();
      await rowsOf(
        world.db,
        `update inboxes set status = 'active', status_reason = null where status = 'over_quota_today' and day_resets_at <= $1`,
        [now],
      );
      await rowsOf(world.db, 'delete from idempotency_keys where created_at < $1', [new Date(now.getTime() - KEEP_IDEMPOTENCY_MS)]);
      return false;
    },
  };
}
