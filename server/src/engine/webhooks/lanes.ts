// A lane for each endpoint that has something in hand: what it may have in flight, what waits behind it, and how it has answered of late. A
// receiver that hangs, drips or lies holds the places of its own lane and no other.
import type { Outcome, Webhook } from '#resources/webhooks/index.ts';
import { FAILING_FROM, STOCK, placesOf } from './rules.ts';
import type { Taken } from './take.ts';

/** `now` is the clock of whoever took it up: the workspace's time. */
type Task = { endpoint: Webhook; task: Taken; now: () => Date };
/** In flight, by when they were begun: the oldest first. */
type Lane = { waiting: Task[]; inFlight: Set<{ began: number }>; failures: number; wantsMore: boolean };

export type Lanes = {
  /** Take work in hand. `filled` are the endpoints that got all that they had room for: they are likely to have more. */
  add(tasks: readonly Task[], filled: ReadonlySet<string>): void;
  held(webhookId: string): number;
  /** For how long the oldest exchange of an endpoint has been under way, in milliseconds. */
  oldest(webhookId: string): number;
  isFailing(webhookId: string, consecutiveFailures: number): boolean;
  /** What is held in all, and by lanes that fail. */
  count(): { all: number; failing: number };
  /** Settles when a lane that has more to do has room for it. */
  roomy(): Promise<void>;
  /** Give up what has not been begun. */
  empty(): void;
};

type Means = {
  /** Carry one out; settles when its outcome is known, undefined when it was too late to begin. */
  carry(task: Taken, endpoint: Webhook, now: Date): Promise<Outcome | undefined>;
  monotonic(): number;
  giveBack(tasks: readonly Taken[]): void;
};

const failing = (lane: Lane) => lane.failures >= FAILING_FROM;
const sizeOf = (lane: Lane) => lane.waiting.length + lane.inFlight.size;
const newLane = (failures: number): Lane => ({ waiting: [], inFlight: new Set(), failures, wantsMore: false });

/** The lanes of one process. */
export function lanesOf({ carry, giveBack, monotonic }: Means): Lanes {
  const lanes = new Map<string, Lane>();
  let noticed = Promise.withResolvers<void>();

  const notice = (lane: Lane) => {
    const most = failing(lane) ? placesOf(true) : STOCK;
    if (!lane.wantsMore || sizeOf(lane) > most / 2) return;
    lane.wantsMore = false;
    noticed.resolve();
    noticed = Promise.withResolvers();
  };

  const pump = (webhookId: string, lane: Lane) => {
    while (lane.inFlight.size < placesOf(failing(lane)) && lane.waiting.length > 0) {
      const { task, endpoint, now } = lane.waiting.shift()!;
      const flight = { began: monotonic() };
      lane.inFlight.add(flight);
      void carry(task, endpoint, now()).then((outcome) => {
        lane.inFlight.delete(flight);
        if (outcome) lane.failures = failuresAfter(lane.failures, outcome);
        // Others may have use for the places, and the leases would run out before it is their turn.
        if (failing(lane) && lane.waiting.length > 0) giveBack(lane.waiting.splice(0).map((one) => one.task));
        pump(webhookId, lane);
        notice(lane);
        if (sizeOf(lane) === 0) lanes.delete(webhookId);
      });
    }
  };

  const add: Lanes['add'] = (tasks, filled) => {
    for (const [webhookId, its] of Map.groupBy(tasks, ({ task }) => task.webhook_id)) {
      const lane = lanes.get(webhookId) ?? newLane(its[0]!.endpoint.consecutive_failures);
      lanes.set(webhookId, lane);
      lane.waiting.push(...its);
      lane.wantsMore = filled.has(webhookId);
      pump(webhookId, lane);
    }
  };
  const empty = () => {
    for (const lane of lanes.values()) giveBack(lane.waiting.splice(0).map((one) => one.task));
  };
  return { ...looksAt(lanes, monotonic), add, empty, roomy: () => noticed.promise };
}

/** Failures in a row after one more outcome. */
function failuresAfter(failures: number, { status, error }: Outcome): number {
  if (status === 'succeeded') return 0;
  return error === 'timeout' ? Math.max(FAILING_FROM, failures + 1) : failures + 1;
}

/** What there is to know of the lanes. */
function looksAt(lanes: ReadonlyMap<string, Lane>, monotonic: () => number): Pick<Lanes, 'held' | 'oldest' | 'isFailing' | 'count'> {
  const sum = (those: readonly Lane[]) => those.reduce((total, lane) => total + sizeOf(lane), 0);
  return {
    held: (webhookId) => sum([lanes.get(webhookId) ?? newLane(0)]),
    oldest(webhookId) {
      const [first] = lanes.get(webhookId)?.inFlight ?? [];
      return first ? monotonic() - first.began : 0;
    },
    isFailing(webhookId, consecutiveFailures) {
      const lane = lanes.get(webhookId);
      return lane ? failing(lane) : consecutiveFailures >= FAILING_FROM;
    },
    count() {
      const all = [...lanes.values()];
      return { all: sum(all), failing: sum(all.filter(failing)) };
    },
  };
}
