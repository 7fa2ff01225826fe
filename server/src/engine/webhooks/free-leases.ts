import { rowsOf } from '#store/db.ts';
import type { World } from '#world/ctx.ts';

const EVERY_MS = 2_000;

/**
 * Frees what dead processes have left in hand: once for each worker that has given signs of life within a day and is known to be gone by now. (One
 * on another machine never is: its leases run out.)
 */
export function leaseFreer(world: World, isAlive: (processId: string) => boolean): () => Promise<void> {
  const buried = new Set<string>();
  let next = -Infinity;
  return async () => {
    if (world.clock.monotonic() < next) return;
    next = world.clock.monotonic() + EVERY_MS;
    const known = await rowsOf<{ process_id: string }>(world.db, 'select process_id from heartbeats', []);
    const gone = known.map((row) => row.process_id).filter((id) => !buried.has(id) && !isAlive(id));
    if (gone.length === 0) return;
    await rowsOf(
      world.db,
      `update webhook_deliveries set leased_until = $2 where status = 'pending' and leased_until > $2 and lease_holder = any($1::text[])`,
      [gone, world.clock.wall()],
    );
    for (const id of gone) buried.add(id);
  };
}
