// The loop of the pool: plans days, sends what is due, looks at what came. Each inbox goes its own way, so that a slow one delays only itself.
import { sleep } from '#platform/clock.ts';
import { isConnectionLost } from '#store/db.ts';
import { forgetOld } from '#resources/warmup/index.ts';
import type { World } from '#world/ctx.ts';
import { type CrashHook, noCrash } from '../crash.ts';
import type { Loop } from '../loop.ts';
import { giveBack, leaseForWarmup } from './claim.ts';
import { sweep } from './finish.ts';
import { planDue } from './plan-day.ts';
import { sendNext } from './send.ts';
import { claimToTend, tendMailbox } from './tend.ts';

export type WarmupOptions = { processId: string; maxInboxes?: number; crash?: CrashHook };
export type Warmup = Loop & { /** Every inbox under way has come to its end. */ idle(): Promise<void>; close(): Promise<void> };

/** The loop of one process. `close` ends what is in hand. */
export function warmupLoop(world: World, { processId, maxInboxes = 10, crash = noCrash }: WarmupOptions): Warmup {
  const sending = new Map<string, Promise<void>>();
  const tending = new Map<string, Promise<void>>();
  const begin = (at: Map<string, Promise<void>>, inboxId: string, work: Promise<unknown>) => {
    const ended = work
      .then(() => undefined)
      .catch((error: unknown) => {
        if (isConnectionLost(error)) world.log.warn({ inbox: inboxId, err: (error as Error).message }, 'the warm-up of an inbox lost the database');
        else world.log.error({ inbox: inboxId, err: error }, 'the warm-up of an inbox stumbled');
      })
      .finally(() => at.delete(inboxId));
    at.set(inboxId, ended);
  };
  const idle = async () => {
    while (sending.size + tending.size > 0) await sleep(world.clock, 1);
  };
  return {
    name: 'warm-up',
    idleMs: 5_000,
    async step() {
      await sweep(world);
      await forgetOld(world);
      const planned = await planDue(world);
      const places = maxInboxes - sending.size;
      const inboxes = places > 0 ? await leaseForWarmup(world, processId, places, [...sending.keys()]) : [];
      for (const inbox of inboxes)
        begin(
          sending,
          inbox.id,
          sendNext(world, inbox, crash).finally(() => giveBack(world, inbox)),
        );
      const toTend = tending.size < maxInboxes ? await claimToTend(world, processId, [...tending.keys()]) : [];
      for (const [inboxId, mails] of toTend) begin(tending, inboxId, tendMailbox(world, mails, crash));
      return planned;
    },
    idle,
    close: idle,
  };
}
