// The two halves of the service, wired: the API over HTTP, and the worker with its loops.
import { join } from 'node:path';
import { sql } from 'kysely';
import { campaignsLoop } from '#engine/campaigns/index.ts';
import { housekeepingLoop } from '#engine/housekeeping/index.ts';
import { inboundLoop } from '#engine/inbound/index.ts';
import { run } from '#engine/loop.ts';
import { reconcilerLoop, sendingLoop } from '#engine/sending/index.ts';
import { authenticate } from '#resources/api-keys/index.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { createApp } from '#web/app.ts';
import type { World } from '#world/ctx.ts';
import { mayBeAlive, ownProcessId } from './process-id.ts';

export type Role = 'api' | 'worker' | 'all';
export type Half = { stop(): Promise<void> };

const BEAT_MS = 2_000;
/** Heartbeats older than this are no sign of life. */
const ALIVE_MS = 15_000;

/** Serve the API. Answers its address; `stop` lets the calls under way finish. */
export async function startApi(world: World, { expectWorker }: { expectWorker: boolean }): Promise<Half & { url: string }> {
  const app = createApp(world, allRoutes, { authenticate, ready: () => readiness(world, expectWorker) });
  const url = await app.listen({ port: world.config.PORT, host: world.config.HOST });
  return { url, stop: () => app.close() };
}

async function readiness(world: World, expectWorker: boolean): Promise<{ ok: boolean; database: boolean; worker: boolean }> {
  try {
    const since = new Date(world.clock.wall().getTime() - ALIVE_MS);
    const beats = await world.db.selectFrom('heartbeats').select('process_id').where('role', '=', 'worker').where('beat_at', '>', since).execute();
    return { ok: beats.length > 0 || !expectWorker, database: true, worker: beats.length > 0 };
  } catch (error) {
    world.log.warn({ err: (error as Error).message }, 'not ready: the database does not answer');
    return { ok: false, database: false, worker: false };
  }
}

/** Run the loops. `stop` takes up nothing new, finishes what is in hand and gives the leases back. */
export async function startWorker(world: World): Promise<Half> {
  const processId = ownProcessId();
  const journalFolder = join(world.config.DATA_DIR, 'journal');
  const ending = new AbortController();
  const sending = await sendingLoop(world, { processId, journalFolder });
  const loops = [
    sending,
    reconcilerLoop(world, { processId, journalFolder, isAlive: mayBeAlive }),
    campaignsLoop(world),
    inboundLoop(world, { processId }),
    housekeepingLoop(world),
    { name: 'heartbeat', idleMs: BEAT_MS, step: () => beat(world, processId) },
  ];
  const ended = run(world, loops, ending.signal);
  return {
    stop: async () => {
      ending.abort();
      await ended;
      await world.db.deleteFrom('heartbeats').where('process_id', '=', processId).execute();
    },
  };
}

async function beat(world: World, processId: string): Promise<boolean> {
  const beatAt = world.clock.wall();
  await world.db.insertInto('heartbeats').values({ process_id: processId, role: 'worker', beat_at: beatAt })
    .onConflict((key) => key.column('process_id').doUpdateSet({ beat_at: beatAt })).execute(); // prettier-ignore
  await world.db
    .deleteFrom('heartbeats')
    .where('beat_at', '<', sql<Date>`${beatAt}::timestamptz - interval '1 day'`)
    .execute();
  return false;
}
