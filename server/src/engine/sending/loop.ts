// The sending loop: leases inboxes that have something due and lets each run in a lane of its own, so that a slow server delays only itself.
import { sleep } from '#platform/clock.ts';
import { gatherer } from '#platform/gather.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { Send } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';
import { type CrashHook, noCrash } from '../crash.ts';
import type { Loop } from '../loop.ts';
import { type ClaimWish, LEASE_MS, claimSends, giveBack, leaseInboxes, renewLeases } from './claim.ts';
import { finisher } from './finisher.ts';
import { openJournal } from './journal.ts';
import { type LaneMeans, runLane } from './lane.ts';
import { type ReleaseWish, type Verdict, releaseDots } from './release.ts';
import { sessionsOf } from './sessions.ts';

export type SendingOptions = { processId: string; journalFolder: string; maxLanes?: number; crash?: CrashHook };
export type Sending = Loop & {
  /** How many inboxes are at work. */
  lanes(): number;
  /** Every lane at rest and every outcome written. */
  idle(): Promise<void>;
};

const RENEW_MS = LEASE_MS / 3;

/** The sending loop of one process. `processId` names it in leases and attempts and its journal's file. */
export async function sendingLoop(world: World, { processId, journalFolder, maxLanes = 100, crash = noCrash }: SendingOptions): Promise<Sending> {
  const journal = await openJournal(journalFolder, processId);
  const lanes = new Map<string, Promise<void>>();
  const lost = new Set<string>();
  const inHand = new Set<Send>();
  const sessions = sessionsOf(world.clock);
  let closing = false;
  let renewedAt = world.clock.monotonic();

  const claim = gatherer<ClaimWish, Send[]>({ maxBatch: 100, run: (wishes) => claimSends(world, wishes, processId) });
  const release = gatherer<ReleaseWish, Verdict>({ maxBatch: 200, run: (wishes) => releaseDots(world, wishes) });
  const finish = finisher(world, journal, crash);
  const mayGoOn = (inbox: Inbox) => !closing && !lost.has(inbox.id) && world.clock.monotonic() - renewedAt < LEASE_MS;
  const means: LaneMeans = { world, sessions, claim, release, finish: finish.one, inHand, mayGoOn, crash };

  const start = (inbox: Inbox) => {
    const lane = runLane(means, inbox)
      .catch((error: unknown) => world.log.error({ inbox: inbox.id, err: error }, 'a lane stumbled'))
      .then(() => giveBack(world, inbox, processId))
      .catch((error: unknown) => world.log.warn({ inbox: inbox.id, err: (error as Error).message }, 'a lease was left to expire'))
      .finally(() => lanes.delete(inbox.id));
    lanes.set(inbox.id, lane);
  };

  const renew = async () => {
    if (world.clock.monotonic() - renewedAt < RENEW_MS) return;
    const held = await renewLeases(world, processId, [...inHand]);
    renewedAt = world.clock.monotonic();
    lost.clear();
    for (const id of lanes.keys()) if (!held.has(id)) lost.add(id);
    sessions.sweep((id) => lanes.has(id));
  };

  return {
    name: 'sending',
    idleMs: 100,
    async step() {
      await renew();
      if (lanes.size >= maxLanes) return false;
      const inboxes = await leaseInboxes(world, processId, maxLanes - lanes.size);
      for (const inbox of inboxes.filter((one) => !lanes.has(one.id))) start(inbox);
      return false;
    },
    lanes: () => lanes.size,
    async idle() {
      while (lanes.size > 0 || finish.pending() > 0) await sleep(world.clock, 1);
    },
    async close() {
      closing = true;
      await Promise.all(lanes.values());
      while (finish.pending() > 0) await sleep(world.clock, 5);
      await sessions.closeAll();
      await journal.close(finish.isWhole());
    },
  };
}
