import { drawFor } from '#platform/random.ts';
import type { Ctx } from '#world/ctx.ts';
import { lastMidnight, nextMidnight } from './rules.ts';
import type { Row } from './store.ts';

/** What a fresh inbox begins with: limits, ramp from now, gaps, its first day in UTC. Test inboxes have no ramp and no gaps. */
export function freshSettings(ctx: Ctx): Omit<Row, 'workspace_id' | 'mode' | 'id' | 'provider' | 'email_address' | 'email_key' | 'display_name'> {
  const live = ctx.mode === 'live';
  return {
    status: 'active', status_reason: null,
    daily_limit: 50, ramp_enabled: live, ramp_start: 10, ramp_end: 50, ramp_days: 14, ramp_started_at: ctx.now,
    min_gap_seconds: live ? 60 : 0, max_gap_seconds: live ? 120 : 0,
    signature_html: null, signature_text: null, reply_to: null, tags: [], health_score: null, health_tier: 'good',
    rests_until: null, health_due_at: ctx.now,
    ...outOfWarmup, timezone: 'UTC',
    ...noServer,
    sandbox_config: null,
    day_started_at: lastMidnight(ctx.now, 'UTC'), day_resets_at: nextMidnight(ctx.now, 'UTC'), day_count: 0,
    next_send_at: ctx.now, planned_until: ctx.now, lease_holder: null, leased_until: null, retry_at: null, connect_failures: 0, login_refusals: 0,
    next_poll_at: null, poll_lease_holder: null, poll_leased_until: null, poll_failures: 0, imap_login_refusals: 0, recall_at: null,
    last_send_at: null, last_poll_at: null, created_at: ctx.now, revoked_at: null,
  }; // prettier-ignore
}

export const noServer = {
  smtp_host: null, smtp_port: null, smtp_security: null, smtp_username: null, smtp_password_sealed: null,
  imap_host: null, imap_port: null, imap_security: null, imap_username: null, imap_password_sealed: null,
} as const; // prettier-ignore

/** What an inbox is that never belonged to the pool of warm-up. */
const outOfWarmup = { warmup_enabled: false, warmup_started_at: null, next_warmup_at: null } as const;

/** What an inbox becomes that leaves the pool: its pending exchanges are due to be canceled. Nothing when it does not belong to it. */
export const leavingWarmup = (inbox: Pick<Row, 'warmup_enabled'>, now: Date): Partial<Row> =>
  inbox.warmup_enabled ? { ...outOfWarmup, next_warmup_at: now } : {};

/** The wait between two dots of one inbox, in milliseconds: drawn for the unit of its day, so that it can be told again. */
export function gapMs(inbox: Pick<Row, 'id' | 'min_gap_seconds' | 'max_gap_seconds'>, day: Date, unit: number): number {
  const { min_gap_seconds: min, max_gap_seconds: max } = inbox;
  return Math.round(1000 * (min + drawFor('gap', inbox.id, day.getTime(), unit) * (max - min)));
}
