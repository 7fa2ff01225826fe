import { Refusal } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

/** Refuse with not_entitled what only an active, paid plan has: not without a plan, in the trial, or with a payment overdue. */
export async function assertPaid(ctx: Ctx, what: string): Promise<void> {
  const { plan, plan_status: status } = await store.own(ctx);
  if (plan === null || status !== 'active') throw new Refusal('not_entitled', `${what} needs an active paid plan.`);
}
