// The whole service on a database of its own, with a calendar that you move and a seed that you choose. Tests talk to it through the SDK.
import { join } from 'node:path';
import { campaignsLoop } from '#engine/campaigns/index.ts';
import type { CrashHook } from '#engine/crash.ts';
import { housekeepingLoop } from '#engine/housekeeping/index.ts';
import { inboundLoop } from '#engine/inbound/index.ts';
import { reconcilerLoop, sendingLoop } from '#engine/sending/index.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { authenticate } from '#resources/api-keys/index.ts';
import { createApp } from '#web/app.ts';
import type { World } from '#world/ctx.ts';
import { callersOf } from './house/callers.ts';
import { type WorldOptions, testWorld } from './house/world.ts';

export type HouseOptions = Partial<WorldOptions> & { crash?: CrashHook };
export type House = Awaited<ReturnType<typeof house>>;

const PROCESS_ID = 'house.1.1';

/** Build one; its calendar starts on a Monday morning. `await using` takes it down. */
export async function house({ seed = 1, start = '2030-01-07T09:00:00Z', env = {}, crash, deadlines }: HouseOptions = {}) {
  const { world, folder, lines, databaseUrl, move, close: closeWorld } = await testWorld({ seed, start, env, ...(deadlines && { deadlines }) });
  const app = createApp(world, allRoutes, { authenticate });
  const journalFolder = join(folder, 'journal');
  const loops = await loopsOf(world, journalFolder, crash);
  const close = async () => {
    await app.close();
    await loops.sending.close?.();
    await loops.inbound.close?.();
    await closeWorld();
  };
  return {
    world,
    db: world.db,
    app,
    lines,
    databaseUrl,
    journalFolder,
    ...callersOf(world, app, seed),
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

async function loopsOf(world: World, journalFolder: string, crash: CrashHook | undefined) {
  const hook = crash && { crash };
  const sending = await sendingLoop(world, { processId: PROCESS_ID, journalFolder, ...hook });
  const campaigns = campaignsLoop(world);
  const inbound = inboundLoop(world, { processId: PROCESS_ID, ...hook });
  const reconciler = reconcilerLoop(world, { processId: PROCESS_ID, journalFolder, isAlive: (id) => id === PROCESS_ID });
  const housekeeping = housekeepingLoop(world);

  /** Carry out everything that is due at this moment of the calendar. */
  const settle = async () => {
    await housekeeping.step();
    await inbound.step();
    await inbound.idle();
    while (await reconciler.step());
    for (let round = 0; round < 50; round++) {
      const planned = await campaigns.step();
      await sending.step();
      const busy = sending.lanes() > 0;
      await sending.idle();
      if (!planned && !busy) break;
    }
  };
  return { sending, campaigns, inbound, reconciler, housekeeping, settle };
}
