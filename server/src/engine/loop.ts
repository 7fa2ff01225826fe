import { sleep } from '#platform/clock.ts';
import { isConnectionLost } from '#store/db.ts';
import type { World } from '#world/ctx.ts';

/** Work that recurs: `step` does what is due now and tells whether it found any. `close` ends what a step may have left running. */
export type Loop = { name: string; idleMs: number; step(): Promise<boolean>; close?(): Promise<void> };

const AFTER_FAULT_MS = 1_000;

/**
 * Repeat the loops side by side until `signal` is aborted, then close them. A step that throws is logged and tried again: what it held is
 * protected by leases, so nothing else depends on this process.
 */
export async function run(world: World, loops: readonly Loop[], signal: AbortSignal): Promise<void> {
  await Promise.all(loops.map((loop) => repeat(world, loop, signal)));
  for (const loop of loops) await loop.close?.();
}

async function repeat(world: World, loop: Loop, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await loop.step()) await sleep(world.clock, 0);
      else await sleep(world.clock, loop.idleMs, signal);
    } catch (error) {
      if (isConnectionLost(error)) world.log.warn({ loop: loop.name, err: (error as Error).message }, 'the database is out of reach');
      else world.log.error({ loop: loop.name, err: error }, 'a loop stumbled');
      await sleep(world.clock, AFTER_FAULT_MS, signal);
    }
  }
}
