// Generated from the OpenAPI document by server/tools/sdk-types.ts. Do not edit.

export type ApiKey = {
  /** key_ and 26 characters. */
  id: string;
  object: 'api_key';
  name: string;
  mode: Mode;
  scope: Scope;
  /** The last four characters of the secret. */
  last_four: string;
  /** This key needs no confirm=true. */
  auto_confirm: boolean;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
};

export type ApiKeyList = {
  object: 'list';
  data: ApiKey[];
  has_more: false;
  next_cursor: null;
};

export type ApiKeyWithSecret = {
  /** key_ and 26 characters. */
  id: string;
  object: 'api_key';
  name: string;
  mode: Mode;
  scope: Scope;
  /** The last four characters of the secret. */
  last_four: string;
  /** This key needs no confirm=true. */
  auto_confirm: boolean;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  /** Shown this once. */
  secret: string;
};

export type Audience = {
  /** aud_ and 26 characters. */
  id: string;
  object: 'audience';
  mode: Mode;
  name: string;
  description: string | null;
  contact_count: number;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
};

export type AudienceAttachResult = {
  object: 'attach_result';
  attached: number;
  /** Members already, and repeated ids. */
  skipped: number;
  errors: {
    index: number;
    contact_id: string;
    error: RowProblem;
  }[];
};

