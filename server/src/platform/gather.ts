/** So few are not worth two commits. */
const SMALL = 16;

/**
 * Gathers calls that arrive together into batches, so that one commit serves many. A call waits for the batch before it, never for a timer:
 * alone it leaves at once, under load the batches grow by themselves.
 *
 * `run` answers every item of its batch in order; when it throws, every caller of that batch gets the error.
 */
export function gatherer<Item, Result>({
  maxBatch,
  concurrency = 1,
  run,
}: {
  maxBatch: number;
  concurrency?: number;
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
}): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let running = 0;

  const flush = async () => {
    if (running >= concurrency || waiting.length === 0) return;
    // The free lanes share what waits: else all callers end in one batch, which they leave and enter together while the other lanes stand idle.
    const share = Math.ceil(waiting.length / (concurrency - running));
    const size = Math.min(maxBatch, Math.max(share, Math.min(waiting.length, SMALL)));
    const batch = waiting.slice(0, size);
    waiting = waiting.slice(size);
    running++;
    if (waiting.length > 0) void flush();
    try {
      const results = await run(batch.map((one) => one.item));
      if (results.length !== batch.length) throw new Error(`A batch of ${batch.length} was answered ${results.length} times.`);
      for (const [i, one] of batch.entries()) one.resolve(results[i]!);
    } catch (error) {
      for (const one of batch) one.reject(error);
    } finally {
      running--;
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
