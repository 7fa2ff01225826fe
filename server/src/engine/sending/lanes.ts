// The inboxes that this process holds, each at work in a lane of its own, and the leases that keep others off them.
import { isConnectionLost } from '#store/db.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { Letter as Send } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';
import { LEASE_MS, giveBack, leaseInboxes, renewLeases } from './claim.ts';
import { type LaneMeans, runLane } from './lane.ts';
import { sessionsOf } from './sessions.ts';

export type Lanes = {
  /** Renew what is held where it is time, and lease what has become due. */
  lease(): Promise<void>;
  count(): number;
  /** Begin nothing new, end what was begun, close the connections. */
  close(): Promise<void>;
};

type Tools = Pick<LaneMeans, 'claim' | 'release' | 'finish' | 'crash'> & { processId: string; maxLanes: number };
const RENEW_MS = LEASE_MS / 3;

function noteStumble(world: World, inbox: Inbox, error: unknown): void {
  if (isConnectionLost(error)) world.log.warn({ inbox: inbox.id, err: (error as Error).message }, 'a lane lost the database');
  else world.log.error({ inbox: inbox.id, err: error }, 'a lane stumbled');
}

export function lanesOf(world: World, { processId, maxLanes, ...tools }: Tools): Lanes {
  const lanes = new Map<string, Promise<void>>();
  const lost = new Set<string>();
  const inHand = new Set<Send>();
  const sessions = sessionsOf(world.clock);
  let closing = false;
  let renewedAt = world.clock.monotonic();
  const mayGoOn = (inbox: Inbox) => !closing && !lost.has(inbox.id) && world.clock.monotonic() - renewedAt < LEASE_MS;

  const start = (inbox: Inbox) => {
    const lane = runLane({ world, sessions, inHand, mayGoOn, ...tools }, inbox)
      .catch((error: unknown) => noteStumble(world, inbox, error))
      .then(() => giveBack(world, inbox, processId))
      .catch((error: unknown) => world.log.warn({ inbox: inbox.id, err: (error as Error).message }, 'a lease was left to expire'))
      .finally(() => lanes.delete(inbox.id));
    lanes.set(inbox.id, lane);
  };

  const renew = async () => {
    if (world.clock.monotonic() - renewedAt < RENEW_MS) return;
    const held = await renewLeases(world, processId, [...lanes.keys()], [...inHand]);
    renewedAt = world.clock.monotonic();
    lost.clear();
    for (const id of lanes.keys()) if (!held.has(id)) lost.add(id);
    sessions.sweep((id) => lanes.has(id));
  };

  return {
    async lease() {
      await renew();
      if (lanes.size >= maxLanes) return;
      const inboxes = await leaseInboxes(world, processId, maxLanes - lanes.size);
      for (const inbox of inboxes.filter((one) => !lanes.has(one.id))) start(inbox);
    },
    count: () => lanes.size,
    async close() {
      closing = true;
      await Promise.all(lanes.values());
      await sessions.closeAll();
    },
  };
}
