import { z } from 'zod';
import { EVENT_TYPES } from '#resources/events/index.ts';
import { Id, Mode, Prose, Timestamp, shown } from '#web/wire.ts';
import type { Row } from './store.ts';

const WANTED = ['*', ...EVENT_TYPES] as const;

const fields = {
  id: Id('whk'),
  object: z.literal('webhook_endpoint'),
  mode: Mode,
  url: z.string(),
  enabled_events: z.array(z.string()).meta({ description: 'Event types, or `*` alone for every one.' }),
  description: z.string().nullable(),
  verified_at: Timestamp.nullable().meta({
    description: 'Since when it has proved itself. Before, it is sent the verification event and nothing else.',
  }),
  disabled: z.boolean(),
  disabled_reason: z.enum(['manual', 'failing']).nullable().meta({ description: '`failing`: every attempt of 7 days, 7 at least, has failed.' }),
  consecutive_failures: z.int().meta({ description: 'Attempts that have failed since the last success.' }),
  last_success_at: Timestamp.nullable().meta({ description: 'While deliveries succeed this is noted about once a second.' }),
  last_failure_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookEndpoint = z.object(fields).meta({ id: 'WebhookEndpoint' });
export const WebhookEndpointWithSecret = z
  .object({ ...fields, secret: z.string().meta({ description: 'The signing secret, `whsec_…`. Shown this once.' }) })
  .meta({ id: 'WebhookEndpointWithSecret' });

const url = z.string().max(2048).meta({
  format: 'uri',
  description:
    'https; http also in test mode. No credentials and no fragment. The host must be public, unless the operator lets test mode go elsewhere.',
});
const enabledEvents = z
  .array(z.enum(WANTED))
  .min(1)
  .refine((types) => !types.includes('*') || types.length === 1, { message: '`*` stands for every type: give it alone.' })
  .refine((types) => new Set(types).size === types.length, { message: 'Give each type once.' })
  .meta({ description: 'Event types, or `*` alone for every one, those of high volume among them.' });
const description = Prose(500).nullable().optional();

export const NewWebhook = z.strictObject({ url, enabled_events: enabledEvents, description });
export const WebhookPatch = z.strictObject({
  url: url.optional(),
  enabled_events: enabledEvents.optional(),
  description,
  disabled: z.boolean().optional().meta({ description: 'Events that happen while it is disabled are not delivered later: replay them.' }),
});

export const present = (row: Row): z.input<typeof WebhookEndpoint> => ({
  id: row.id,
  object: 'webhook_endpoint',
  mode: row.mode,
  url: row.url,
  enabled_events: row.enabled_events,
  description: row.description,
  verified_at: shown(row.verified_at),
  disabled: row.disabled,
  disabled_reason: row.disabled_reason,
  consecutive_failures: row.consecutive_failures,
  last_success_at: shown(row.last_success_at),
  last_failure_at: shown(row.last_failure_at),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const presentWithSecret = ({ row, secret }: { row: Row; secret: string }): z.input<typeof WebhookEndpointWithSecret> => ({
  ...present(row),
  secret,
});
