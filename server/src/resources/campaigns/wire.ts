import { z } from 'zod';
import { isZone } from '#platform/zone.ts';
import { type Variant, presentStep as presentSequenceStep, stepFields } from '#resources/sequences/index.ts';
import { Id, Mode, Name, PageQuery, Timestamp, shown } from '#web/wire.ts';
import { DEFAULT_SCHEDULE, type Schedule as Window } from './schedule.ts';
import type { Row, Step } from './store.ts';

const CampaignStatus = z.enum(['draft', 'running', 'paused', 'completed']).meta({ id: 'CampaignStatus' });
const SendStatus = z.enum([
  'sending',
  'outside_schedule',
  'no_inbox_available',
  'waiting_on_followup_delays',
  'quota_exceeded',
  'not_entitled',
  'no_active_leads',
  'bounce_protection',
]);

const Schedule = z.object({
  timezone: z.string(),
  daysOfWeek: z.array(z.int()).meta({ description: '0 = Sunday to 6 = Saturday.' }),
  startHour: z.int(),
  endHour: z.int().meta({ description: 'Exclusive; 24 = until midnight.' }),
});

const ScheduleBody = z
  .strictObject({
    timezone: z.string().refine(isZone, { message: 'An IANA time zone such as Europe/Berlin.' }).default(DEFAULT_SCHEDULE.timezone),
    daysOfWeek: z
      .array(z.int().min(0).max(6))
      .min(1)
      .max(7)
      .refine((days) => new Set(days).size === days.length, { message: 'Each day once.' })
      .default(DEFAULT_SCHEDULE.daysOfWeek),
    startHour: z.int().min(0).max(23).default(DEFAULT_SCHEDULE.startHour),
    endHour: z.int().min(1).max(24).default(DEFAULT_SCHEDULE.endHour),
  })
  .refine((one) => one.endHour > one.startHour, { message: 'endHour must be greater than startHour.', path: ['endHour'] });

export const CampaignStep = z
  .object({
    id: Id('cst'),
    object: z.literal('campaign_step'),
    campaign_id: Id('cmp'),
    source_step_id: Id('stp').nullable(),
    ...stepFields,
  })
  .meta({ id: 'CampaignStep' });

export const Campaign = z
  .object({
    id: Id('cmp'),
    object: z.literal('campaign'),
    mode: Mode,
    name: z.string(),
    status: CampaignStatus,
    sequence_id: Id('seq').nullable(),
    schedule: Schedule,
    sending_inbox_ids: z.array(Id('inb')),
    sending_inbox_tags: z.array(z.string()),
    track_opens: z.boolean(),
    track_clicks: z.boolean(),
    inject_unsubscribe_footer: z.boolean(),
    send_status: SendStatus.nullable(),
    send_status_at: Timestamp.nullable(),
    paused_reason: z.enum(['bounce_protection']).nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    sequence_steps: z.array(CampaignStep).optional().meta({ description: "The campaign's own copy of the steps; only on retrieve." }),
  })
  .meta({ id: 'Campaign' });

const tag = z.string().trim().toLowerCase().min(1).max(40);

export const NewCampaign = z
  .strictObject({
    name: Name(200),
    sequence_id: z.string().max(40),
    sending_inbox_ids: z.array(z.string().max(40)).max(500).default([]),
    sending_inbox_tags: z.array(tag).max(20).default([]),
    schedule: ScheduleBody.default(DEFAULT_SCHEDULE),
    track_opens: z.boolean().default(false),
    track_clicks: z.boolean().default(false),
    inject_unsubscribe_footer: z.boolean().default(false),
  })
  .refine((one) => one.sending_inbox_ids.length + one.sending_inbox_tags.length > 0, {
    message: 'Name sending inboxes, by id or by tag.',
    path: ['sending_inbox_ids'],
    params: { code: 'parameter_missing' },
  });
export type NewCampaign = z.output<typeof NewCampaign>;

export const AttachBody = z
  .strictObject({
    contact_ids: z.array(z.string().max(40)).min(1).max(1000).optional(),
    audience_id: z.string().max(40).optional(),
    skip_if_in_other_campaign: z.boolean().default(false),
  })
  .refine((one) => (one.contact_ids === undefined) !== (one.audience_id === undefined), {
    message: 'Give contact_ids or audience_id, one of them.',
    path: ['contact_ids'],
  });

export const AttachResult = z
  .object({
    object: z.literal('attach_result'),
    attached: z.int(),
    skipped: z.int(),
    restored: z.int(),
    already_enrolled: z.int(),
    not_found: z.int(),
    skipped_reasons: z.object({
      unsubscribed: z.int(),
      bounced: z.int(),
      suppressed: z.int(),
      verification: z.int(),
      replied: z.int(),
      in_other_campaign: z.int(),
    }),
  })
  .meta({ id: 'CampaignAttachResult' });

export const CampaignQuery = PageQuery.extend({ status: CampaignStatus.optional() });

export const present = (row: Row): z.input<typeof Campaign> => ({
  id: row.id,
  object: 'campaign',
  mode: row.mode,
  name: row.name,
  status: row.status,
  sequence_id: row.sequence_id,
  schedule: row.schedule as Window,
  sending_inbox_ids: row.sending_inbox_ids,
  sending_inbox_tags: row.sending_inbox_tags,
  track_opens: row.track_opens,
  track_clicks: row.track_clicks,
  inject_unsubscribe_footer: row.inject_unsubscribe_footer,
  send_status: row.send_status,
  send_status_at: shown(row.send_status_at),
  paused_reason: row.paused_reason,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export const presentStep = (step: Step): z.input<typeof CampaignStep> => ({
  id: step.id,
  object: 'campaign_step',
  campaign_id: step.campaign_id,
  source_step_id: step.source_step_id,
  ...presentSequenceStep({ ...step, variants: step.variants as Variant[] | null }),
});
