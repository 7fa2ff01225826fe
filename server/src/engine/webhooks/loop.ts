// The delivery loop: takes up what is due and what the log has new, posts it and writes down what became of it. At least once: an attempt that
// this process did not live to write down is made again under another number.
import { sleep } from '#platform/clock.ts';
import type { World } from '#world/ctx.ts';
import { type CrashHook, noCrash } from '../crash.ts';
import type { Loop } from '../loop.ts';
import { carrier } from './carry.ts';
import { type DeliverDriven, type Patience, driven } from './driven.ts';
import { leaseFreer } from './free-leases.ts';
import { lanesOf } from './lanes.ts';
import { findPoints } from './points.ts';
import { sweepDriven, sweeper } from './sweep.ts';
import { taker } from './take-up.ts';

export type Webhooks = Loop & {
  /** Nothing is in hand any more. */
  idle(): Promise<void>;
  isIdle(): boolean;
  /** For a test clock: deliver at its instants, and remove what has become too old by its time. */
  deliverDriven: DeliverDriven;
  sweepDriven: typeof sweepDriven;
};
/** `processId` names it in leases; `isAlive` tells whose leases need not run out. */
export type WebhooksOptions = { processId?: string; isAlive?: (processId: string) => boolean; crash?: CrashHook; patience?: Patience };

/** A receiver that hangs for once is waited for to the end of its 15 seconds, and not a second time. */
const PATIENCE: Patience = { quickMs: 1_000, slowMs: 20_000, mostMs: 300_000 };

/** How long a step waits for room while its lanes are full. */
const WAIT_MS = 50;

/** The delivery loop of one process. */
export function webhooksLoop(world: World, options: WebhooksOptions = {}): Webhooks {
  const { processId = null, isAlive = () => true, crash = noCrash, patience = PATIENCE } = options;
  const carrying = carrier(world, crash);
  const lanes = lanesOf({ ...carrying, monotonic: world.clock.monotonic });
  const takeUp = taker(lanes, processId);
  const freeLeases = leaseFreer(world, isAlive);
  const sweep = sweeper(world);
  const isIdle = () => lanes.count().all === 0 && carrying.pending() === 0;
  const idle = async () => {
    while (!isIdle()) await sleep(world.clock, 1);
  };
  return {
    name: 'webhooks',
    idleMs: 100,
    async step() {
      await sweep();
      await freeLeases();
      if (await takeUp(world, await findPoints(world))) return true;
      if (lanes.count().all === 0) return false;
      let isRoomy = false;
      await Promise.race([lanes.roomy().then(() => (isRoomy = true)), sleep(world.clock, WAIT_MS)]);
      return isRoomy;
    },
    idle,
    isIdle,
    deliverDriven: driven({ lanes, pending: carrying.pending, takeUp, patience }),
    sweepDriven,
    async close() {
      lanes.empty();
      await idle();
    },
  };
}
