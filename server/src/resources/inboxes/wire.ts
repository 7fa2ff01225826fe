import { z } from 'zod';
import { isZone } from '#platform/zone.ts';
import { Email, Id, Line, Mode, PageQuery, Prose, Timestamp, shown } from '#web/wire.ts';
import { effectiveDailyLimit } from './rules.ts';
import { type SandboxConfig as SandboxSettings, withSandboxDefaults } from './sandbox-config.ts';
import type { Row } from './store.ts';

export const InboxStatus = z
  .enum(['connecting', 'active', 'token_expired', 'revoked', 'over_quota_today', 'unhealthy', 'paused', 'failed'])
  .meta({ id: 'InboxStatus' });
const Provider = z.enum(['google', 'microsoft', 'mailprovider', 'smtp', 'sandbox']);
const Whole = (min: number, max: number) => z.int().min(min).max(max);
const Probability = z.number().min(0).max(1);
const Seconds = Whole(0, 31_536_000);

const sandboxFields = {
  open_probability: Probability,
  click_probability: Probability,
  reply_probability: Probability,
  bounce_probability: Probability,
  open_delay_seconds_min: Seconds,
  open_delay_seconds_max: Seconds,
  click_delay_seconds_min: Seconds,
  click_delay_seconds_max: Seconds,
  reply_delay_seconds_min: Seconds,
  reply_delay_seconds_max: Seconds,
};
const SandboxConfig = z
  .object({ ...sandboxFields, seed: z.int().nullable().meta({ description: 'Makes the draws reproducible.' }) })
  .meta({ id: 'SandboxConfig' });
const SandboxConfigBody = z.strictObject({ ...sandboxFields, seed: z.int().nullable() }).partial();

const rampFields = { enabled: z.boolean(), start: Whole(1, 500), end: Whole(1, 500), days: Whole(1, 90) };

export const Inbox = z
  .object({
    id: Id('inb'),
    object: z.literal('inbox'),
    mode: Mode,
    provider: Provider,
    email_address: z.string(),
    display_name: z.string().nullable(),
    status: InboxStatus,
    status_reason: z.string().nullable(),
    daily_limit: z.int(),
    effective_daily_limit: z.int().meta({ description: "Today's cap: daily_limit, or the ramp's value when that is lower." }),
    ramp: z.object({ enabled: z.boolean(), start: z.int(), end: z.int(), days: z.int(), started_at: Timestamp }),
    min_gap_seconds: z.int(),
    max_gap_seconds: z.int(),
    signature_html: z.string().nullable(),
    signature_text: z.string().nullable(),
    reply_to: z.string().nullable(),
    tags: z.array(z.string()),
    health_score: z.int().nullable(),
    warmup_enabled: z.boolean().meta({ description: 'It belongs to the pool of inboxes that warm each other up.' }),
    timezone: z.string(),
    last_send_at: Timestamp.nullable(),
    last_poll_at: Timestamp.nullable(),
    created_at: Timestamp,
    revoked_at: Timestamp.nullable(),
    sandbox_config: SandboxConfig.nullable(),
  })
  .meta({ id: 'Inbox' });

const hostName = Line(253, 1).refine((text) => !/[\s/@]/.test(text), { message: 'A host name or an IP address.' });
const port = Whole(1, 65_535).refine((one) => one !== 25, { message: 'Port 25 is not supported: use 465 or 587 (143 or 993 for IMAP).' });
const server = {
  host: hostName,
  port,
  security: z.enum(['ssl', 'starttls']),
  username: Line(320, 1).optional(),
};
const secret = z
  .string()
  .min(1)
  .max(1024)
  .refine((text) => !/[\0\r\n\p{Cs}]/u.test(text), { message: 'Line breaks and NUL are not allowed here.' });
// Marks that turn the direction of writing would make a sender look like another.
const displayName = Line(120).refine((text) => !/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text), {
  message: 'Direction marks are not allowed in a name.',
});

export const SmtpInboxBody = z.strictObject({
  email_address: Email,
  display_name: displayName.optional(),
  smtp: z.strictObject({ ...server, password: secret }),
  imap: z.strictObject({ ...server, password: secret.optional() }),
});
export type SmtpInbox = z.output<typeof SmtpInboxBody>;

export const SandboxInboxBody = z.strictObject({
  email_address: Email.optional(),
  display_name: displayName.optional(),
  sandbox_config: SandboxConfigBody.optional(),
});

const tag = z
  .string()
  .trim()
  .toLowerCase()
  .min(1)
  .max(40)
  .regex(/^[\p{L}\p{N} \-_./:]+$/u, 'Letters, digits, spaces and - _ . / : only.');

export const InboxPatch = z.strictObject({
  display_name: displayName.nullable().optional(),
  status: z.enum(['active', 'paused']).optional(),
  daily_limit: Whole(1, 500).optional(),
  ramp: z.strictObject(rampFields).partial().optional(),
  min_gap_seconds: Whole(0, 3600).optional(),
  max_gap_seconds: Whole(0, 3600).optional(),
  signature_html: Prose(10_000).nullable().optional(),
  reply_to: Email.nullable().optional(),
  timezone: z.string().refine(isZone, { message: 'An IANA time zone such as Europe/Berlin.' }).optional(),
  tags: z.array(tag).max(20).optional(),
  warmup_enabled: z.boolean().optional(),
  sandbox_config: SandboxConfigBody.optional(),
});
export type InboxChanges = z.output<typeof InboxPatch>;

export const InboxQuery = PageQuery.extend({ provider: Provider.optional(), status: InboxStatus.optional(), tag: z.string().max(40).optional() });

export const present = (row: Row, now: Date): z.input<typeof Inbox> => ({
  id: row.id,
  object: 'inbox',
  mode: row.mode,
  provider: row.provider,
  email_address: row.email_address,
  display_name: row.display_name,
  status: row.status,
  status_reason: row.status_reason,
  daily_limit: row.daily_limit,
  effective_daily_limit: effectiveDailyLimit(row, now),
  ramp: { enabled: row.ramp_enabled, start: row.ramp_start, end: row.ramp_end, days: row.ramp_days, started_at: row.ramp_started_at.toISOString() },
  min_gap_seconds: row.min_gap_seconds,
  max_gap_seconds: row.max_gap_seconds,
  signature_html: row.signature_html,
  signature_text: row.signature_text,
  reply_to: row.reply_to,
  tags: row.tags,
  health_score: row.health_score,
  warmup_enabled: row.warmup_enabled,
  timezone: row.timezone,
  last_send_at: shown(row.last_send_at),
  last_poll_at: shown(row.last_poll_at),
  created_at: row.created_at.toISOString(),
  revoked_at: shown(row.revoked_at),
  sandbox_config: row.sandbox_config === null ? null : withSandboxDefaults(row.sandbox_config as Partial<SandboxSettings>),
});
