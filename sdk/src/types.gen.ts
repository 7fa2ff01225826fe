// Generated from the OpenAPI document by server/tools/sdk-types.ts. Do not edit.

/** live, or test: the simulated world. */
export type Mode = 'live' | 'test';

export type EventType =
  | 'inbox.connected'
  | 'inbox.disconnected'
  | 'inbox.token_expired'
  | 'inbox.health_changed'
  | 'contact.created'
  | 'contact.updated'
  | 'contact.deleted'
  | 'contact.unsubscribed'
  | 'contact.bounced'
  | 'contact.lead_status_changed'
  | 'send.scheduled'
  | 'send.sending'
  | 'send.sent'
  | 'send.failed'
  | 'send.canceled'
  | 'message.received'
  | 'message.replied'
  | 'message.bounced'
  | 'message.autoresponse'
  | 'message.opened'
  | 'message.clicked'
  | 'campaign.started'
  | 'campaign.paused'
  | 'campaign.resumed'
  | 'campaign.completed'
  | 'campaign.contact.advanced'
  | 'import.completed'
  | 'import.failed'
  | 'usage.threshold_reached'
  | 'webhook.delivery.failed';

export type ApiKey = {
  id: string;
  object: 'api_key';
  mode: Mode;
  name: string;
  scope: 'read' | 'write' | 'admin';
  last_four: string;
  auto_confirm: boolean;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
};

export type Audience = {
  id: string;
  object: 'audience';
  mode: Mode;
  name: string;
  description: string | null;
  contact_count: number;
  created_at: string;
  updated_at: string;
};

export type Variant = {
  id: string;
  subject: string;
  body_html: string;
  body_text: string;
  disabled: boolean;
};

export type SequenceStep = {
  id: string;
  object: 'sequence_step';
  sequence_id: string;
  step_order: number;
  delay_days: number;
  delay_minutes: number;
  subject: string;
  body_html: string;
  body_text: string;
  variants: Variant[] | null;
  winning_variant_id: string | null;
};

export type Sequence = {
  id: string;
  object: 'sequence';
  mode: Mode;
  name: string;
  description: string | null;
  step_count: number;
  steps?: SequenceStep[];
  created_at: string;
  updated_at: string;
};

export type CampaignStep = {
  id: string;
  object: 'campaign_step';
  campaign_id: string;
  source_step_id: string | null;
  step_order: number;
  delay_days: number;
  delay_minutes: number;
  subject: string;
  body_html: string;
  body_text: string;
  variants: Variant[] | null;
  winning_variant_id: string | null;
};

export type Campaign = {
  id: string;
  object: 'campaign';
  mode: Mode;
  name: string;
  status: 'draft' | 'running' | 'paused' | 'completed';
  sequence_id: string | null;
  schedule: {
    timezone: string;
    daysOfWeek: number[];
    startHour: number;
    endHour: number;
  };
  sending_inbox_ids: string[];
  sending_inbox_tags: string[];
  track_opens: boolean;
  track_clicks: boolean;
  inject_unsubscribe_footer: boolean;
  send_status:
    | 'sending'
    | 'outside_schedule'
    | 'no_inbox_available'
    | 'waiting_on_followup_delays'
    | 'quota_exceeded'
    | 'not_entitled'
    | 'no_active_leads'
    | 'bounce_protection'
    | null;
  send_status_at: string | null;
  paused_reason: 'bounce_protection' | null;
  sequence_steps?: CampaignStep[];
  created_at: string;
  updated_at: string;
};

export type CampaignContact = {
  id: string;
  object: 'campaign_contact';
  campaign_id: string;
  contact_id: string;
  contact_email: string;
  current_step: number;
  status: 'active' | 'replied' | 'bounced' | 'unsubscribed' | 'finished' | 'failed' | 'removed';
  next_send_at: string | null;
  assigned_inbox_id: string | null;
  created_at: string;
  updated_at: string;
};

export type Contact = {
  id: string;
  object: 'contact';
  mode: Mode;
  email: string;
  attributes: Record<string, unknown>;
  global_status: 'ok' | 'unsubscribed' | 'bounced' | 'blacklisted';
  lead_status: 'interested' | 'meeting_booked' | 'not_interested' | null;
  created_at: string;
  updated_at: string;
};

export type ContactImport = {
  id: string;
  object: 'contact_import';
  mode: Mode;
  status: 'queued' | 'processing' | 'succeeded' | 'failed';
  total_rows: number;
  succeeded_rows: number;
  failed_rows: number;
  errors: {
    row: number;
    email: string;
    error: {
      type: string;
      code: string;
      message: string;
    };
  }[];
  audience_id: string | null;
  audience_created: boolean;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
};

