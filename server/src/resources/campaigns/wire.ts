import { z } from 'zod';
import { isZone } from '#platform/zone.ts';
import { EnrollmentStatus } from '#resources/enrollments/index.ts';
import { type Step as SequenceStep, presentStep as presentSequenceStep, stepFields } from '#resources/sequences/index.ts';
import { Id, Mode, Name, PageQuery, Ref, Timestamp, shown } from '#web/wire.ts';
import { FAULT_CODES } from './faults.ts';
import type { ForecastDay } from './forecast.ts';
import type { DryRun } from './readiness.ts';
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

const days = z
  .array(z.int().min(0).max(6))
  .min(1)
  .max(7)
  .refine((all) => new Set(all).size === all.length, { message: 'Each day once.' });
const scheduleFields = {
  timezone: z.string().refine(isZone, { message: 'An IANA time zone such as Europe/Berlin.' }),
  daysOfWeek: days,
  startHour: z.int().min(0).max(23),
  endHour: z.int().min(1).max(24),
};
const ScheduleBody = z
  .strictObject({
    timezone: scheduleFields.timezone.default(DEFAULT_SCHEDULE.timezone),
    daysOfWeek: days.default(DEFAULT_SCHEDULE.daysOfWeek),
    startHour: scheduleFields.startHour.default(DEFAULT_SCHEDULE.startHour),
    endHour: scheduleFields.endHour.default(DEFAULT_SCHEDULE.endHour),
  })
  .refine((one) => one.endHour > one.startHour, { message: 'endHour must be greater than startHour.', path: ['endHour'] });
const SchedulePatch = z.strictObject(scheduleFields).partial();

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
    track_opens: z.boolean().meta({ description: 'Put a pixel into HTML bodies and tell `message.opened`.' }),
    track_clicks: z.boolean().meta({ description: 'Follow http and https links of HTML bodies and tell `message.clicked`.' }),
    inject_unsubscribe_footer: z.boolean().meta({
      description: 'Add a visible unsubscribe link to bodies that have none. The List-Unsubscribe headers are there in any case.',
    }),
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
    sequence_id: Ref('seq', 'sequence'),
    sending_inbox_ids: z.array(Ref('inb', 'inbox')).max(500).default([]),
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

export const CampaignPatch = z.strictObject({
  name: Name(200).optional(),
  sending_inbox_ids: z.array(Ref('inb', 'inbox')).max(500).optional().meta({ description: 'May be empty where tags name who sends.' }),
  sending_inbox_tags: z.array(tag).max(20).nullable().optional().meta({ description: 'null or empty: no tags.' }),
  schedule: SchedulePatch.optional().meta({ description: 'What is not given stays.' }),
  track_opens: z.boolean().optional(),
  track_clicks: z.boolean().optional(),
  inject_unsubscribe_footer: z.boolean().optional(),
});
export type CampaignPatch = z.output<typeof CampaignPatch>;

export const AttachBody = z
  .strictObject({
    contact_ids: z.array(z.string().max(40)).min(1).max(1000).optional(),
    audience_id: Ref('aud', 'audience').optional(),
    skip_if_in_other_campaign: z.boolean().default(false),
  })
  .refine((one) => (one.contact_ids === undefined) !== (one.audience_id === undefined), {
    message: 'Give contact_ids or audience_id, one of them.',
    path: ['contact_ids'],
  });

const enrolledFields = {
  attached: z.int().meta({ description: 'Enrolled now, restored ones among them.' }),
  skipped: z.int().meta({ description: 'already_enrolled and every skip reason together.' }),
  restored: z.int().meta({ description: 'Had been removed and go on at the step where they stopped.' }),
  already_enrolled: z.int(),
  not_found: z.int(),
  skipped_reasons: z
    .object({
      unsubscribed: z.int(),
      bounced: z.int(),
      suppressed: z.int().meta({ description: 'On the suppression list, or blacklisted.' }),
      verification: z.int().meta({ description: "attributes.verification_status is 'invalid' or 'risky'." }),
      replied: z.int().meta({ description: 'Has answered in this campaign.' }),
      in_other_campaign: z.int(),
    })
    .meta({ id: 'EnrollSkipReasons' }),
};
export const AttachResult = z.object({ object: z.literal('attach_result'), ...enrolledFields }).meta({ id: 'CampaignAttachResult' });

