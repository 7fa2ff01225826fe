// The sending loop: leases inboxes that have something due and lets each run in a lane of its own, so that a slow server delays only itself.
import { sleep } from '#platform/clock.ts';
import { gatherer } from '#platform/gather.ts';
import type { Letter } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';
import { type CrashHook, noCrash } from '../crash.ts';
import type { Loop } from '../loop.ts';
import { type ClaimWish, claimSends } from './claim.ts';
import { finisher } from './finisher.ts';
import { openJournal } from './journal.ts';
import { lanesOf } from './lanes.ts';
import { type ReleaseWish, type Verdict, releaseDots } from './release.ts';

export type SendingOptions = { processId: string; journalFolder: string; maxLanes?: number; crash?: CrashHook };
export type Sending = Loop & {
  /** How many inboxes are at work. */
  lanes(): number;
  /** Every lane at rest and every outcome written. */
  idle(): Promise<void>;
};

/** How long an end waits for a database that does not answer. What was accepted stands in the journal, and the next start reads it. */
const LAST_WAIT_MS = 15_000;

/** The sending loop of one process. `processId` names it in leases and attempts and its journal's file. */
export async function sendingLoop(world: World, { processId, journalFolder, maxLanes = 100, crash = noCrash }: SendingOptions): Promise<Sending> {
  const journal = await openJournal(journalFolder, processId);
  const finish = finisher(world, journal, crash);
  const lanes = lanesOf(world, {
    processId,
    maxLanes,
    crash,
    claim: gatherer<ClaimWish, Letter[]>({ maxBatch: 100, run: (wishes) => claimSends(world, wishes, processId) }),
    release: gatherer<ReleaseWish, Verdict>({ maxBatch: 200, concurrency: 2, clock: world.clock, run: (wishes) => releaseDots(world, wishes) }),
    finish: finish.one,
  });
  return {
    name: 'sending',
    idleMs: 100,
    async step() {
      await lanes.lease();
      return false;
    },
    lanes: lanes.count,
    async idle() {
      while (lanes.count() > 0 || finish.pending() > 0) await sleep(world.clock, 1);
    },
    async close() {
      await lanes.close();
      const until = world.clock.monotonic() + LAST_WAIT_MS;
      while (finish.pending() > 0 && world.clock.monotonic() < until) await sleep(world.clock, 5);
      await journal.close(finish.isWhole());
    },
  };
}
