// The importing loop: leases imports that wait and carries each out on its own, so that a large one does not keep a small one waiting.
import { sleep } from '#platform/clock.ts';
import { isConnectionLost } from '#store/db.ts';
import { type ContactImportRow, ImportTakenOver, claimDue, freeLeasesOf } from '#resources/contact-imports/index.ts';
import type { World } from '#world/ctx.ts';
import type { Loop } from '../loop.ts';
import { LEASE_MS, carryOut, leaveFor } from './carry-out.ts';

export type ImportsOptions = { processId: string; isAlive(processId: string): boolean; maxImports?: number };
export type Imports = Loop & { /** Every import under way has ended or was given back. */ idle(): Promise<void>; close(): Promise<void> };

/** The importing loop of one process. `close` lets it give back what is under way after the chunk in hand. */
export function importsLoop(world: World, { processId, isAlive, maxImports = 2 }: ImportsOptions): Imports {
  const underWay = new Map<string, Promise<void>>();
  const ending = new AbortController();

  const work = async (job: ContactImportRow): Promise<void> => {
    try {
      await carryOut(world, job, ending.signal);
    } catch (error) {
      if (error instanceof ImportTakenOver) return world.log.info({ import: job.id }, 'another worker has taken over an import');
      if (isConnectionLost(error)) return world.log.warn({ import: job.id, err: (error as Error).message }, 'an import was left to its lease');
      world.log.error({ import: job.id, err: error }, 'an import stumbled');
      await leaveFor(world, job).catch((again: unknown) => world.log.warn({ import: job.id, err: (again as Error).message }, 'it keeps its lease'));
    }
  };

  const idle = async () => {
    while (underWay.size > 0) await sleep(world.clock, 1);
  };
  return {
    name: 'imports',
    idleMs: 250,
    async step() {
      await freeLeasesOf(world, (id) => id !== processId && !isAlive(id));
      const limit = maxImports - underWay.size;
      if (limit <= 0) return false;
      const leasedUntil = new Date(world.clock.wall().getTime() + LEASE_MS);
      for (const job of await claimDue(world, { holder: processId, limit, leasedUntil })) {
        underWay.set(job.id, work(job).finally(() => underWay.delete(job.id))); // prettier-ignore
      }
      return false;
    },
    idle,
    async close() {
      ending.abort();
      await idle();
    },
  };
}
