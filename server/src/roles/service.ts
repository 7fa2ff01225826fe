// The two halves of the service, wired: the API over HTTP, and the worker with its loops.
import { join } from 'node:path';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { campaignsLoop, planDue } from '#engine/campaigns/index.ts';
import { housekeepingLoop, passTime } from '#engine/housekeeping/index.ts';
import { importsLoop } from '#engine/imports/index.ts';
import { inboundLoop, reactDue, sandboxLoop } from '#engine/inbound/index.ts';
import { run } from '#engine/loop.ts';
import { reconcilerLoop, sendDueOfSandbox, sendingLoop } from '#engine/sending/index.ts';
import { testClockLoop } from '#engine/test-clock/index.ts';
import { warmupLoop } from '#engine/warmup/index.ts';
import { type Webhooks, webhooksLoop } from '#engine/webhooks/index.ts';
import { authenticate } from '#resources/api-keys/index.ts';
import { allLinks, allPages, allRoutes } from '#resources/all-routes.ts';
import { about } from '#resources/about.ts';
import { createApp } from '#web/app.ts';
import type { World } from '#world/ctx.ts';
import { addGauges } from './gauges.ts';
import { mayBeAlive, ownProcessId } from './process-id.ts';
import { readiness } from './readiness.ts';

export type Role = 'api' | 'worker' | 'all';
export type Half = { stop(): Promise<void> };

const BEAT_MS = 2_000;

/** Serve the API. Answers its address; `stop` lets the calls under way finish. */
export async function startApi(world: World, { expectWorker }: { expectWorker: boolean }): Promise<Half & { url: string }> {
  const register = new Registry();
  addGauges(register, world);
  const app = createApp(world, allRoutes, {
    authenticate,
    about,
    pages: allPages,
    publicRoutes: allLinks,
    ready: () => readiness(world, expectWorker),
    register,
  });
  const url = await app.listen({ port: world.config.PORT, host: world.config.HOST });
  return { url, stop: () => app.close() };
}

/** Run the loops. `stop` takes up nothing new, finishes what is in hand and gives the leases back. */
export async function startWorker(world: World): Promise<Half> {
  const processId = ownProcessId();
  const { BASE_URL: base, TRACKING_URL: tracking } = world.config;
  if (base === undefined && tracking === undefined)
    world.log.info('neither BASE_URL nor TRACKING_URL is set: links in mails lead to this machine alone');
  const journalFolder = join(world.config.DATA_DIR, 'journal');
  const ending = new AbortController();
  const sending = await sendingLoop(world, { processId, journalFolder });
  const webhooks = webhooksLoop(world, { processId, isAlive: mayBeAlive });
  const loops = [
    sending,
    reconcilerLoop(world, { processId, journalFolder, isAlive: mayBeAlive }),
    campaignsLoop(world),
    inboundLoop(world, { processId }),
    sandboxLoop(world),
    testClockLoop(world, { processId, passes: passesOf(processId, webhooks) }),
    importsLoop(world, { processId, isAlive: mayBeAlive }),
    warmupLoop(world, { processId }),
    webhooks,
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

/** What the loops do for test mode of one workspace under its test clock. */
export const passesOf = (processId: string, webhooks: Webhooks) => ({
  passTime,
  react: reactDue,
  plan: planDue,
  send: (world: World, workspaceId: string) => sendDueOfSandbox(world, workspaceId, processId),
  deliver: webhooks.deliverDriven,
  forget: webhooks.sweepDriven,
});

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
