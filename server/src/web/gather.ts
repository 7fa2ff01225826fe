import { gatherer } from '#platform/gather.ts';

type Means<Item, Result> = {
  /** Most items in one run. */
  maxBatch: number;
  /** Most runs of one group at the same time. */
  concurrency: number;
  /** Items of different groups never share a run. */
  groupOf: (item: Item) => string;
  /** One result for each item, in order; an Error is thrown to the caller of its item. What `run` itself throws reaches every caller. */
  run: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
};

/** Gathers calls into runs, as platform/gather does, each group for itself. */
export function gathererByGroup<Item, Result>({ groupOf, ...means }: Means<Item, Result>): (item: Item) => Promise<Result> {
  const lanes = new Map<string, { under: number; add: (item: Item) => Promise<Result | Error> }>();
  return async (item) => {
    const group = groupOf(item);
    const lane = lanes.get(group) ?? { under: 0, add: gatherer<Item, Result | Error>(means) };
    lanes.set(group, lane);
    lane.under++;
    try {
      const result = await lane.add(item);
      if (result instanceof Error) throw result;
      return result;
    } finally {
      if (--lane.under === 0) lanes.delete(group);
    }
  };
}
