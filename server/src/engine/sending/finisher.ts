import { sleep } from '#platform/clock.ts';
import { gatherer } from '#platform/gather.ts';
import { isConnectionLost } from '#store/db.ts';
import type { World } from '#world/ctx.ts';
import type { CrashHook } from '../crash.ts';
import { finishAll } from './finish.ts';
import type { Journal } from './journal.ts';
import type { Finished } from './outcome.ts';

const AGAIN_MS = 250;

export type Finisher = {
  /** Write one outcome; resolves when it is in the database. Never rejects. */
  one(finished: Finished): Promise<void>;
  pending(): number;
  /** Whether every acceptance that the journal holds is in the database too. */
  isWhole(): boolean;
};

/**
 * Outcomes, gathered. An acceptance goes to the journal at once, whatever the database does; then each batch is one commit, tried again
 * until the database takes it.
 */
export function finisher(world: World, journal: Journal, crash: CrashHook): Finisher {
  let pending = 0;
  let whole = true;

  const journalled = gatherer<Finished, null>({
    maxBatch: 500,
    async run(batch) {
      // Nothing but this batch is under way: all that the journal holds is committed.
      if (whole && pending === batch.length) await journal.clearIfLarge();
      await journal.append(batch.map(({ send, outcome, at }) => ({
        workspace_id: send.workspace_id, id: send.id, mode: send.mode, fence: send.fence, at: at.toISOString(),
        reply: outcome.kind === 'accepted' ? outcome.reply.text : '',
      }))); // prettier-ignore
      await crash('CP12 journalled');
      return batch.map(() => null);
    },
  });

  const committed = gatherer<Finished, unknown>({
    maxBatch: 200,
    async run(batch) {
      const errors = await eachTaken(world, batch);
      await crash('CP13 committed');
      return errors;
    },
  });

  const say = ({ send, outcome }: Finished, error: unknown, what: string) =>
    world.log.error({ send: send.id, outcome: outcome.kind, err: error }, what);

  return {
    async one(finished) {
      pending++;
      if (finished.outcome.kind === 'accepted') {
        // A full disk is no reason to leave the database without the outcome as well.
        await journalled(finished).catch((error: unknown) => say(finished, error, 'the journal cannot be written'));
      }
      const error = await committed(finished);
      if (error !== null) {
        // A bug, not a lost connection: the row keeps its state until its lease runs out; a released one goes to the reconciler.
        whole = false;
        say(finished, error, 'an outcome could not be written');
      }
      pending--;
    },
    pending: () => pending,
    isWhole: () => whole && pending === 0,
  };
}

/**
 * Write a batch; one that the database refuses is written outcome by outcome, so that only the poisonous one is lost. Answers the error of
 * each in order, or null.
 */
async function eachTaken(world: World, batch: readonly Finished[]): Promise<unknown[]> {
  try {
    await untilTaken(world, batch);
    return batch.map(() => null);
  } catch (error) {
    if (batch.length === 1) return [error];
    const errors: unknown[] = [];
    for (const one of batch) errors.push(...(await eachTaken(world, [one])));
    return errors;
  }
}

async function untilTaken(world: World, batch: readonly Finished[]): Promise<void> {
  for (;;) {
    try {
      return await finishAll(world, batch);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      world.log.warn({ outcomes: batch.length, err: (error as Error).message }, 'outcomes wait for the database');
      await sleep(world.clock, AGAIN_MS);
    }
  }
}
