import { z } from 'zod';
import { BatchRows, batchResultOf } from '#web/batch.ts';
import { Email, Id, Line, Mode, PageQuery, Ref, Timestamp } from '#web/wire.ts';
import { LEAD_KEY, LEAD_STATUSES, attributesFault, attributesOf, leadStatusOf } from './rules.ts';
import type { Row } from './store.ts';

const GlobalStatus = z.enum(['ok', 'unsubscribed', 'bounced', 'blacklisted']).meta({ id: 'GlobalStatus' });
const LeadStatus = z.enum(LEAD_STATUSES).meta({ id: 'LeadStatus' });

export const Contact = z
  .object({
    id: Id('con'),
    object: z.literal('contact'),
    mode: Mode,
    email: z.string().meta({ description: 'In the spelling first given; compared without regard to case.' }),
    attributes: z.record(z.string(), z.unknown()),
    global_status: GlobalStatus,
    lead_status: LeadStatus.nullable().meta({ description: `Set by POST /v1/contacts/{id}/lead_status; kept as attributes.${LEAD_KEY}.` }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Contact' });

const Attributes = z.record(z.string().min(1), z.unknown()).superRefine((attributes, check) => {
  const fault = attributesFault(attributes);
  if (fault) check.addIssue({ code: 'custom', message: fault });
});

export const NewContact = z.strictObject({
  email: Email,
  attributes: Attributes.default({}).refine((attributes) => !Object.hasOwn(attributes, LEAD_KEY), {
    message: 'The lead status is set by POST /v1/contacts/{id}/lead_status.',
    path: [LEAD_KEY],
  }),
  global_status: GlobalStatus.default('ok'),
});

export const ContactPatch = z.strictObject({
  attributes: Attributes.optional().meta({ description: 'Merged into those that are there; a key set to null is removed.' }),
  global_status: GlobalStatus.optional(),
});

export const ContactBatch = z.strictObject({ contacts: BatchRows });
export const ContactBatchResult = batchResultOf(Contact).meta({ id: 'ContactBatchResult' });

export const LeadStatusBody = z.strictObject({
  lead_status: LeadStatus,
  campaign_id: Ref('cmp', 'campaign').optional().meta({ description: "Limits not_interested to this campaign's enrollment." }),
});

export const ContactQuery = PageQuery.extend({
  email: Email.optional(),
  q: Line(200, 1).optional().meta({ description: 'Text in the address or in a value of an attribute, literally, whatever the case.' }),
  global_status: GlobalStatus.optional(),
  lead_status: LeadStatus.optional(),
});

export const present = (row: Row) => ({
  id: row.id,
  object: 'contact' as const,
  mode: row.mode,
  email: row.email,
  attributes: { ...attributesOf(row) },
  global_status: row.global_status,
  lead_status: leadStatusOf(attributesOf(row)),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
