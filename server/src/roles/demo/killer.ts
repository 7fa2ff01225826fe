import { type Clock, sleep } from '#platform/clock.ts';
import { wholeDrawFor } from '#platform/random.ts';

export type Killer = {
  /** Told of each accepted message, by its number. */
  onDelivery(count: number): void;
  /** How many were killed. */
  kills(): number;
  /** Whether none is being killed or brought back. */
  isIdle(): boolean;
};

export type KillerOptions = { kills: number; expected: number; seed: number; clock: Clock; replace(): Promise<void> };

/** The share of the job within which all kills fall; what lies behind it is too thin to count on. */
const WITHIN = 0.92;
const LONGEST_WAIT_MS = 400;

/** Kill after how many messages: one moment in each of `kills` equal parts of the job. */
export const momentsOf = (kills: number, expected: number, seed: number): number[] =>
  Array.from({ length: kills }, (_, index) => {
    const part = (expected * WITHIN) / kills;
    return Math.max(1, Math.floor(part * index) + wholeDrawFor(0, Math.max(0, Math.floor(part) - 1), seed, 'kill', index));
  });

/** Kills the worker at the drawn moments, each with a drawn wait on top, so that it is not always caught right behind an acceptance. */
export function killer({ kills, expected, seed, clock, replace }: KillerOptions): Killer {
  const moments = momentsOf(kills, expected, seed);
  let next = 0;
  let done = 0;
  let busy = 0;
  let turn = Promise.resolve();
  const strike = async (index: number) => {
    await sleep(clock, wholeDrawFor(0, LONGEST_WAIT_MS, seed, 'kill wait', index));
    done++;
    await replace();
  };
  return {
    onDelivery(count) {
      while (next < moments.length && count >= moments[next]!) {
        const index = next++;
        busy++;
        turn = turn.then(() => strike(index)).finally(() => busy--);
        // A worker that does not come back is told by the stage.
        turn.catch(() => undefined);
      }
    },
    kills: () => done,
    isIdle: () => busy === 0,
  };
}
