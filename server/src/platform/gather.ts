import type { Clock } from './clock.ts';

/** So few are not worth two commits. */
const SMALL = 16;
/** A batch that takes longer than this waits for something, a lock or a slow disk. */
const PATIENCE_MS = 50;
/** Most batches under way for each that `concurrency` allows, those that wait for something among them. */
const MOST = 3;

type Means<Item, Result> = {
  maxBatch: number;
  concurrency?: number;
  clock?: Clock;
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
};

/**
 * Gathers calls that arrive together into batches, so that one commit serves many. A call waits for the batch before it: alone it leaves at once,
 * under load the batches grow by themselves. Up to `concurrency` batches are under way at once. With a `clock` one begins beside another only when it
 * is no smaller, which makes fewer commits; but a batch that waits for something holds up nobody, and some more than `concurrency` may be under way.
 *
 * `run` answers every item of its batch in order; when it throws, every caller of that batch gets the error.
 */
export function gatherer<Item, Result>({ maxBatch, concurrency = 1, clock, run }: Means<Item, Result>): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let underWay = 0;
  const brisk = new Set<readonly Waiting[]>();

  const isLargeEnough = () => !clock || [...brisk].every((one) => one.length <= waiting.length);
  const mayBegin = () => waiting.length > 0 && brisk.size < concurrency && underWay < MOST * concurrency && isLargeEnough();

  const flush = async () => {
    if (!mayBegin()) return;
    // The free lanes share what waits: else all callers end in one batch, which they leave and enter together while the other lanes stand idle.
    const share = Math.floor(waiting.length / (concurrency - brisk.size));
    const size = Math.min(maxBatch, Math.max(share, Math.min(waiting.length, SMALL)));
    const batch = waiting.slice(0, size);
    waiting = waiting.slice(size);
    underWay++;
    brisk.add(batch);
    const leave = () => {
      if (brisk.delete(batch)) void flush();
    };
    const stay = clock?.after(PATIENCE_MS, leave);
    void flush();
    try {
      const results = await run(batch.map((one) => one.item));
      if (results.length !== batch.length) throw new Error(`A batch of ${batch.length} was answered ${results.length} times.`);
      for (const [i, one] of batch.entries()) one.resolve(results[i]!);
    } catch (error) {
      for (const one of batch) one.reject(error);
    } finally {
      stay?.();
      underWay--;
      brisk.delete(batch);
      void flush();
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // The rest of this turn of the event loop may bring more.
      queueMicrotask(() => void flush());
    });
}
