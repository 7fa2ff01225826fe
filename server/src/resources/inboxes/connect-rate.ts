import { Refusal } from '#platform/refusal.ts';
import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';

const MINUTE = 60_000;
/** Connections that a workspace may try in one minute: more is somebody trying passwords, or ports. */
const CONNECTS_A_MINUTE = 50;

/** Count one more try to connect a mailbox. Refuses with `rate_limit_exceeded` beyond 50 in the running minute, over all processes. */
export async function countConnect(ctx: Ctx): Promise<void> {
  const wall = ctx.clock.wall().getTime();
  const minute = new Date(wall - (wall % MINUTE));
  const [row] = await rowsOf<{ attempts: number }>(
    ctx.db,
    `insert into inbox_connect_attempts as known (workspace_id, minute, attempts) values ($1, $2, 1)
     on conflict (workspace_id) do update
        set minute = excluded.minute, attempts = case when known.minute = excluded.minute then known.attempts + 1 else 1 end
     returning attempts`,
    [ctx.workspaceId, minute],
  );
  if (row!.attempts <= CONNECTS_A_MINUTE) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((minute.getTime() + MINUTE - wall) / 1000));
  throw new Refusal('rate_limit_exceeded', `No more than ${CONNECTS_A_MINUTE} mailboxes can be connected in a minute.`, { retryAfterSeconds });
}
