// One walk: from due instant to due instant, each with its own time, until the target.
import { MAX_LATENESS_MS, TAKE_BACK_AFTER_MS } from '#resources/sends/index.ts';
import { type Next, type Walk, endAdvance, giveBackClock, hasLanes, keepClock, leaseClock, nextDue, reach } from '#resources/test-clock/index.ts';
import type { World } from '#world/ctx.ts';
import { atTime } from '#world/workspace-time.ts';

/** What the other loops do, for test mode of one workspace at the world's time. Those that count tell how much they did. */
export type Passes = {
  /** What time alone brings about, of these kinds. */
  passTime(world: World, workspaceId: string, kinds: Next['kinds']): Promise<void>;
  react(world: World, workspaceId: string): Promise<number>;
  plan(world: World, workspaceId: string): Promise<number>;
  send(world: World, workspaceId: string): Promise<number>;
  /** Deliver webhooks; with `waiting` their outcomes are waited for, within bounds. Tells whether there was anything. */
  deliver(world: World, workspaceId: string, waiting?: Waiting): Promise<boolean>;
  /** Remove what is too old by now. */
  forget(world: World, workspaceId: string): Promise<void>;
};
/** What it knows of slow receivers, the end of the process, and how it keeps its lease while it stands. */
export type Waiting = { spent: Map<string, number>; signal: AbortSignal; keep(): Promise<boolean> };

/** `rest` carries out what waits for others more than it works. */
type Done = { processed: number; next: Next | null | undefined };
type Means = { processId: string; passes: Passes; signal: AbortSignal; rest<T>(work: () => Promise<T>): Promise<T> };

/** Renewed at each instant. */
const LEASE_MS = 20_000;
const LONG_AGO = new Date(0);
const OF_TIME = ['new_day', 'health', 'recall', 'expire'] as const;
const ALL: Next['kinds'] = new Set(['plan', 'react', 'send', 'deliver', ...OF_TIME]);
/** What waits in vain has expired when it is later than this, not when it is this late. */
const IN_VAIN = { expireMs: MAX_LATENESS_MS + 1, takeBackMs: TAKE_BACK_AFTER_MS + 1 };

/**
 * Walk a clock to its target, or where nobody moves it let happen what has become due by now. State tells how far it has come, so that whoever
 * takes it up after a crash goes on from there, and what happens then happens at the same times.
 */
export async function walk(world: World, seen: Walk, means: Means): Promise<void> {
  const { workspace_id: workspaceId } = seen;
  if (seen.advance_id === null && !(await isDue(world, seen))) return await flow(world, seen, means);
  const mine = await leaseClock(world, workspaceId, { holder: means.processId, until: leaseEnd(world) });
  if (!mine) return;
  try {
    if (await hasLanes(world, workspaceId)) return;
    if (mine.advance_id === null) {
      await instant(world, mine, { at: nowIn(world, mine), kinds: ALL }, means.passes);
      await flow(world, mine, means);
    } else await advance(world, mine, means);
  } finally {
    await giveBackClock(world, mine);
  }
}

const leaseEnd = (world: World) => new Date(world.clock.wall().getTime() + LEASE_MS);
const nowIn = (world: World, { offset_ms: offset }: Walk) => new Date(world.clock.now().getTime() + offset);

/** Where nobody moves the clock receivers are waited for by nobody: deliveries have leases of their own, and a walk can be begun beside them. */
async function flow(world: World, clock: Walk, { passes }: Means): Promise<void> {
  await passes.deliver(
    atTime(world, () => nowIn(world, clock)),
    clock.workspace_id,
  );
}

async function isDue(world: World, clock: Walk): Promise<boolean> {
  const next = await nextDue(world, clock.workspace_id, LONG_AGO, IN_VAIN);
  return next !== null && next.at <= nowIn(world, clock);
}

async function advance(world: World, mine: Walk, { passes, signal, rest }: Means): Promise<void> {
  const target = mine.target_at!;
  const waiting: Waiting = { spent: new Map(), signal, keep: () => keepClock(world, mine, leaseEnd(world)) };
  // Where the walk was begun, or left off, there may be anything.
  let next: Next | null = { at: mine.reached_at!, kinds: ALL, hasEndpoints: true };
  let processed = 0;
  while (next !== null && next.at <= target) {
    if (signal.aborted || !(await reach(world, mine, { at: next.at, processed, until: leaseEnd(world) }))) return;
    const at: Date = next.at;
    const done = await instant(world, mine, next, passes);
    processed = done.processed;
    const deliver = () =>
      passes.deliver(
        atTime(world, () => at),
        mine.workspace_id,
        waiting,
      );
    const told: boolean = next.hasEndpoints && (await rest(deliver));
    next = told || done.next === undefined ? await nextDue(world, mine.workspace_id, at, IN_VAIN) : done.next;
  }
  if (signal.aborted || !(await reach(world, mine, { at: target, processed, until: leaseEnd(world) }))) return;
  await passes.forget(world, mine.workspace_id);
  await endAdvance(world, mine);
}

/**
 * Everything that is due at one instant, and what that makes due at once: first what recipients do, since an answer stops a mail, then the planner,
 * then the mails. Answers how many sends and reactions there were, and what is due next where it has asked for that. What is due and cannot be
 * carried out is left behind.
 */
async function instant(world: World, { workspace_id: workspaceId }: Walk, { at, kinds }: Omit<Next, 'hasEndpoints'>, passes: Passes): Promise<Done> {
  const then = atTime(world, () => at);
  let due = kinds;
  for (let processed = 0; ;) {
    const isTime = OF_TIME.some((kind) => due.has(kind));
    if (isTime) await passes.passTime(then, workspaceId, due);
    const reactions = due.has('react') ? await passes.react(then, workspaceId) : 0;
    // Time lets inboxes go on and takes sends back: there may be something to plan and to send that was not due before.
    const looks = due.has('plan') || isTime || reactions > 0 ? await passes.plan(then, workspaceId) : 0;
    const sends = due.has('send') || isTime || looks > 0 ? await passes.send(then, workspaceId) : 0;
    processed += reactions + sends;
    if (reactions + looks + sends === 0) return { processed, next: undefined };
    const more = await nextDue(world, workspaceId, new Date(at.getTime() - 1), IN_VAIN);
    if (more === null || more.at > at) return { processed, next: more };
    due = more.kinds;
  }
}
