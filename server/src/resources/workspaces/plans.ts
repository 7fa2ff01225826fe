import type { Config } from '#platform/config.ts';

/** What a plan allows; null is without limit. */
export type Limits = { contacts: number | null; sends_per_month: number | null; webhooks: number | null; inboxes: number | null };
export type Plan = 'pro' | 'scale' | 'hyper';

/** The plans and their usual limits; the setting PLAN_LIMITS changes single ones. */
export const PLANS: Readonly<Record<Plan, Limits>> = {
  pro: { contacts: 5_000, sends_per_month: 10_000, webhooks: 5, inboxes: 10 },
  scale: { contacts: 50_000, sends_per_month: 100_000, webhooks: 20, inboxes: 100 },
  hyper: { contacts: null, sends_per_month: 1_000_000, webhooks: null, inboxes: null },
};

const NOTHING: Limits = { contacts: 0, sends_per_month: 0, webhooks: 0, inboxes: 0 };

type Subscribed = { plan: Plan | null; plan_status: string | null };

/** What the subscription of a workspace allows; null without one. */
export function shownLimits({ PLAN_LIMITS: own }: Config, { plan, plan_status: status }: Subscribed): Limits | null {
  return plan && status ? { ...PLANS[plan], ...own[plan] } : null;
}

/** The limits that bind a workspace. One without a subscription may keep what it has and add nothing. */
export const limitsOf = (config: Config, row: Subscribed): Limits => shownLimits(config, row) ?? NOTHING;
