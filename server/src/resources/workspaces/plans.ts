/** What a plan allows; null is without limit. */
export type Limits = { contacts: number | null; sends_per_month: number | null; webhooks: number | null; inboxes: number | null };
export type Plan = 'pro' | 'scale' | 'hyper';

export const PLANS: Readonly<Record<Plan, Limits>> = {
  pro: { contacts: 5_000, sends_per_month: 10_000, webhooks: 5, inboxes: 10 },
  scale: { contacts: 50_000, sends_per_month: 100_000, webhooks: 20, inboxes: 100 },
  hyper: { contacts: null, sends_per_month: 1_000_000, webhooks: null, inboxes: null },
};

const NOTHING: Limits = { contacts: 0, sends_per_month: 0, webhooks: 0, inboxes: 0 };

/** The limits that bind a workspace. One without a plan may keep what it has and add nothing. */
export const limitsOf = (plan: Plan | null): Limits => (plan ? PLANS[plan] : NOTHING);
