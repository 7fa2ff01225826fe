// Deliveries of a test mode whose test clock was moved. The clock's walk asks for them, at each instant for what is due there, and goes on when
// it has come to an end; the exchange itself is real and takes real time, so the walk's patience with each receiver has an end.
import { sleep } from '#platform/clock.ts';
import type { World } from '#world/ctx.ts';
import type { Carrier } from './carry.ts';
import type { Lanes } from './lanes.ts';
import { type Driven, findDriven } from './points.ts';
import type { TakeUp } from './take-up.ts';

/** How a walk waits. What it has waited for each slow endpoint is kept from instant to instant. */
export type Waiting = {
  /** By endpoint, in milliseconds of slow waiting. */
  spent: Map<string, number>;
  signal: AbortSignal;
  /** Keeps the walk's lease; false when it is lost. */
  keep(): Promise<boolean>;
};

/**
 * Of real time: an exchange that takes longer than `quickMs` is slow. In all a walk waits for an endpoint `slowMs` while it is slow, or `mostMs`
 * while it is not, or parts of both.
 */
export type Patience = { quickMs: number; slowMs: number; mostMs: number };

/**
 * Deliver what is due in test mode of a workspace at the world's time. With `waiting` it answers when all of that was tried and written down, but
 * for endpoints with which the walk has lost its patience; without, it waits for nothing. Tells whether there was anything.
 */
export type DeliverDriven = (world: World, workspaceId: string, waiting?: Waiting) => Promise<boolean>;

const KEEP_EVERY_MS = 5_000;
const MOST_PAUSE_MS = 20;

type Means = { lanes: Lanes; pending: Carrier['pending']; takeUp: TakeUp; patience: Patience };

/** What delivers for test clocks in one process, through its lanes. */
export function driven({ lanes, pending, takeUp, patience }: Means): DeliverDriven {
  const isInHand = (id: string) => lanes.held(id) > 0 || pending(id) > 0;

  return async (world, workspaceId, waiting) => {
    let found = await findDriven(world, workspaceId);
    if (found.length === 0) return false;
    const watch = waiting && watchOf(world, waiting, { lanes, patience, isInHand });
    for (;;) {
      await takeUp(world, found);
      if (!waiting || !watch) return true;
      const awaited = found.filter(({ id }) => (waiting.spent.get(id) ?? 0) < patience.slowMs);
      if (awaited.length === 0 || !(await watch(awaited))) return true;
      found = await findDriven(world, workspaceId);
      if (found.length === 0) return true;
    }
  };
}

type Eyes = Pick<Means, 'lanes' | 'patience'> & { isInHand(id: string): boolean };

/** Waits until there is something to look at anew; false when there is no use in waiting. */
function watchOf(
  { clock }: World,
  { spent, signal, keep }: Waiting,
  { lanes, patience, isInHand }: Eyes,
): (awaited: readonly Driven[]) => Promise<boolean> {
  let kept = clock.monotonic();
  /** Since when others have had in hand what there is to do at an endpoint. */
  const elsewhere = new Map<string, number>();
  const ageOf = ({ id, has_leased: isElsewhere }: Driven, now: number, done: Set<string>): number => {
    if (isInHand(id)) {
      elsewhere.delete(id);
      done.add(id);
      return lanes.oldest(id);
    }
    // What was in hand here a moment ago has been answered: nobody waits for it while others are waited for.
    if (done.has(id) || !isElsewhere) return 0;
    if (!elsewhere.has(id)) elsewhere.set(id, now);
    return now - elsewhere.get(id)!;
  };
  return async (awaited) => {
    let before = clock.monotonic();
    const done = new Set(awaited.flatMap(({ id }) => (isInHand(id) ? id : [])));
    for (let pause = awaited.some(({ id }) => isInHand(id)) ? 1 : MOST_PAUSE_MS; ; pause = Math.min(2 * pause, MOST_PAUSE_MS)) {
      await sleep(clock, pause, signal);
      const now = clock.monotonic();
      if (signal.aborted) return false;
      if (now - kept > KEEP_EVERY_MS) {
        if (!(await keep())) return false;
        kept = now;
      }
      for (const one of awaited) {
        const age = ageOf(one, now, done);
        const price = age > patience.quickMs ? 1 : age > 0 ? patience.slowMs / patience.mostMs : 0;
        if (price > 0) spent.set(one.id, (spent.get(one.id) ?? 0) + price * (now - before));
      }
      before = now;
      const left = awaited.filter(({ id }) => (spent.get(id) ?? 0) < patience.slowMs);
      if (left.every(({ id }) => !isInHand(id))) return left.length > 0;
    }
  };
}
