import { z } from 'zod';
import { Id, PageQuery, Timestamp, shown } from '#web/wire.ts';
import type { Row } from './store.ts';

export const EnrollmentStatus = z
  .enum(['active', 'replied', 'bounced', 'unsubscribed', 'finished', 'failed', 'removed'])
  .meta({ id: 'EnrollmentStatus' });

export const CampaignContact = z
  .object({
    id: Id('enr'),
    object: z.literal('campaign_contact'),
    campaign_id: Id('cmp'),
    contact_id: Id('con'),
    contact_email: z.string(),
    current_step: z.int(),
    status: EnrollmentStatus,
    next_send_at: Timestamp.nullable(),
    assigned_inbox_id: Id('inb').nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'CampaignContact' });

export const CampaignContactQuery = PageQuery.extend({ status: EnrollmentStatus.optional(), email: z.string().max(320).optional() });

export const present = (row: Row): z.input<typeof CampaignContact> => ({
  id: row.id,
  object: 'campaign_contact',
  campaign_id: row.campaign_id,
  contact_id: row.contact_id,
  contact_email: row.contact_email,
  current_step: row.current_step,
  status: row.status,
  next_send_at: shown(row.next_send_at),
  assigned_inbox_id: row.assigned_inbox_id,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
