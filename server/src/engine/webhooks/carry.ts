// One delivery from hand to log: posted, then written down together with whatever else has just come back.
import { sleep } from '#platform/clock.ts';
import { gatherer } from '#platform/gather.ts';
import { type Outcome, type Webhook, exchange } from '#resources/webhooks/index.ts';
import type { World } from '#world/ctx.ts';
import type { CrashHook } from '../crash.ts';
import { type Finished, finishOthers, finishPlain, isPlain } from './finish.ts';
import { giveBack } from './give-back.ts';
import { byTheirTime } from './times.ts';
import type { Taken } from './take.ts';

export type Carrier = {
  /**
   * Post one that was taken up at `now`, the workspace's time; settles with its outcome before that is written down, with undefined when there is
   * none. Never rejects.
   */
  carry(task: Taken, endpoint: Webhook, now: Date): Promise<Outcome | undefined>;
  giveBack(tasks: readonly Taken[]): void;
  /** How much is still to be written: in all, or of one endpoint. */
  pending(webhookId?: string): number;
};

/** An exchange and some time to write it down: nothing is begun whose lease ends sooner. */
const NEEDED_MS = 20_000;
const MAX_BATCH = 500;
const TRIES = 3;
const TRY_AGAIN_MS = 1_000;

/** What carries deliveries out in one process. */
export function carrier(world: World, crash: CrashHook): Carrier {
  const plain = batches(world, finishPlain);
  const others = batches(world, finishOthers);
  const unwritten = new Map<string, number>();
  const counted = (webhookId: string, work: Promise<void>) => {
    const add = (more: number) => {
      const left = (unwritten.get(webhookId) ?? 0) + more;
      if (left > 0) unwritten.set(webhookId, left);
      else unwritten.delete(webhookId);
    };
    add(1);
    void work.finally(() => add(-1));
  };
  const write = (finished: Finished): Promise<void> =>
    (isPlain(finished) ? plain : others)(finished).catch((error: unknown) => {
      // Its lease runs out, and it is made again.
      world.log.warn({ delivery: finished.task.id, err: (error as Error).message }, 'the outcome of a delivery could not be written down');
    });
  return {
    pending: (webhookId) => (webhookId === undefined ? [...unwritten.values()].reduce((sum, one) => sum + one, 0) : (unwritten.get(webhookId) ?? 0)),
    giveBack(tasks) {
      for (const [webhookId, its] of Map.groupBy(tasks, (task) => task.webhook_id)) counted(webhookId, giveBack(world, its));
    },
    async carry(task, endpoint, now) {
      if (task.leased_until!.getTime() - world.clock.wall().getTime() < NEEDED_MS) {
        counted(task.webhook_id, giveBack(world, [task]));
        return undefined;
      }
      try {
        const outcome = await exchange(world, endpoint, { delivery: task, body: task.body, now });
        await crash('CP14 posted');
        counted(task.webhook_id, write({ task, urlVersion: endpoint.url_version, outcome }));
        return outcome;
      } catch (error) {
        // Whatever a receiver does is an outcome, so this is a fault of ours (a secret that does not open): the lease runs out.
        world.log.error({ webhook: endpoint.id, delivery: task.id, err: error }, 'a delivery stumbled');
        return undefined;
      }
    },
  };
}

/** Writes outcomes that come in together in one commit; a database that is away for a moment is asked again. */
function batches(world: World, write: (world: World, finished: readonly Finished[]) => Promise<void>): (finished: Finished) => Promise<void> {
  return gatherer<Finished, void>({
    maxBatch: MAX_BATCH,
    run: async (finished) => {
      for (let tried = 1; ; tried++) {
        try {
          for (const [then, those] of await byTheirTime(world, finished)) await write(then, those);
          return finished.map(() => undefined);
        } catch (error) {
          if (tried >= TRIES) throw error;
          await sleep(world.clock, TRY_AGAIN_MS);
        }
      }
    },
  });
}
