import { z } from 'zod';
import { Id, Timestamp, shown } from '#web/wire.ts';
import type { Limits } from './plans.ts';
import type { Row, Usage } from './store.ts';

const limit = z.int().nullable().meta({ description: 'null is without limit.' });

export const Workspace = z
  .object({
    id: Id('wsp'),
    object: z.literal('workspace'),
    name: z.string(),
    slug: z.string().nullable(),
    plan: z.enum(['pro', 'scale', 'hyper']).nullable().meta({ description: 'null without an entitling subscription.' }),
    plan_status: z.enum(['trialing', 'active', 'past_due']).nullable(),
    trial_ends_at: Timestamp.nullable(),
    current_period_end: Timestamp.nullable(),
    cancel_at_period_end: z.boolean(),
    limits: z.object({ contacts: limit, sends_per_month: limit, webhooks: limit, inboxes: limit }).nullable(),
    usage: z
      .object({ contacts: z.int(), sends_this_month: z.int(), webhooks: z.int(), inboxes: z.int() })
      .meta({ description: 'Live activity only; the month is the UTC calendar month.' }),
    created_at: Timestamp,
  })
  .meta({ id: 'Workspace' });

export const present = (row: Row, limits: Limits | null, usage: Usage): z.input<typeof Workspace> => ({
  id: row.id,
  object: 'workspace',
  name: row.name,
  slug: row.slug,
  plan: row.plan,
  plan_status: row.plan_status,
  trial_ends_at: shown(row.trial_ends_at),
  current_period_end: shown(row.current_period_end),
  cancel_at_period_end: row.cancel_at_period_end,
  limits,
  usage,
  created_at: row.created_at.toISOString(),
});
