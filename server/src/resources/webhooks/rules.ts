import { drawFor } from '#platform/random.ts';
import type { Mode } from '#world/ctx.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long after each failure the next attempt is made: seven attempts in all. */
const RETRY_AFTER_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR, 24 * HOUR];
const JITTER = 0.1;

const HOPELESS_AFTER_MS = 7 * DAY;
const HOPELESS_ATTEMPTS = 7;

/** How long both secrets sign after a rotation. */
export const SECRET_OVERLAP_MS = DAY;
/** How long the events of an endpoint that is not verified yet wait for it. */
const HELD_MS = DAY;
/** How long the log of deliveries is kept. */
export const LOG_KEPT_MS = 30 * DAY;

/**
 * When a delivery is tried again that has now failed `failures` times; null after the last time. In live mode up to a tenth later than the
 * timetable says, by a draw that belongs to the event and the endpoint, so that what failed together does not come back together; in test mode
 * to the millisecond, so that the same calls give the same history.
 */
export function retryAt(now: Date, failures: number, of: { webhook_id: string; event_id: string; mode: Mode }): Date | null {
  const wait = RETRY_AFTER_MS[failures - 1];
  if (wait === undefined) return null;
  const late = of.mode === 'test' ? 0 : JITTER * drawFor('webhook retry', of.webhook_id, of.event_id, failures);
  return new Date(now.getTime() + wait * (1 + late));
}

/** Whether an endpoint has failed at everything for so long that it is disabled. */
export function isHopeless({ failing_since: since, consecutive_failures: attempts }: Health, now: Date): boolean {
  return since !== null && now.getTime() - since.getTime() >= HOPELESS_AFTER_MS && attempts >= HOPELESS_ATTEMPTS;
}

export type Health = { failing_since: Date | null; consecutive_failures: number; last_success_at: Date | null; last_failure_at: Date | null };

/** The health of an endpoint after one more attempt. */
export function healthAfter(health: Health, succeeded: boolean, now: Date): Health {
  if (succeeded) return { ...health, failing_since: null, consecutive_failures: 0, last_success_at: now };
  return { ...health, failing_since: health.failing_since ?? now, consecutive_failures: health.consecutive_failures + 1, last_failure_at: now };
}

/** Whether what happened while the endpoint waited for its verification is delivered after it. */
export const isStillHeld = (urlSetAt: Date, now: Date): boolean => now.getTime() - urlSetAt.getTime() <= HELD_MS;

/** Whether a status is a success. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;
