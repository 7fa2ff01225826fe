import { rowsOf } from '#store/db.ts';
import type { World } from '#world/ctx.ts';
import type { Taken } from './take.ts';

const GIVE_BACK = `
  update webhook_deliveries d set leased_until = null
    from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) as mine (workspace_id, webhook_id, id, leased_until)
   where d.workspace_id = mine.workspace_id and d.webhook_id = mine.webhook_id and d.id = mine.id and d.status = 'pending'
     and d.leased_until = mine.leased_until`;

/** Give back what was taken up and not begun. Never rejects: where that fails, the leases run out. */
export async function giveBack(world: World, tasks: readonly Taken[]): Promise<void> {
  if (tasks.length === 0) return;
  try {
    await rowsOf(world.db, GIVE_BACK, [
      tasks.map((one) => one.workspace_id),
      tasks.map((one) => one.webhook_id),
      tasks.map((one) => one.id),
      tasks.map((one) => one.leased_until),
    ]);
  } catch (error) {
    world.log.warn({ err: (error as Error).message }, 'deliveries were left to their leases');
  }
}
