// How healthy an inbox is, from what went wrong with it in the last seven days. Pure. docs/health.md explains the formula.
import type { Row } from './store.ts';

export const WINDOW_MS = 7 * 24 * 3_600_000;
/** An inbox that was found unhealthy rests at least so long. */
export const REST_MS = 24 * 3_600_000;
/** With fewer sends nothing is said. */
const LEAST_SENDS = 20;

export type Troubles = { hard_bounces: number; complaints: number; failures: number; auth_errors: number };
export type Tier = Row['health_tier'];

/** 100 is best. Null below 20 sends in the window: one bad mail of five says little. */
export function scoreOf(sends: number, { hard_bounces, complaints, failures, auth_errors }: Troubles): number | null {
  // What was refused before it left took no unit of a day.
  const count = Math.max(sends, hard_bounces + failures);
  if (count < LEAST_SENDS) return null;
  const lost = (1000 * hard_bounces) / Math.max(count, 50) + (10_000 * complaints) / Math.max(count, 200) + (200 * failures) / count;
  return Math.round(Math.min(100, Math.max(0, 100 - lost - Math.min(30, 5 * auth_errors))));
}

export const tierOf = (score: number | null): Tier => (score === null || score >= 80 ? 'good' : score >= 50 ? 'degraded' : 'paused');

type Before = Pick<Row, 'status' | 'status_reason' | 'health_tier' | 'rests_until'>;
type After = Before & Pick<Row, 'health_score'>;

/** What a score means for an inbox: below 50 it rests; after its rest, and with a better score or none, it is active again. */
export function healthAfter(before: Before, score: number | null, now: Date): After {
  const tier = tierOf(score);
  const after = { ...before, health_score: score, health_tier: tier };
  if (tier === 'paused' && (before.status === 'active' || before.status === 'over_quota_today')) {
    const status_reason = `It rests: its health score is ${score}.`;
    return { ...after, status: 'unhealthy', status_reason, rests_until: new Date(now.getTime() + REST_MS) };
  }
  if (before.status !== 'unhealthy') return { ...after, rests_until: null };
  const isOver = tier !== 'paused' && (before.rests_until === null || before.rests_until <= now);
  return isOver ? { ...after, status: 'active', status_reason: null, rests_until: null } : after;
}
