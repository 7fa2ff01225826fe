// A worker of the service that can die, be halted and be interrupted at its crash points.
import { campaignsLoop } from '#engine/campaigns/index.ts';
import type { CrashPoint } from '#engine/crash.ts';
import { housekeepingLoop } from '#engine/housekeeping/index.ts';
import { inboundLoop } from '#engine/inbound/index.ts';
import { reconcilerLoop, sendingLoop } from '#engine/sending/index.ts';
import { sleep } from '#platform/clock.ts';
import type { World } from '#world/ctx.ts';
import type { Grip, Office } from './peers/office.ts';

/** What happens once at a point: `die` and `halt` keep the worker there. */
export type Ambush = { point: CrashPoint; deed: 'die' | 'halt' | (() => Promise<void>) };

export type Worker = Awaited<ReturnType<typeof startWorker>>;

type Means = {
  world: World;
  office: Office;
  id: string;
  /** The first, the second … of its seed. */
  nth: number;
  journalFolder: string;
  /** Which other processes the reconciler takes for living. */
  isAlive: (id: string) => boolean;
  onReleased: (raw: Buffer) => void;
  /** Outcomes wait for the database: nobody waits for them meanwhile. */
  isAway: () => boolean;
};

/** Mailboxes are read when something has come (a server would say so), and twice a day. */
const POLL_EVERY_MS = 12 * 3_600_000;

/** The life of a worker: its crash points, and what waits for it there. */
function lifeOf(grip: Grip, onReleased: Means['onReleased']) {
  const grave = Promise.withResolvers<void>();
  let wakes = Promise.withResolvers<void>();
  let stopped = Promise.withResolvers<void>();
  let down: 'dead' | 'halted' | null = null;
  let ambush: Ambush | undefined;
  const stop = (how: 'dead' | 'halted') => {
    down = how;
    stopped.resolve();
  };
  return {
    async crash(point: CrashPoint): Promise<void> {
      if (grip.dead) return grave.promise;
      if (point === 'CP9 released' && grip.holding) onReleased(grip.holding.raw);
      if (ambush?.point !== point) return undefined;
      const { deed } = ambush;
      ambush = undefined;
      if (typeof deed === 'function') return deed();
      if (deed === 'die') grip.dead = true;
      stop(deed === 'die' ? 'dead' : 'halted');
      return deed === 'die' ? grave.promise : wakes.promise;
    },
    lieInWait: (next: Ambush | undefined) => void (ambush = next),
    down: () => down,
    /** Do something, unless the worker is stopped in the midst of it. */
    unlessStopped: (work: () => Promise<void>) => Promise.race([work(), stopped.promise]),
    wake() {
      down = null;
      wakes.resolve();
      wakes = Promise.withResolvers<void>();
      stopped = Promise.withResolvers<void>();
    },
    /** Whatever hangs at a point comes to an end, and no mail server hears of it. */
    bury() {
      grip.dead = true;
      grave.resolve();
      wakes.resolve();
    },
  };
}

/** Start one. One lane and one mailbox at a time: what it does has one order. */
export async function startWorker({ world: outer, office, id, nth, journalFolder, isAlive, onReleased, isAway }: Means) {
  const grip: Grip = { dead: false, holding: null };
  const world: World = { ...outer, mail: office.mailFor(grip) };
  const life = lifeOf(grip, onReleased);
  const { crash } = life;
  const sending = await sendingLoop(world, { processId: id, journalFolder, maxLanes: 1, crash });
  const inbound = inboundLoop(world, { processId: id, pollEveryMs: POLL_EVERY_MS, maxMailboxes: 1, crash });
  return {
    id,
    nth,
    campaigns: campaignsLoop(world),
    housekeeping: housekeepingLoop(world),
    reconciler: reconcilerLoop(world, { processId: id, journalFolder, isAlive }),
    lieInWait: life.lieInWait,
    down: life.down,
    send: () =>
      life.unlessStopped(async () => {
        await sending.step();
        while (sending.lanes() > 0) await sleep(world.clock, 1);
        if (!isAway()) await sending.idle();
      }),
    read: () =>
      life.unlessStopped(async () => {
        await inbound.step();
        await inbound.idle();
      }),
    /** Whatever waited for the database is written, unless the worker dies of it. */
    settled: () => life.unlessStopped(() => sending.idle()),
    /** A halted one goes on where it was, and to its end. */
    async wake() {
      life.wake();
      await sending.idle();
      await inbound.idle();
    },
    /** When its seed is over. */
    async close() {
      life.bury();
      await sending.close?.();
      await inbound.close?.();
    },
  };
}
