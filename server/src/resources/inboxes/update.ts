import { Refusal, found } from '#platform/refusal.ts';
import { cleanSignature } from '#mail/text/clean-signature.ts';
import { textFromHtml } from '#mail/text/text-from-html.ts';
import { json } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import { assertPaid } from '#resources/workspaces/index.ts';
import { resetAfterZoneChange, standingAfter } from './rules.ts';
import { type SandboxChanges, type SandboxConfig, mergedSandboxConfig, withSandboxDefaults } from './sandbox-config.ts';
import { leavingWarmup } from './settings.ts';
import * as store from './store.ts';

type Optional<T> = { [K in keyof T]?: T[K] | undefined };
export type Changes = Optional<{
  display_name: string | null;
  status: 'active' | 'paused';
  daily_limit: number;
  ramp: Optional<{ enabled: boolean; start: number; end: number; days: number }>;
  min_gap_seconds: number;
  max_gap_seconds: number;
  signature_html: string | null;
  reply_to: string | null;
  timezone: string;
  tags: string[];
  warmup_enabled: boolean;
  sandbox_config: SandboxChanges;
}>;

/** Change the settings of an inbox; refuses what its state or kind does not allow, naming the field. */
export async function updateInbox(ctx: Ctx, id: string, changes: Changes): Promise<store.Row> {
  const before = found(await store.locked(ctx, id), 'inbox');
  const { display_name, daily_limit, reply_to, tags, ramp, timezone, signature_html, sandbox_config } = changes;
  const after: Partial<store.Row> = {
    ...(display_name !== undefined && { display_name }),
    ...(daily_limit !== undefined && { daily_limit }),
    ...(reply_to !== undefined && { reply_to }),
    ...(tags !== undefined && { tags: [...new Set(tags)] }),
    ...warmupAfter(ctx, before, changes.warmup_enabled),
    ...statusAfter(before, changes.status),
    ...(daily_limit !== undefined && { ramp_end: Math.min(before.ramp_end, daily_limit) }),
    ...(ramp && rampAfter(ctx, before, ramp)),
    ...gapsAfter(before, changes),
    ...(timezone !== undefined && timezone !== before.timezone && { timezone, ...resetAfterZoneChange(before, timezone, ctx.now) }),
    ...(signature_html !== undefined && signatureOf(signature_html)),
    ...(sandbox_config !== undefined && { sandbox_config: json(sandboxAfter(before, sandbox_config)) }),
  };
  const whole = { ...before, ...after };
  assertRampWithinLimit(whole, changes);
  if (changes.warmup_enabled) await assertMayWarmUp(ctx, before);
  const { recalls, ...standing } = standingAfter(before, whole, ctx.now);
  return store.update(ctx, id, { ...after, ...standing, ...(recalls && { recall_at: ctx.now }) });
}

const BY_OAUTH: readonly store.Row['provider'][] = ['google', 'microsoft', 'mailprovider'];

async function assertMayWarmUp(ctx: Ctx, { provider }: store.Row): Promise<void> {
  if (!BY_OAUTH.includes(provider)) {
    throw new Refusal('validation_failed', 'Warm-up is for inboxes connected by OAuth.', { param: 'warmup_enabled' });
  }
  await assertPaid(ctx, 'Warm-up');
}

/** Joining begins the warm-up's ramp anew, and its first day at once; who leaves is forgotten by the pool with this very commit. */
function warmupAfter(ctx: Ctx, before: store.Row, wanted: boolean | undefined): Partial<store.Row> {
  if (wanted === undefined) return {};
  if (!wanted) return leavingWarmup(before, ctx.now);
  return before.warmup_started_at === null ? { warmup_enabled: true, warmup_started_at: ctx.now, next_warmup_at: ctx.now } : {};
}

function statusAfter({ status }: store.Row, wanted: Changes['status']): Partial<store.Row> {
  if (wanted === undefined) return {};
  // At its cap an inbox is as active as before, only done for the day.
  const from = status === 'over_quota_today' ? 'active' : status;
  if (from !== 'active' && from !== 'paused') {
    throw new Refusal('validation_failed', `An inbox that is ${status} can be neither paused nor made active.`, { param: 'status' });
  }
  return from === wanted ? {} : { status: wanted, status_reason: wanted === 'paused' ? 'Paused by a caller.' : null };
}

/** Turning the ramp on starts it today; omitted fields keep their value. */
function rampAfter(ctx: Ctx, before: store.Row, ramp: NonNullable<Changes['ramp']>): Partial<store.Row> {
  const on = ramp.enabled === true && !before.ramp_enabled;
  return {
    ...(ramp.enabled !== undefined && { ramp_enabled: ramp.enabled }),
    ...(ramp.start !== undefined && { ramp_start: ramp.start }),
    ...(ramp.end !== undefined && { ramp_end: ramp.end }),
    ...(ramp.days !== undefined && { ramp_days: ramp.days }),
    ...(on && { ramp_started_at: ctx.now }),
  };
}

function assertRampWithinLimit(row: store.Row, changes: Changes): void {
  if (changes.ramp?.end !== undefined && changes.ramp.end > row.daily_limit) {
    throw new Refusal('validation_failed', `The ramp cannot end above the daily limit of ${row.daily_limit}.`, { param: 'ramp.end' });
  }
}

function gapsAfter(before: store.Row, changes: Changes): Partial<store.Row> {
  const least = changes.min_gap_seconds ?? before.min_gap_seconds;
  const most = changes.max_gap_seconds ?? before.max_gap_seconds;
  if (least > most) {
    const param = changes.min_gap_seconds === undefined ? 'max_gap_seconds' : 'min_gap_seconds';
    throw new Refusal('validation_failed', `The least gap (${least} s) is greater than the greatest (${most} s).`, { param });
  }
  return { min_gap_seconds: least, max_gap_seconds: most };
}

function signatureOf(html: string | null): Partial<store.Row> {
  const clean = html === null ? '' : cleanSignature(html);
  return clean === '' ? { signature_html: null, signature_text: null } : { signature_html: clean, signature_text: textFromHtml(clean) };
}

function sandboxAfter(before: store.Row, changes: SandboxChanges): SandboxConfig {
  if (before.provider !== 'sandbox') throw new Refusal('validation_failed', 'Only a sandbox inbox has this.', { param: 'sandbox_config' });
  return mergedSandboxConfig(withSandboxDefaults(before.sandbox_config as Partial<SandboxConfig>), changes);
}
