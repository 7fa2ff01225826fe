// The whole service on a database of its own, with a calendar that you move and a seed that you choose. Tests talk to it through the SDK.
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { campaignsLoop } from '#engine/campaigns/index.ts';
import type { CrashHook } from '#engine/crash.ts';
import { housekeepingLoop } from '#engine/housekeeping/index.ts';
import { importsLoop } from '#engine/imports/index.ts';
import { inboundLoop, sandboxLoop } from '#engine/inbound/index.ts';
import { reconcilerLoop, sendingLoop } from '#engine/sending/index.ts';
import { sleep, systemClock } from '#platform/clock.ts';
import { allLinks, allPages, allRoutes } from '#resources/all-routes.ts';
import { about } from '#resources/about.ts';
import { passesOf } from '#roles/service.ts';
import { type Passes, type TestClockLoop, testClockLoop } from '#engine/test-clock/index.ts';
import { warmupLoop } from '#engine/warmup/index.ts';
import { type WebhooksOptions, webhooksLoop } from '#engine/webhooks/index.ts';
import { authenticate } from '#resources/api-keys/index.ts';
import { createApp } from '#web/app.ts';
import type { World } from '#world/ctx.ts';
import { callersOf } from './house/callers.ts';
import { type WorldOptions, testWorld } from './house/world.ts';
import { watchAnswers } from './watch.ts';

export type HouseOptions = Partial<WorldOptions> & { crash?: CrashHook; madeUpEvents?: boolean; passes?: (own: Passes) => Passes } & Pick<
    WebhooksOptions,
    'patience'
  >;
export type House = Awaited<ReturnType<typeof house>>;

const PROCESS_ID = 'house.1.1';

/** Build one; its calendar starts on a Monday morning. `await using` takes it down. */
export async function house({
  seed = 1,
  start = '2030-01-07T09:00:00Z',
  env = {},
  crash,
  madeUpEvents = false,
  passes,
  patience,
  ...more
}: HouseOptions = {}) {
  const { world, folder, lines, databaseUrl, move, close: closeWorld } = await testWorld({ seed, start, env, ...more });
  const app = createApp(world, allRoutes, { authenticate, about, pages: allPages, publicRoutes: allLinks });
  const watch = watchAnswers(app, allRoutes, { madeUpEvents });
  const journalFolder = join(folder, 'journal');
  const loops = await loopsOf(world, journalFolder, { crash, passes, patience });
  const walkedHome = walkWhenAsked(app, loops.testClock);
  const close = async () => {
    await app.close();
    await walkedHome();
    await loops.sending.close?.();
    await loops.inbound.close?.();
    await loops.imports.close();
    await loops.testClock.close();
    await loops.warmup.close();
    await loops.webhooks.close?.();
    await closeWorld();
    watch.close();
  };
  return {
    world,
    db: world.db,
    app,
    lines,
    databaseUrl,
    journalFolder,
    ...callersOf(world, app, seed, watch),
    ...loops,
    now: world.clock.now,
    /** Move the calendar; nothing runs by itself. */
    tick: move,
    /** Move the calendar in steps, carrying out what falls due at each. */
    async run(ms: number, stepMs = 60_000) {
      for (const end = world.clock.now().getTime() + ms; world.clock.now().getTime() < end;) {
        move(Math.min(stepMs, end - world.clock.now().getTime()));
        await loops.settle();
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Hooks = { [K in 'crash' | 'passes' | 'patience']: HouseOptions[K] };

async function loopsOf(world: World, journalFolder: string, { crash, passes = (own) => own, patience }: Hooks) {
  const hook = crash && { crash };
  const sending = await sendingLoop(world, { processId: PROCESS_ID, journalFolder, ...hook });
  const campaigns = campaignsLoop(world);
  const inbound = inboundLoop(world, { processId: PROCESS_ID, ...hook });
  const reconciler = reconcilerLoop(world, { processId: PROCESS_ID, journalFolder, isAlive: (id) => id === PROCESS_ID });
  const housekeeping = housekeepingLoop(world);
  const imports = importsLoop(world, { processId: PROCESS_ID, isAlive: (id) => id === PROCESS_ID });
  const webhooks = webhooksLoop(world, { ...hook, ...(patience && { patience }) });
  const sandbox = sandboxLoop(world);
  const warmup = warmupLoop(world, { processId: PROCESS_ID, ...hook });
  const testClock = testClockLoop(world, { processId: PROCESS_ID, passes: passes(passesOf(PROCESS_ID, webhooks)) });

  /** What is due under test clocks, webhooks included. */
  const walk = async () => {
    for (let busy = true; busy;) {
      await testClock.step();
      await testClock.idle();
      busy = !webhooks.isIdle();
      await webhooks.idle();
    }
  };
  /** Carry out everything that is due at this moment of the calendar. */
  const settle = async () => {
    await housekeeping.step();
    await imports.step();
    await imports.idle();
    await inbound.step();
    await inbound.idle();
    while (await reconciler.step());
    while (await sandbox.step());
    await walk();
    for (let round = 0; round < 50; round++) {
      const planned = await campaigns.step();
      await sending.step();
      const busy = sending.lanes() > 0;
      await sending.idle();
      if (!planned && !busy) break;
    }
    await warmup.step();
    await warmup.idle();
    while (await webhooks.step()) await webhooks.idle();
    await walk();
  };
  return { warmup, webhooks, sandbox, testClock, sending, campaigns, inbound, imports, reconciler, housekeeping, settle };
}

/** A call that moves the test clock waits for a worker: here one works as long as there is such a call. The answer lets it go home. */
function walkWhenAsked(app: FastifyInstance, testClock: TestClockLoop): () => Promise<void> {
  const waiting = new Set<FastifyRequest>();
  let working: Promise<void> | undefined;
  const work = async () => {
    while (waiting.size > 0) {
      await testClock.step();
      // A walk that waits for a receiver keeps no other from being begun.
      await Promise.race([testClock.idle(), sleep(systemClock(), 20)]);
      await sleep(systemClock(), 1);
    }
    working = undefined;
  };
  app.addHook('preHandler', async (req) => {
    if (req.method !== 'POST' || req.routeOptions.url !== '/v1/test_clock/advance') return;
    waiting.add(req);
    working ??= work();
  });
  app.addHook('onResponse', async (req) => void waiting.delete(req));
  return async () => {
    waiting.clear();
    await working;
  };
}