export const MoveBody = z
  .strictObject({
    to_campaign_id: Ref('cmp', 'campaign'),
    contact_ids: z.array(z.string().max(40)).min(1).max(1000).optional(),
    status: EnrollmentStatus.exclude(['removed'])
      .optional()
      .meta({ description: 'Without contact_ids: every contact whose enrollment has this status. With contact_ids it is not looked at.' }),
    keep_in_source: z.boolean().default(false).meta({ description: 'Copy instead of move.' }),
    skip_if_in_other_campaign: z.boolean().default(false).meta({ description: 'Others than these two; when copying, than the target.' }),
  })
  .refine((one) => one.contact_ids !== undefined || one.status !== undefined, {
    message: 'Name contact_ids, or the status of those to move.',
    path: ['contact_ids'],
    params: { code: 'parameter_missing' },
  });
export type MoveBody = z.output<typeof MoveBody>;

export const MoveResult = z
  .object({
    object: z.literal('move_result'),
    ...enrolledFields,
    not_found: z.int().meta({ description: 'Unknown, or never enrolled in the source.' }),
    removed_from_source: z.int().meta({ description: 'Were active there, are enrolled in the target now, and left.' }),
    source_campaign_id: Id('cmp'),
    target_campaign_id: Id('cmp'),
    kept_in_source: z.boolean(),
  })
  .meta({ id: 'CampaignMoveResult' });

const Fault = z
  .object({
    code: z.enum(FAULT_CODES),
    message: z.string(),
    step_id: Id('cst').nullable(),
    step_order: z.int().nullable(),
    variant_id: z.string().nullable().meta({ description: "null for the step's own text." }),
    variable: z.string().nullable(),
    count: z.int().nullable().meta({ description: 'How many contacts, inboxes or sends it concerns; null when it does not depend on them.' }),
    sample_ids: z.array(z.string()).meta({ description: 'Up to 10 of these contacts or inboxes.' }),
  })
  .meta({ id: 'CampaignFault' });

const Day = z
  .object({
    date: z.string().meta({ description: "The inbox's local day, YYYY-MM-DD." }),
    inbox_id: Id('inb'),
    room: z.int().meta({ description: "What the inbox's cap of that day leaves at most." }),
    sends: z.int(),
    new_contacts: z.int(),
    follow_ups: z.int(),
    first_send_at: Timestamp,
    last_send_at: Timestamp,
  })
  .meta({ id: 'CampaignForecastDay' });

export const StartQuery = z.strictObject({
  dry_run: z.enum(['true', 'false']).optional().meta({ description: 'true: say what a start would do, and write nothing.' }),
});
export const CampaignDryRun = z
  .object({
    object: z.literal('campaign_start_dry_run'),
    ok: z.boolean().meta({ description: 'Nothing stands in the way of a start.' }),
    errors: z.array(Fault).meta({ description: 'A start refuses with campaign_not_ready and the same list.' }),
    warnings: z.array(Fault),
    contacts: z.int().meta({ description: 'Those who would be written to.' }),
    first_send_at: Timestamp.nullable(),
    estimated_completion_at: Timestamp.nullable().meta({ description: 'null when nothing would be sent, or the forecast is not whole.' }),
    forecast: z.array(Day).meta({
      description: 'By day and inbox, if nobody answers and the inboxes work for this campaign alone: an upper bound. At most 400 days.',
    }),
  })
  .meta({ id: 'CampaignDryRun' });

export const DeletedStep = z.object({ ...CampaignStep.shape, deleted: z.literal(true) }).meta({ id: 'DeletedCampaignStep' });

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
  ...presentSequenceStep(step as SequenceStep),
});

export const presentWhole = (row: Row, steps: readonly Step[]): z.input<typeof Campaign> => ({
  ...present(row),
  sequence_steps: steps.map(presentStep),
});

const presentDay = (day: ForecastDay): z.input<typeof Day> => ({
  date: day.date,
  inbox_id: day.inboxId,
  room: day.room,
  sends: day.sends,
  new_contacts: day.newContacts,
  follow_ups: day.followUps,
  first_send_at: day.firstSendAt.toISOString(),
  last_send_at: day.lastSendAt.toISOString(),
});

export const presentDryRun = ({ errors, warnings, contacts, forecast }: DryRun): z.input<typeof CampaignDryRun> => ({
  object: 'campaign_start_dry_run',
  ok: errors.length === 0,
  errors,
  warnings,
  contacts,
  first_send_at: shown(forecast.firstSendAt),
  estimated_completion_at: shown(forecast.completionAt),
  forecast: forecast.days.map(presentDay),
});
