// The loop of the test clocks: each that was ever moved is walked by itself, up to where somebody waits for it, or else up to now.
import { sleep } from '#platform/clock.ts';
import { isConnectionLost } from '#store/db.ts';
import { type Walk, clocksToWalk } from '#resources/test-clock/index.ts';
import type { World } from '#world/ctx.ts';
import type { Loop } from '../loop.ts';
import { type Passes, walk } from './walk.ts';

export type { Passes } from './walk.ts';
export type TestClockOptions = { processId: string; passes: Passes; maxWalks?: number };
export type TestClockLoop = Loop & { /** Every walk under way has come to its end. */ idle(): Promise<void>; close(): Promise<void> };

const CLOCKS_A_STEP = 100;

/** The loop of one process. `close` lets the walks under way stop after the instant in hand; another worker goes on from there. */
export function testClockLoop(world: World, { processId, passes, maxWalks = 4 }: TestClockOptions): TestClockLoop {
  const underWay = new Map<string, Promise<void>>();
  const ending = new AbortController();
  const places = placesOf(maxWalks);
  const begin = (clock: Walk) => {
    places.take();
    const work = walk(world, clock, { processId, passes, signal: ending.signal, rest: places.leave })
      .catch((error: unknown) => {
        const about = { workspace: clock.workspace_id };
        if (isConnectionLost(error)) world.log.warn({ ...about, err: (error as Error).message }, 'a test clock was left to its lease');
        else world.log.error({ ...about, err: error }, 'a test clock stumbled');
      })
      .finally(() => {
        places.give();
        underWay.delete(clock.workspace_id);
      });
    underWay.set(clock.workspace_id, work);
  };
  const idle = async () => {
    while (underWay.size > 0) await sleep(world.clock, 1);
  };
  return {
    name: 'test clock',
    idleMs: 100,
    async step() {
      if (places.free() === 0) return false;
      const clocks = (await clocksToWalk(world, CLOCKS_A_STEP)).filter((one) => !underWay.has(one.workspace_id));
      for (const clock of clocks.slice(0, places.free())) begin(clock);
      return false;
    },
    idle,
    async close() {
      ending.abort();
      await idle();
    },
  };
}

/** The places of walks that work. One that waits for receivers leaves its place to others, and queues for one when it goes on. */
function placesOf(most: number) {
  let taken = 0;
  const queue: (() => void)[] = [];
  const take = () => void taken++;
  const give = () => {
    const next = queue.shift();
    if (next) next();
    else taken--;
  };
  return {
    free: () => Math.max(0, most - taken),
    take,
    give,
    async leave<T>(work: () => Promise<T>): Promise<T> {
      give();
      try {
        return await work();
      } finally {
        if (taken < most) take();
        else await new Promise<void>((go) => queue.push(go));
      }
    },
  };
}
