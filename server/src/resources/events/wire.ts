import { z } from 'zod';
import { Id, Mode, PageQuery, Timestamp } from '#web/wire.ts';
import { EVENT_TYPES } from './catalog.ts';
import type { Row } from './store.ts';

export const EventTypeName = z.enum(EVENT_TYPES).meta({ id: 'EventType' });

export const Event = z
  .object({
    id: Id('evt'),
    object: z.literal('event'),
    mode: Mode,
    type: EventTypeName,
    resource_id: z.string().meta({ description: 'The resource that it happened to.' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'The resource as it was at that moment.' }),
    previous: z.record(z.string(), z.unknown()).nullable().meta({ description: 'Prior values of changed fields, on updates.' }),
    metadata: z.record(z.string(), z.unknown()).nullable().meta({ description: 'The metadata of the originating send.' }),
    sequence: z.int().meta({ description: 'Counts the events of a workspace and mode, without gaps.' }),
    created_at: Timestamp,
  })
  .meta({ id: 'Event' });

export const EventQuery = PageQuery.extend({
  type: EventTypeName.optional(),
  resource_id: z.string().max(400).optional(),
  after_sequence: z
    .string()
    .regex(/^\d{1,15}$/, 'A whole number from 0.')
    .transform(Number)
    .optional()
    .meta({
      description: 'Only events with a greater sequence: what came since a reader was here last.',
      override: ({ jsonSchema }) => {
        delete jsonSchema.pattern;
        Object.assign(jsonSchema, { type: 'integer', minimum: 0 });
      },
    }),
});

export const present = (row: Row): z.input<typeof Event> => ({
  id: row.id,
  object: 'event',
  mode: row.mode,
  type: EventTypeName.parse(row.type),
  resource_id: row.resource_id,
  data: row.data as Record<string, unknown>,
  previous: row.previous as Record<string, unknown> | null,
  metadata: row.metadata as Record<string, unknown> | null,
  sequence: row.sequence,
  created_at: row.created_at.toISOString(),
});
