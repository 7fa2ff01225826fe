import { z } from 'zod';
import { RowProblem } from '#web/batch.ts';
import { rowError } from '#web/problems.ts';
import { Id, Mode, Name, PageQuery, Prose, Timestamp } from '#web/wire.ts';
import type { AttachOutcome } from './attach-contacts.ts';
import type { Counted } from './store.ts';

export const Audience = z
  .object({
    id: Id('aud'),
    object: z.literal('audience'),
    mode: Mode,
    name: z.string(),
    description: z.string().nullable(),
    contact_count: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Audience' });

export const AudienceQuery = PageQuery;
export const NewAudience = z.strictObject({ name: Name(200), description: Prose(2000).nullable().default(null) });
export const AudiencePatch = z.strictObject({ name: Name(200).optional(), description: Prose(2000).nullable().optional() });
/** Ids that do not exist, in whatever spelling, are errors of their row. */
export const AttachBody = z.strictObject({ contact_ids: z.array(z.string().max(100)).max(1000) });

export const AttachResult = z
  .object({
    object: z.literal('attach_result'),
    attached: z.int(),
    skipped: z.int().meta({ description: 'Members already, and repeated ids.' }),
    errors: z.array(z.object({ index: z.int(), contact_id: z.string(), error: RowProblem })),
  })
  .meta({ id: 'AudienceAttachResult' });

export const DetachedContact = z
  .object({ object: z.literal('audience_contact'), audience_id: Id('aud'), contact_id: Id('con'), deleted: z.literal(true) })
  .meta({ id: 'DetachedAudienceContact' });

export const present = (row: Counted): z.input<typeof Audience> => ({
  id: row.id,
  object: 'audience',
  mode: row.mode,
  name: row.name,
  description: row.description,
  contact_count: row.contact_count,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const presentAttached = ({ attached, skipped, errors }: AttachOutcome): z.input<typeof AttachResult> => ({
  object: 'attach_result',
  attached,
  skipped,
  errors: errors.map(({ index, contactId, refusal }) => ({ index, contact_id: contactId, error: rowError(refusal) })),
});

export const presentDetached = (audienceId: string, contactId: string): z.input<typeof DetachedContact> => ({
  object: 'audience_contact',
  audience_id: audienceId,
  contact_id: contactId,
  deleted: true,
});
