import type { Ctx } from '#world/ctx.ts';
import { monthOf } from './month.ts';
import { limitsOf, shownLimits } from './plans.ts';
import * as store from './store.ts';
import { noteUsage } from './thresholds.ts';

/**
 * Count `delta` more sends (fewer when negative: cancels) in the caller's mode and give the new total. `month` is the month in which they
 * were created (see monthOf). Its row stays locked until the commit: count once for a whole batch, late in the transaction; 0 only locks.
 * Tells usage.threshold_reached when the live sends of a month reach a share of the plan's, once in that month.
 */
export async function countUsage(ctx: Ctx, month: string, delta: number): Promise<number> {
  const { total, ...subscribed } = await store.addSends(ctx, month, delta);
  if (ctx.mode === 'test' || delta <= 0) return total;
  const limit = limitsOf(ctx.config, subscribed).sends_per_month;
  if (limit !== null) await noteUsage(ctx, { quota: 'sends', period: month, before: total - delta, after: total, limit });
  return total;
}

/** How many sends the plan still allows this month, never below 0; null is without limit. Test mode is free. */
export async function sendsLeft(ctx: Ctx): Promise<number | null> {
  if (ctx.mode === 'test') return null;
  const limit = limitsOf(ctx.config, await store.own(ctx)).sends_per_month;
  return limit === null ? null : Math.max(0, limit - (await store.liveSends(ctx, monthOf(ctx.now))));
}

/** Whether a subscription lets the workspace run campaigns; test mode needs none. */
export const isEntitled = async (ctx: Ctx): Promise<boolean> => ctx.mode === 'test' || shownLimits(ctx.config, await store.own(ctx)) !== null;
