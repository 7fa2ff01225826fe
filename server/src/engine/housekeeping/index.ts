// The door. Housekeeping: what time alone brings about.
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Inbox, MAY_SEND } from '#resources/inboxes/index.ts';
import { MAX_LATENESS_MS, failOverdue } from '#resources/sends/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import type { Loop } from '../loop.ts';

const KEEP_IDEMPOTENCY_MS = 24 * 3_600_000;

/** Inboxes get their new day, sends that wait in vain expire, old idempotency keys go. */
export function housekeepingLoop(world: World): Loop {
  return {
    name: 'housekeeping',
    idleMs: 5_000,
    async step() {
      const now = world.clock.now();
      await rowsOf(world.db, `update inboxes set status = 'active', status_reason = null where status = 'over_quota_today' and day_resets_at <= $1`, [
        now,
      ]);
      await rowsOf(world.db, 'delete from idempotency_keys where created_at < $1', [new Date(world.clock.wall().getTime() - KEEP_IDEMPOTENCY_MS)]);
      await expire(world, now);
      return false;
    },
  };
}

/** The sends of an inbox that cannot send are held for a day, and then fail. */
async function expire(world: World, now: Date): Promise<void> {
  const before = new Date(now.getTime() - MAX_LATENESS_MS);
  const inboxes = await rowsOf<Pick<Inbox, 'workspace_id' | 'id' | 'mode' | 'status'>>(
    world.db,
    `select workspace_id, id, mode, status from inboxes i
      where status <> all($1::text[]) and exists (
        select 1 from sends s
         where s.workspace_id = i.workspace_id and s.inbox_id = i.id and s.state = 'scheduled' and s.due_at is not null and s.scheduled_at < $2)
      order by workspace_id, id limit 100`,
    [MAY_SEND, before],
  );
  for (const inbox of inboxes) {
    await inTransaction(actingFor(world, inbox.workspace_id, inbox.mode), (ctx) =>
      failOverdue(ctx, { inboxId: inbox.id, before, reason: 'expired', detail: `The inbox was ${inbox.status} for a day.` }),
    );
  }
}
