import type { Ctx } from '#world/ctx.ts';
import { limitsOf } from './plans.ts';
import * as store from './store.ts';

/** The UTC month of an instant as its first day, YYYY-MM-01. */
export const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;

/**
 * Count `delta` more sends (fewer when negative: cancels) in the caller's mode and give the new total. `month` is the month in which they
 * were created (see monthOf). Its row stays locked until the commit: count once for a whole batch, late in the transaction; 0 only locks.
 */
export const countUsage = (ctx: Ctx, month: string, delta: number): Promise<number> => store.addSends(ctx, month, delta);

/** How many sends the plan still allows this month, never below 0; null is without limit. Test mode is free. */
export async function sendsLeft(ctx: Ctx): Promise<number | null> {
  if (ctx.mode === 'test') return null;
  const limit = limitsOf((await store.own(ctx)).plan).sends_per_month;
  return limit === null ? null : Math.max(0, limit - (await store.liveSends(ctx, monthOf(ctx.now))));
}
