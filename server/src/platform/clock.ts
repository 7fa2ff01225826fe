// Time enters the service here and nowhere else.
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';

export type Clock = {
  /** The time of the workspaces: what schedules, delays and caps are about. */
  now(): Date;
  /** The time of the machines: leases and heartbeats. A demonstration that runs its calendar faster does not shorten a lease. */
  wall(): Date;
  /** Milliseconds that never jump, for deadlines. */
  monotonic(): number;
  /** Call `run` once after `ms` of machine time; the answer takes it back. */
  after(ms: number, run: () => void): () => void;
};

/** The machine's clock. With `speed` above 1 the calendar runs faster from `since` on; leases and deadlines do not. */
export function systemClock({ speed = 1, since = 0 }: { speed?: number; since?: number } = {}): Clock {
  const wall = () => new Date();
  return {
    now: speed === 1 ? wall : () => new Date(Math.round(since + (wall().getTime() - since) * speed)),
    wall,
    monotonic: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}

/** Wait `ms` of machine time, or less when `signal` is aborted. Never throws. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done);
  });
}