export type Campaign = {
  /** cmp_ and 26 characters. */
  id: string;
  object: 'campaign';
  mode: Mode;
  name: string;
  status: CampaignStatus;
  sequence_id: string | null;
  schedule: {
    timezone: string;
    /** 0 = Sunday to 6 = Saturday. */
    daysOfWeek: number[];
    startHour: number;
    /** Exclusive; 24 = until midnight. */
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
    | 'bounce_protection' | null;
  send_status_at: string | null;
  paused_reason: 'bounce_protection' | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
  /** The campaign's own copy of the steps; only on retrieve. */
  sequence_steps?: CampaignStep[];
};

export type CampaignAttachResult = {
  object: 'attach_result';
  attached: number;
  skipped: number;
  restored: number;
  already_enrolled: number;
  not_found: number;
  skipped_reasons: {
    unsubscribed: number;
    bounced: number;
    suppressed: number;
    verification: number;
    replied: number;
    in_other_campaign: number;
  };
};

export type CampaignContact = {
  /** enr_ and 26 characters. */
  id: string;
  object: 'campaign_contact';
  /** cmp_ and 26 characters. */
  campaign_id: string;
  /** con_ and 26 characters. */
  contact_id: string;
  contact_email: string;
  current_step: number;
  status: EnrollmentStatus;
  next_send_at: string | null;
  assigned_inbox_id: string | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
};

export type CampaignStatus = 'draft' | 'running' | 'paused' | 'completed';

export type CampaignStep = {
  /** cst_ and 26 characters. */
  id: string;
  object: 'campaign_step';
  /** cmp_ and 26 characters. */
  campaign_id: string;
  source_step_id: string | null;
  step_order: number;
  /** delay_minutes in whole days, rounded down. */
  delay_days: number;
  delay_minutes: number;
  subject: string;
  body_html: string;
  body_text: string;
  variants: Variant[] | null;
  winning_variant_id: string | null;
};

export type Contact = {
  /** con_ and 26 characters. */
  id: string;
  object: 'contact';
  mode: Mode;
  /** In the spelling first given; compared without regard to case. */
  email: string;
  attributes: Record<string, unknown>;
  global_status: GlobalStatus;
  /** Set by POST /v1/contacts/{id}/lead_status; kept as attributes.lead_classification. */
  lead_status: LeadStatus | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
};

export type ContactBatchResult = {
  object: 'batch_result';
  /** The rows that hold now, known ones among them, in the order of the call. */
  created: Contact[];
  errors: {
    index: number;
    email: string;
    error: RowProblem;
  }[];
};

export type ContactImport = {
  /** imp_ and 26 characters. */
  id: string;
  object: 'contact_import';
  mode: Mode;
  /** failed: nothing could be read or imported. */
  status: 'queued' | 'processing' | 'succeeded' | 'failed';
  total_rows: number;
  succeeded_rows: number;
  failed_rows: number;
  /** The first 1,000. */
  errors: ImportError[];
  audience_id: string | null;
  audience_created: boolean;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
};

export type ContactImportDryRun = {
  /** dryrun_ and 26 characters. */
  id: string;
  object: 'contact_import_dry_run';
  mode: Mode;
  total_rows: number;
  /** Rows that would be imported, known addresses among them. */
  valid_rows: number;
  invalid_rows: number;
  errors: ImportError[];
};

export type DeletedSequenceStep = {
  /** stp_ and 26 characters. */
  id: string;
  object: 'sequence_step';
  /** seq_ and 26 characters. */
  sequence_id: string;
  step_order: number;
  /** delay_minutes in whole days, rounded down. */
  delay_days: number;
  delay_minutes: number;
  subject: string;
  body_html: string;
  body_text: string;
  variants: Variant[] | null;
  winning_variant_id: string | null;
  deleted: true;
};

export type DetachedAudienceContact = {
  object: 'audience_contact';
  /** aud_ and 26 characters. */
  audience_id: string;
  /** con_ and 26 characters. */
  contact_id: string;
  deleted: true;
};

export type EnrollmentStatus = 'active' | 'replied' | 'bounced' | 'unsubscribed' | 'finished' | 'failed' | 'removed';

export type Error = {
  error: {
    type:
      | 'invalid_request_error'
      | 'authentication_error'
      | 'permission_error'
      | 'idempotency_error'
      | 'rate_limit_error'
      | 'provider_error'
      | 'api_error';
    code:
      | 'invalid_json'
      | 'invalid_parameter'
      | 'parameter_missing'
      | 'unknown_parameter'
      | 'validation_failed'
      | 'invalid_email'
      | 'invalid_cursor'
      | 'resource_missing'
      | 'method_not_allowed'
      | 'unsupported_media_type'
      | 'payload_too_large'
      | 'invalid_api_key'
      | 'insufficient_scope'
      | 'mode_mismatch'
      | 'confirmation_required'
      | 'recipient_suppressed'
      | 'duplicate_recipient'
      | 'send_not_cancelable'
      | 'campaign_running'
      | 'campaign_not_ready'
      | 'invalid_campaign_state'
      | 'invalid_inbox_state'
      | 'no_inbox_available'
      | 'inbox_connection_failed'
      | 'import_unreadable'
      | 'duplicate_row'
      | 'plan_limit_reached'
      | 'not_entitled'
      | 'idempotency_key_reused'
      | 'idempotency_in_progress'
      | 'idempotency_replay_unavailable'
      | 'rate_limit_exceeded'
      | 'body_unavailable'
      | 'service_unavailable'
      | 'internal_error';
    /** For people; it may change. */
    message: string;
    /** The field at fault, as a path. */
    param?: string;
    /** The object that the refusal is about. */
    resource_id?: string;
    /** Every fault, where there are several. */
    problems?: Record<string, unknown>[];
    request_id?: string;
    doc_url?: string;
  };
};

export type Event = {
  /** evt_ and 26 characters. */
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
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
};

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

export type GlobalStatus = 'ok' | 'unsubscribed' | 'bounced' | 'blacklisted';

export type ImportError = {
  /** As spreadsheets count: the header is row 1. */
  row: number;
  /** As it was read. */
  email: string;
  /** The column at fault, as the header names it. */
  column: string | null;
  error: RowProblem;
};

export type Inbox = {
  /** inb_ and 26 characters. */
  id: string;
  object: 'inbox';
  mode: Mode;
  provider: 'google' | 'microsoft' | 'mailprovider' | 'smtp' | 'sandbox';
  email_address: string;
  display_name: string | null;
  status: InboxStatus;
  status_reason: string | null;
  daily_limit: number;
  /** Today's cap: daily_limit, or the ramp's value when that is lower. */
  effective_daily_limit: number;
  ramp: {
    enabled: boolean;
    start: number;
    end: number;
    days: number;
    /** RFC 3339, UTC, milliseconds. */
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
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  revoked_at: string | null;
  sandbox_config: SandboxConfig | null;
};

export type InboxStatus = 'connecting' | 'active' | 'token_expired' | 'revoked' | 'over_quota_today' | 'unhealthy' | 'paused' | 'failed';

export type LeadStatus = 'interested' | 'meeting_booked' | 'not_interested';

export type Message = {
  /** msg_ and 26 characters. */
  id: string;
  object: 'message';
  mode: Mode;
  /** inb_ and 26 characters. */
  inbox_id: string;
  direction: 'inbound' | 'outbound';
  classification: 'reply' | 'auto_reply' | 'bounce' | 'unrelated' | null;
  /** Which rule classified it, and why. */
  verdict: {
    rule: string;
    because: string;
  } | null;
  /** The provider's thread id. */
  thread_id: string;
  rfc822_message_id: string | null;
  in_reply_to: string | null;
  from_email: string | null;
  from_name: string | null;
  subject: string | null;
  bounce_type: 'hard' | 'soft' | 'unknown' | null;
  bounce_status_code: string | null;
  /** The send that this message answers. */
  matched_send_id: string | null;
  received_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
};

/** live, or test: the simulated world. */
export type Mode = 'live' | 'test';

/** Why a row was refused. */
export type RowProblem = {
  type:
    | 'invalid_request_error'
    | 'authentication_error'
    | 'permission_error'
    | 'idempotency_error'
    | 'rate_limit_error'
    | 'provider_error'
    | 'api_error';
  code: string;
  message: string;
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
  /** Makes the draws reproducible. */
  seed: number | null;
};

/** read: GET only. write: besides, what does not destroy. admin: everything. */
export type Scope = 'read' | 'write' | 'admin';

export type Send = {
  /** snd_ and 26 characters. */
  id: string;
  object: 'send';
  mode: Mode;
  /** inb_ and 26 characters. */
  inbox_id: string;
  /** Only with expand=inbox. */
  inbox?: {
    /** inb_ and 26 characters. */
    id: string;
    email_address: string;
    display_name: string | null;
    status: string;
  } | null;
  to_email: string;
  subject: string;
  state: SendState;
  failure_reason: SendFailureReason | null;
  /** The server's own words. */
  failure_detail: string | null;
  provider_message_id: string | null;
  provider_thread_id: string | null;
  rfc822_message_id: string | null;
  attempt_count: number;
  /** RFC 3339, UTC, milliseconds. */
  scheduled_at: string;
  sent_at: string | null;
  canceled_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  campaign_id: string | null;
  metadata: Record<string, string> | null;
};

export type SendFailureReason =
  | 'invalid_recipient'
  | 'recipient_rejected'
  | 'content_rejected'
  | 'suppressed'
  | 'inbox_disconnected'
  | 'authentication_failed'
  | 'rate_limited'
  | 'connection_failed'
  | 'timeout'
  | 'outcome_unknown'
  | 'message_too_large'
  | 'template_error'
  | 'quota_exceeded'
  | 'expired'
  | 'provider_error';

export type SendState = 'scheduled' | 'sending' | 'sent' | 'failed' | 'canceled';

export type Sequence = {
  /** seq_ and 26 characters. */
  id: string;
  object: 'sequence';
  mode: Mode;
  name: string;
  description: string | null;
  step_count: number;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
  /** In their order; not in lists. */
  steps?: SequenceStep[];
};

export type SequenceStep = {
  /** stp_ and 26 characters. */
  id: string;
  object: 'sequence_step';
  /** seq_ and 26 characters. */
  sequence_id: string;
  step_order: number;
  /** delay_minutes in whole days, rounded down. */
  delay_days: number;
  delay_minutes: number;
  subject: string;
  body_html: string;
  body_text: string;
  variants: Variant[] | null;
  winning_variant_id: string | null;
};

export type Suppression = {
  /** sup_ and 26 characters. */
  id: string;
  object: 'suppression';
  mode: Mode;
  email: string;
  reason: SuppressionReason;
  /** The send whose bounce or unsubscribe link led here. */
  source_send_id: string | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
};

export type SuppressionBatchResult = {
  object: 'batch_result';
  /** The rows that hold now, known ones among them, in the order of the call. */
  created: Suppression[];
  errors: {
    index: number;
    email: string;
    error: RowProblem;
  }[];
};

export type SuppressionReason = 'unsubscribe' | 'hard_bounce' | 'manual';

export type Variant = {
  id: string;
  subject: string;
  body_html: string;
  body_text: string;
  disabled: boolean;
};

export type Workspace = {
  /** wsp_ and 26 characters. */
  id: string;
  object: 'workspace';
  name: string;
  slug: string | null;
  /** null without an entitling subscription. */
  plan: 'pro' | 'scale' | 'hyper' | null;
  plan_status: 'trialing' | 'active' | 'past_due' | null;
  trial_ends_at: string | null;
  current_period_end: string | null;
  cancel_at_period_end: boolean;
  limits: {
    /** null is without limit. */
    contacts: number | null;
    /** null is without limit. */
    sends_per_month: number | null;
    /** null is without limit. */
    webhooks: number | null;
    /** null is without limit. */
    inboxes: number | null;
  } | null;
  /** Live activity only; the month is the UTC calendar month. */
  usage: {
    contacts: number;
    sends_this_month: number;
    webhooks: number;
    inboxes: number;
  };
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
};

export type AddCampaignContactsBody = {
  contact_ids?: string[];
  audience_id?: string;
  skip_if_in_other_campaign?: boolean;
};

export type AddCampaignContactsResult = CampaignAttachResult;

export type CancelSendResult = Send;

export type ConnectSmtpInboxBody = {
  email_address: string;
  display_name?: string;
  smtp: {
    host: string;
    port: number;
    security: 'ssl' | 'starttls';
    username?: string;
    password: string;
  };
  imap: {
    host: string;
    port: number;
    security: 'ssl' | 'starttls';
    username?: string;
    password?: string;
  };
};

export type ConnectSmtpInboxResult = Inbox;

export type CreateApiKeyBody = {
  name: string;
  scope?: Scope;
  /** The calling key's own mode, which is also the default. */
  mode?: Mode;
  auto_confirm?: boolean;
};

export type CreateApiKeyResult = ApiKeyWithSecret;

export type CreateAudienceBody = {
  name: string;
  description?: string | null;
};

export type CreateAudienceResult = Audience;

export type CreateAudienceContactBody = {
  contact_ids: string[];
};

export type CreateAudienceContactResult = AudienceAttachResult;

export type CreateCampaignBody = {
  name: string;
  sequence_id: string;
  sending_inbox_ids?: string[];
  sending_inbox_tags?: string[];
  schedule?: {
    timezone?: string;
    daysOfWeek?: number[];
    startHour?: number;
    endHour?: number;
  };
  track_opens?: boolean;
  track_clicks?: boolean;
  inject_unsubscribe_footer?: boolean;
};

export type CreateCampaignResult = Campaign;

export type CreateContactBody = {
  email: string;
  attributes?: Record<string, unknown>;
  global_status?: GlobalStatus;
};

export type CreateContactResult = Contact;

export type CreateContactBatchBody = {
  contacts: unknown[];
};

export type CreateContactBatchResult = ContactBatchResult;

export type CreateContactImportBody = {
  /** Names of columns, as JSON: {"email": "Work Email", "attributes": {"company": "Organisation"}}. */
  mapping?: string;
  /** aud_ and 26 characters. */
  audience_id?: string;
  /** Makes an audience of this name. */
  audience_name?: string;
  /** upsert merges attributes into known contacts; skip leaves them as they are. */
  on_conflict?: 'upsert' | 'skip';
  /** The text of the file. */
  csv: string;
};

export type CreateContactImportQuery = {
  dry_run?: 'true' | 'false';
};

export type CreateContactImportResult = ContactImport | ContactImportDryRun;

export type CreateSandboxInboxBody = {
  email_address?: string;
  display_name?: string;
  sandbox_config?: {
    open_probability?: number;
    click_probability?: number;
    reply_probability?: number;
    bounce_probability?: number;
    open_delay_seconds_min?: number;
    open_delay_seconds_max?: number;
    click_delay_seconds_min?: number;
    click_delay_seconds_max?: number;
    reply_delay_seconds_min?: number;
    reply_delay_seconds_max?: number;
    seed?: number | null;
  };
};

export type CreateSandboxInboxResult = Inbox;

export type CreateSendBody = {
  /** An address, or {email, name}. */
  to: string | {
    email: string;
    name?: string;
  };
  subject: string;
  inbox_id: string;
  body_html?: string;
  body_text?: string;
  variables?: Record<string, unknown>;
  send_at?: string | null;
  /** A Message-ID in angle brackets. */
  in_reply_to_message_id?: string;
  metadata?: Record<string, string>;
  append_signature?: boolean;
};

export type CreateSendResult = Send;

export type CreateSequenceBody = {
  name: string;
  description?: string | null;
  steps?: ({
    /** 0-based. A new step goes before the one at this position; without it, to the end. */
    step_order?: number;
    /** Whole days; counts only without delay_minutes. */
    delay_days?: number;
    /** Wait after the step before; of the first, after enrollment. */
    delay_minutes?: number;
    /** May be blank on a follow-up, which then goes into the same thread. */
    subject?: string;
    body_html?: string;
    body_text?: string;
    /** Replace the variants; null or empty ends the A/B test. */
    variants?: {
      /** Of a variant that the step has, to keep it; without one the variant is new. */
      id?: string;
      subject?: string;
      body_html?: string;
      body_text?: string;
      disabled?: boolean;
    }[] | null;
    /** Send this variant only. */
    winning_variant_id?: string | null;
  })[];
};

export type CreateSequenceResult = Sequence;

export type CreateSequenceStepBody = {
  /** 0-based. A new step goes before the one at this position; without it, to the end. */
  step_order?: number;
  /** Whole days; counts only without delay_minutes. */
  delay_days?: number;
  /** Wait after the step before; of the first, after enrollment. */
  delay_minutes?: number;
  /** May be blank on a follow-up, which then goes into the same thread. */
  subject?: string;
  body_html?: string;
  body_text?: string;
  /** Replace the variants; null or empty ends the A/B test. */
  variants?: {
    /** Of a variant that the step has, to keep it; without one the variant is new. */
    id?: string;
    subject?: string;
    body_html?: string;
    body_text?: string;
    disabled?: boolean;
  }[] | null;
  /** Send this variant only. */
  winning_variant_id?: string | null;
};

export type CreateSequenceStepResult = SequenceStep;

export type CreateSuppressionBody = {
  email: string;
  reason?: SuppressionReason;
};

export type CreateSuppressionResult = Suppression;

export type CreateSuppressionBatchBody = {
  suppressions: unknown[];
};

export type CreateSuppressionBatchResult = SuppressionBatchResult;

export type DeleteApiKeyQuery = {
  confirm?: string;
};

export type DeleteApiKeyResult = ApiKey;

export type DeleteAudienceQuery = {
  confirm?: string;
};

export type DeleteAudienceResult = Audience;

export type DeleteAudienceContactResult = DetachedAudienceContact;

export type DeleteContactResult = Contact;

export type DeleteSequenceResult = Sequence;

export type DeleteSequenceStepResult = DeletedSequenceStep;

export type DeleteSuppressionResult = Suppression;

export type ListApiKeysResult = ApiKeyList;

export type ListAudiencesQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
};

export type ListAudiencesResult = {
  object: 'list';
  data: Audience[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListCampaignContactsQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  status?: EnrollmentStatus;
  email?: string;
};

export type ListCampaignContactsResult = {
  object: 'list';
  data: CampaignContact[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListCampaignsQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  status?: CampaignStatus;
};

export type ListCampaignsResult = {
  object: 'list';
  data: Campaign[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListContactImportsQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
};

export type ListContactImportsResult = {
  object: 'list';
  data: ContactImport[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListContactsQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  email?: string;
  /** Text in the address or in a value of an attribute, literally, whatever the case. */
  q?: string;
  global_status?: GlobalStatus;
  lead_status?: LeadStatus;
};

export type ListContactsResult = {
  object: 'list';
  data: Contact[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListEventsQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  type?: EventType;
  resource_id?: string;
};

export type ListEventsResult = {
  object: 'list';
  data: Event[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListInboxesQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  provider?: 'google' | 'microsoft' | 'mailprovider' | 'smtp' | 'sandbox';
  status?: InboxStatus;
  tag?: string;
};

export type ListInboxesResult = {
  object: 'list';
  data: Inbox[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListMessagesQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  inbox_id?: string;
  direction?: 'inbound' | 'outbound';
  classification?: 'reply' | 'auto_reply' | 'bounce' | 'unrelated';
  thread_id?: string;
};

export type ListMessagesResult = {
  object: 'list';
  data: Message[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListSendsQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  inbox_id?: string;
  state?: SendState;
  expand?: 'inbox';
};

export type ListSendsResult = {
  object: 'list';
  data: Send[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListSequencesQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
};

export type ListSequencesResult = {
  object: 'list';
  data: Sequence[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListSuppressionsQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  email?: string;
  reason?: SuppressionReason;
};

export type ListSuppressionsResult = {
  object: 'list';
  data: Suppression[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type PauseCampaignResult = Campaign;

export type ReorderSequenceStepsBody = {
  /** Every step, in the new order. */
  step_ids: string[];
};

export type ReorderSequenceStepsResult = Sequence;

export type ResumeCampaignResult = Campaign;

export type RetrieveAudienceResult = Audience;

export type RetrieveCampaignResult = Campaign;

export type RetrieveContactResult = Contact;

export type RetrieveContactImportResult = ContactImport;

export type RetrieveEventResult = Event;

export type RetrieveInboxResult = Inbox;

export type RetrieveMessageResult = Message;

export type RetrieveSendQuery = {
  expand?: 'inbox';
};

export type RetrieveSendResult = Send;

export type RetrieveSequenceResult = Sequence;

export type RetrieveSuppressionResult = Suppression;

export type RetrieveWorkspaceResult = Workspace;

export type RotateApiKeyQuery = {
  confirm?: string;
};

export type RotateApiKeyResult = ApiKeyWithSecret;

export type SetLeadStatusBody = {
  lead_status: LeadStatus;
  /** Limits not_interested to this campaign's enrollment. */
  campaign_id?: string;
};

export type SetLeadStatusResult = Contact;

export type StartCampaignResult = Campaign;

export type UpdateAudienceBody = {
  name?: string;
  description?: string | null;
};

export type UpdateAudienceResult = Audience;

export type UpdateContactBody = {
  /** Merged into those that are there; a key set to null is removed. */
  attributes?: Record<string, unknown>;
  global_status?: GlobalStatus;
};

export type UpdateContactResult = Contact;

export type UpdateInboxBody = {
  display_name?: string | null;
  status?: 'active' | 'paused';
  daily_limit?: number;
  ramp?: {
    enabled?: boolean;
    start?: number;
    end?: number;
    days?: number;
  };
  min_gap_seconds?: number;
  max_gap_seconds?: number;
  signature_html?: string | null;
  reply_to?: string | null;
  timezone?: string;
  tags?: string[];
  warmup_enabled?: boolean;
  sandbox_config?: {
    open_probability?: number;
    click_probability?: number;
    reply_probability?: number;
    bounce_probability?: number;
    open_delay_seconds_min?: number;
    open_delay_seconds_max?: number;
    click_delay_seconds_min?: number;
    click_delay_seconds_max?: number;
    reply_delay_seconds_min?: number;
    reply_delay_seconds_max?: number;
    seed?: number | null;
  };
};

export type UpdateInboxResult = Inbox;

export type UpdateSequenceBody = {
  name?: string;
  description?: string | null;
};

export type UpdateSequenceResult = Sequence;

export type UpdateSequenceStepBody = {
  /** 0-based. A new step goes before the one at this position; without it, to the end. */
  step_order?: number;
  /** Whole days; counts only without delay_minutes. */
  delay_days?: number;
  /** Wait after the step before; of the first, after enrollment. */
  delay_minutes?: number;
  /** May be blank on a follow-up, which then goes into the same thread. */
  subject?: string;
  body_html?: string;
  body_text?: string;
  /** Replace the variants; null or empty ends the A/B test. */
  variants?: {
    /** Of a variant that the step has, to keep it; without one the variant is new. */
    id?: string;
    subject?: string;
    body_html?: string;
    body_text?: string;
    disabled?: boolean;
  }[] | null;
  /** Send this variant only. */
  winning_variant_id?: string | null;
};

export type UpdateSequenceStepResult = SequenceStep;