export type Event = {
  id: string;
  object: 'event';
  mode: Mode;
  type: EventType;
  /** The resource that it happened to. */
  resource_id: string;
  /** The resource as it was at that moment. */
  data: Record<string, unknown>;
  /** Prior values of changed fields, on updates. */
  previous: Record<string, unknown> | null;
  /** The metadata of the originating send. */
  metadata: Record<string, unknown> | null;
  /** Counts the events of a workspace and mode, without gaps. */
  sequence: number;
  created_at: string;
};

export type SandboxConfig = {
  open_probability: number;
  click_probability: number;
  reply_probability: number;
  bounce_probability: number;
  open_delay_seconds_min: number;
  open_delay_seconds_max: number;
  click_delay_seconds_min: number;
  click_delay_seconds_max: number;
  reply_delay_seconds_min: number;
  reply_delay_seconds_max: number;
  seed: number | null;
};

export type InboxStatus = 'connecting' | 'active' | 'token_expired' | 'revoked' | 'over_quota_today' | 'unhealthy' | 'paused' | 'failed';

export type Inbox = {
  id: string;
  object: 'inbox';
  mode: Mode;
  provider: 'google' | 'microsoft' | 'mailprovider' | 'smtp' | 'sandbox';
  email_address: string;
  display_name: string | null;
  status: InboxStatus;
  status_reason: string | null;
  daily_limit: number;
  effective_daily_limit: number;
  ramp: {
    enabled: boolean;
    start: number;
    end: number;
    days: number;
    started_at: string;
  };
  min_gap_seconds: number;
  max_gap_seconds: number;
  signature_html: string | null;
  signature_text: string | null;
  reply_to: string | null;
  tags: string[];
  health_score: number | null;
  warmup_enabled: boolean;
  timezone: string;
  last_send_at: string | null;
  last_poll_at: string | null;
  created_at: string;
  revoked_at: string | null;
  sandbox_config: SandboxConfig | null;
};

export type InboxSummary = {
  id: string;
  email_address: string;
  display_name: string | null;
  status: InboxStatus;
};

export type Message = {
  id: string;
  object: 'message';
  mode: Mode;
  inbox_id: string;
  inbox?: InboxSummary | null;
  direction: 'inbound' | 'outbound';
  classification: 'reply' | 'auto_reply' | 'bounce' | 'unrelated' | null;
  verdict: {
    rule: string;
    because: string;
  } | null;
  thread_id: string;
  rfc822_message_id: string | null;
  in_reply_to: string | null;
  from_email: string | null;
  from_name: string | null;
  subject: string | null;
  bounce_type: 'hard' | 'soft' | 'unknown' | null;
  bounce_status_code: string | null;
  matched_send_id: string | null;
  received_at: string | null;
  created_at: string;
};

export type Thread = {
  id: string;
  object: 'thread';
  inbox_id: string;
  provider_thread_id: string;
  subject: string | null;
  message_count: number;
  has_reply: boolean;
  has_bounce: boolean;
  last_message_at: string | null;
  first_message_at: string | null;
  messages?: Message[];
  messages_has_more?: boolean;
};

export type Send = {
  id: string;
  object: 'send';
  mode: Mode;
  inbox_id: string;
  inbox?: InboxSummary | null;
  to_email: string;
  subject: string;
  state: 'scheduled' | 'sending' | 'sent' | 'failed' | 'canceled';
  failure_reason: string | null;
  failure_detail: string | null;
  provider_message_id: string | null;
  provider_thread_id: string | null;
  rfc822_message_id: string | null;
  attempt_count: number;
  scheduled_at: string;
  sent_at: string | null;
  canceled_at: string | null;
  created_at: string;
  campaign_id: string | null;
  metadata: Record<string, string> | null;
};

export type Suppression = {
  id: string;
  object: 'suppression';
  mode: Mode;
  email: string;
  reason: 'unsubscribe' | 'hard_bounce' | 'manual';
  source_send_id: string | null;
  created_at: string;
};

export type Workspace = {
  id: string;
  object: 'workspace';
  name: string;
  slug: string | null;
  plan: 'pro' | 'scale' | 'hyper' | null;
  plan_status: 'trialing' | 'active' | 'past_due' | null;
  trial_ends_at: string | null;
  current_period_end: string | null;
  cancel_at_period_end: boolean;
  limits: {
    contacts: number | null;
    sends_per_month: number | null;
    webhooks: number | null;
    inboxes: number | null;
  } | null;
  usage: {
    contacts: number;
    sends_this_month: number;
    webhooks: number;
    inboxes: number;
  };
  created_at: string;
};
