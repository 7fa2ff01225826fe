import { type Clock, systemClock } from '#platform/clock.ts';

/** Waits shorter than this are those of loops for each other; longer ones are deadlines, which stay those of the machine. */
const DEADLINE_MS = 1_000;
const NAP_MS = 2;

export type SimClock = Clock & { moveTo(at: number): void };

/** A calendar that stands still until it is moved, for schedules, leases and deadlines that are compared alike. */
export function simClock(): SimClock {
  const machine = systemClock();
  let at = 0;
  // Goes on when a seed's calendar begins anew.
  let lived = 0;
  const now = () => new Date(at);
  return {
    now,
    wall: now,
    monotonic: () => lived,
    after: (ms, run) => machine.after(ms < DEADLINE_MS ? Math.min(ms, NAP_MS) : ms, run),
    moveTo(next) {
      lived += Math.abs(next - at);
      at = next;
    },
  };
}
