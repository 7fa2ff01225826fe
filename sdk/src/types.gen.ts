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
  revoked_at: null;
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

export type BulkSendResult = {
  object: 'bulk_send_result';
  /** In the order of the recipients. */
  created: Send[];
  errors: {
    /** The place in `to`, from 0. */
    index: number;
    /** The address as it was sent; empty where there was none. */
    recipient: string;
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
  /** Put a pixel into HTML bodies and tell `message.opened`. */
  track_opens: boolean;
  /** Follow http and https links of HTML bodies and tell `message.clicked`. */
  track_clicks: boolean;
  /** Add a visible unsubscribe link to bodies that have none. The List-Unsubscribe headers are there in any case. */
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
  /** Enrolled now, restored ones among them. */
  attached: number;
  /** already_enrolled and every skip reason together. */
  skipped: number;
  /** Had been removed and go on at the step where they stopped. */
  restored: number;
  already_enrolled: number;
  not_found: number;
  skipped_reasons: EnrollSkipReasons;
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

export type CampaignContactExplanation = {
  object: 'campaign_contact_explanation';
  /** cmp_ and 26 characters. */
  campaign_id: string;
  /** con_ and 26 characters. */
  contact_id: string;
  status: EnrollmentStatus;
  current_step: number;
  /** The planner, asked at this moment, writes down the next mail: every gate is open. */
  eligible: boolean;
  /** The first gate that is shut. */
  blocked_by:
    | 'campaign_status'
    | 'bounce_protection'
    | 'lead_status'
    | 'contact_status'
    | 'suppression'
    | 'open_send'
    | 'delay'
    | 'plan'
    | 'quota'
    | 'schedule'
    | 'inbox_status'
    | 'inbox_cap'
    | 'inbox_gap'
    | 'turn' | null;
  /** When all shut gates have opened by time alone; null when one of them needs something else, or it is only not its turn. */
  next_eligible_at: string | null;
  /** Every gate, in the order in which they are asked. */
  gates: CampaignContactGate[];
  /** RFC 3339, UTC, milliseconds. */
  as_of: string;
};

export type CampaignContactGate = {
  gate:
    | 'campaign_status'
    | 'bounce_protection'
    | 'lead_status'
    | 'contact_status'
    | 'suppression'
    | 'open_send'
    | 'delay'
    | 'plan'
    | 'quota'
    | 'schedule'
    | 'inbox_status'
    | 'inbox_cap'
    | 'inbox_gap'
    | 'turn';
  passes: boolean;
  /** What was looked at. */
  value: string | null;
  /** In a sentence. */
  because: string;
  /** When time alone opens it; null where it is open, or something else must happen. */
  until: string | null;
};

export type CampaignDryRun = {
  object: 'campaign_start_dry_run';
  /** Nothing stands in the way of a start. */
  ok: boolean;
  /** A start refuses with campaign_not_ready and the same list. */
  errors: CampaignFault[];
  warnings: CampaignFault[];
  /** Those who would be written to. */
  contacts: number;
  first_send_at: string | null;
  /** null when nothing would be sent, or the forecast is not whole. */
  estimated_completion_at: string | null;
  /** By day and inbox, if nobody answers and the inboxes work for this campaign alone: an upper bound. At most 400 days. */
  forecast: CampaignForecastDay[];
};

export type CampaignFault = {
  code:
    | 'no_inbox'
    | 'empty_subject'
    | 'empty_body'
    | 'template_problem'
    | 'too_large'
    | 'no_contacts'
    | 'contact_not_sendable'
    | 'inbox_cannot_send'
    | 'unresolved_variable'
    | 'quota_exceeded'
    | 'forecast_cut';
  message: string;
  step_id: string | null;
  step_order: number | null;
  /** null for the step's own text. */
  variant_id: string | null;
  variable: string | null;
  /** How many contacts, inboxes or sends it concerns; null when it does not depend on them. */
  count: number | null;
  /** Up to 10 of these contacts or inboxes. */
  sample_ids: string[];
};

export type CampaignForecastDay = {
  /** The inbox's local day, YYYY-MM-DD. */
  date: string;
  /** inb_ and 26 characters. */
  inbox_id: string;
  /** What the inbox's cap of that day leaves at most. */
  room: number;
  sends: number;
  new_contacts: number;
  follow_ups: number;
  /** RFC 3339, UTC, milliseconds. */
  first_send_at: string;
  /** RFC 3339, UTC, milliseconds. */
  last_send_at: string;
};

export type CampaignMoveResult = {
  object: 'move_result';
  /** Enrolled now, restored ones among them. */
  attached: number;
  /** already_enrolled and every skip reason together. */
  skipped: number;
  /** Had been removed and go on at the step where they stopped. */
  restored: number;
  already_enrolled: number;
  /** Unknown, or never enrolled in the source. */
  not_found: number;
  skipped_reasons: EnrollSkipReasons;
  /** Were active there, are enrolled in the target now, and left. */
  removed_from_source: number;
  /** cmp_ and 26 characters. */
  source_campaign_id: string;
  /** cmp_ and 26 characters. */
  target_campaign_id: string;
  kept_in_source: boolean;
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
  auto_winner: {
    metric: 'reply' | 'click' | 'open';
    min_sends: number;
  } | null;
};

export type ConnectLink = {
  object: 'connect_link';
  /** One-time; to be opened in the browser of whoever owns the mailbox. */
  url: string;
  /** RFC 3339, UTC, milliseconds. */
  expires_at: string;
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
  /** Rows below the header; 0 until a queued import is processed. */
  total_rows: number;
  /** Rises while the import is processed. */
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

export type DeletedCampaignStep = {
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
  auto_winner: {
    metric: 'reply' | 'click' | 'open';
    min_sends: number;
  } | null;
  deleted: true;
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
  auto_winner: {
    metric: 'reply' | 'click' | 'open';
    min_sends: number;
  } | null;
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

export type EnrollSkipReasons = {
  unsubscribed: number;
  bounced: number;
  /** On the suppression list, or blacklisted. */
  suppressed: number;
  /** attributes.verification_status is 'invalid' or 'risky'. */
  verification: number;
  /** Has answered in this campaign. */
  replied: number;
  in_other_campaign: number;
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
      | 'invalid_webhook_state'
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
  | 'campaign.winner_chosen'
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
  /** It belongs to the pool of inboxes that warm each other up. */
  warmup_enabled: boolean;
  timezone: string;
  last_send_at: string | null;
  last_poll_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  revoked_at: string | null;
  sandbox_config: SandboxConfig | null;
};

export type InboxBudget = {
  object: 'inbox_budget';
  /** inb_ and 26 characters. */
  inbox_id: string;
  status: InboxStatus;
  /** The sending day, in the inbox's time zone. */
  date: string;
  timezone: string;
  /** RFC 3339, UTC, milliseconds. */
  day_started_at: string;
  /** When the count begins anew. */
  day_resets_at: string;
  daily_limit: number;
  /** Today's cap, the ramp reckoned with. */
  effective_daily_limit: number;
  /** Units taken today. Replies take one each, even beyond the cap. */
  used: number;
  left: number;
  /** When the inbox may send next, by cap and gap; null while its status forbids it. */
  next_free_at: string | null;
  /** Which send took which unit of the day, null for a mail of the warm-up: none is taken twice. */
  units: {
    unit: number;
    send_id: string | null;
  }[];
};

export type InboxStatus = 'connecting' | 'active' | 'token_expired' | 'revoked' | 'over_quota_today' | 'unhealthy' | 'paused' | 'failed';

export type InboxWarmup = {
  object: 'inbox_warmup';
  /** inb_ and 26 characters. */
  inbox_id: string;
  enabled: boolean;
  /** When it joined the pool; null while it does not belong to it. */
  started_at: string | null;
  /** The day of its ramp, counted from 1. */
  ramp_day: number | null;
  /** Warm-up mails that it may send today: its ramp, the operator's limit, at most half of the day's cap. */
  daily_limit: number;
  sent_today: number;
  totals: {
    /** Warm-up mails that left by it. */
    sent: number;
    /** Warm-up mails that came to it, on the day on which they came. */
    received: number;
    /** Of those that left: found in the inbox of their recipient. */
    landed_in_inbox: number;
    /** Of those that left: found in Junk. */
    landed_in_junk: number;
    /** Of those in Junk: moved to the inbox by their recipient. */
    rescued: number;
    /** Of those that left: answered. */
    answered: number;
  };
  /** The last thirty days by its calendar, oldest first. */
  days: {
    date: string;
    /** Warm-up mails that left by it. */
    sent: number;
    /** Warm-up mails that came to it, on the day on which they came. */
    received: number;
    /** Of those that left: found in the inbox of their recipient. */
    landed_in_inbox: number;
    /** Of those that left: found in Junk. */
    landed_in_junk: number;
    /** Of those in Junk: moved to the inbox by their recipient. */
    rescued: number;
    /** Of those that left: answered. */
    answered: number;
  }[];
};

export type LeadStatus = 'interested' | 'meeting_booked' | 'not_interested';

export type Message = {
  /** msg_ and 26 characters. */
  id: string;
  object: 'message';
  mode: Mode;
  /** inb_ and 26 characters. */
  inbox_id: string;
  /** Only with expand=inbox; null when the inbox is missing. */
  inbox?: {
    /** inb_ and 26 characters. */
    id: string;
    email_address: string;
    display_name: string | null;
    status: string;
  } | null;
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

export type MessageBody = {
  object: 'message_body';
  /** msg_ and 26 characters. */
  message_id: string;
  /** The HTML as it came, without scripts, event handlers, style sheets, forms, frames and whatever else acts. Pictures from elsewhere stay: show it in a sandboxed frame. Null when the message has no HTML, and for sandbox inboxes. */
  html: string | null;
  /** The plain text as it came. Null when the message has none, and for sandbox inboxes. */
  text: string | null;
  /** There is more than is shown: 4 MiB of a message are read, and 1 Mi characters of each form. */
  truncated: boolean;
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
  /** Only with expand=inbox; null when the inbox is missing. */
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
  /** What the provider calls the message once it has taken it; over SMTP that is its Message-ID. */
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
  auto_winner: {
    metric: 'reply' | 'click' | 'open';
    min_sends: number;
  } | null;
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

export type TestClock = {
  object: 'test_clock';
  /** RFC 3339, UTC, milliseconds. */
  now: string;
  /** How far test mode is ahead of real time. */
  advanced_seconds: number;
};

export type TestClockAdvance = {
  object: 'test_clock';
  /** RFC 3339, UTC, milliseconds. */
  now: string;
  /** By how much this call has moved the clock. */
  advanced_seconds: number;
  /** How many sends and reactions of recipients were carried out on the way. */
  processed: number;
};

export type Thread = {
  /** thr_, the inbox id's 26 characters, _, and the provider's thread id in base64url. */
  id: string;
  object: 'thread';
  mode: Mode;
  /** inb_ and 26 characters. */
  inbox_id: string;
  provider_thread_id: string;
  /** Of its first message that has one. */
  subject: string | null;
  message_count: number;
  has_reply: boolean;
  has_bounce: boolean;
  last_message_at: string | null;
  first_message_at: string | null;
  /** Only on retrieve: the newest 100, oldest first. */
  messages?: Message[];
  /** Only on retrieve: whether there are older ones. */
  messages_has_more?: boolean;
};

export type Variant = {
  id: string;
  subject: string;
  body_html: string;
  body_text: string;
  disabled: boolean;
};

/** One attempt to deliver an event, kept for 30 days. */
export type WebhookDelivery = {
  /** whd_ and 26 characters. */
  id: string;
  object: 'webhook_delivery';
  mode: Mode;
  /** whk_ and 26 characters. */
  webhook_id: string;
  /** evt_ and 26 characters. */
  event_id: string;
  event_type: string;
  /** Counts what was tried of this event at this endpoint; no number is used twice. */
  attempt: number;
  status: 'pending' | 'succeeded' | 'failed';
  trigger: 'event' | 'retry' | 'redeliver' | 'test' | 'verification';
  /** As they were sent, the signatures taken out; null before the attempt. */
  request_headers: Record<string, string> | null;
  request_body: string;
  /** The body of the answer is not kept. */
  response_status: number | null;
  /** `timeout`: not done within 15 seconds, from the look-up of the name to the last byte of the answer. `reset`: the exchange broke off, at either end, or what came was no HTTP. `blocked_address`: the name led to an address that is not public. `redirect`, `status`: the answer was not a 2xx. */
  error: 'timeout' | 'dns' | 'tls' | 'refused' | 'reset' | 'redirect' | 'blocked_address' | 'status' | null;
  latency_ms: number | null;
  /** Of a pending one when it is due, of a failed one when it is tried again. */
  next_attempt_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
};

export type WebhookEndpoint = {
  /** whk_ and 26 characters. */
  id: string;
  object: 'webhook_endpoint';
  mode: Mode;
  url: string;
  /** Event types, or `*` alone for every one. */
  enabled_events: string[];
  description: string | null;
  /** Since when it has proved itself. Before, it is sent the verification event and nothing else. */
  verified_at: string | null;
  disabled: boolean;
  /** `failing`: every attempt of 7 days, 7 at least, has failed. */
  disabled_reason: 'manual' | 'failing' | null;
  /** Attempts that have failed since the last success. */
  consecutive_failures: number;
  /** While deliveries succeed this is noted about once a second. */
  last_success_at: string | null;
  last_failure_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
};

export type WebhookEndpointWithSecret = {
  /** whk_ and 26 characters. */
  id: string;
  object: 'webhook_endpoint';
  mode: Mode;
  url: string;
  /** Event types, or `*` alone for every one. */
  enabled_events: string[];
  description: string | null;
  /** Since when it has proved itself. Before, it is sent the verification event and nothing else. */
  verified_at: string | null;
  disabled: boolean;
  /** `failing`: every attempt of 7 days, 7 at least, has failed. */
  disabled_reason: 'manual' | 'failing' | null;
  /** Attempts that have failed since the last success. */
  consecutive_failures: number;
  /** While deliveries succeed this is noted about once a second. */
  last_success_at: string | null;
  last_failure_at: string | null;
  /** RFC 3339, UTC, milliseconds. */
  created_at: string;
  /** RFC 3339, UTC, milliseconds. */
  updated_at: string;
  /** The signing secret, `whsec_…`. Shown this once. */
  secret: string;
};

/** What an endpoint is sent. */
export type WebhookEvent = {
  /** The event. The same in every attempt: use it to pass over what you have seen. */
  id: string;
  object: 'event';
  type: string;
  mode: 'live' | 'test';
  /** The resource that it happened to. */
  resource_id: string;
  /** Counts the events of the workspace and mode without a gap; null for verifications and tests, which stand in no log. */
  sequence: number | null;
  created_at: string;
  workspace_id: string;
  /** The resource as its GET showed it at that moment. */
  data: Record<string, unknown>;
  /** The metadata of the originating send. */
  metadata: Record<string, unknown> | null;
  /** The values before of what has changed, on updates. */
  previous: Record<string, unknown> | null;
};

/** The events that are delivered again, by their sequence, as far as the endpoint wants them. */
export type WebhookReplay = {
  object: 'webhook_replay';
  /** whk_ and 26 characters. */
  webhook_id: string;
  from_sequence: number;
  to_sequence: number;
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
  /** aud_ and 26 characters. */
  audience_id?: string;
  skip_if_in_other_campaign?: boolean;
};

export type AddCampaignContactsResult = CampaignAttachResult;

export type AdvanceTestClockBody = {
  /** An instant later than the clock shows, at most 400 days. */
  to?: string;
  seconds?: number;
};

export type AdvanceTestClockResult = TestClockAdvance;

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
  /** seq_ and 26 characters. */
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

export type CreateCampaignStepBody = {
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
  /** Send this variant only; the step's own id: its own text only. null: all of them, drawn evenly. */
  winning_variant_id?: string | null;
  /** End the A/B test by itself: once the step's own text and each variant that is not disabled were sent min_sends times, the one with the highest share of mails that a person answered, clicked or opened becomes winning_variant_id, and stays it. While the best are level there is none. Needs variants. */
  auto_winner?: {
    metric: 'reply' | 'click' | 'open';
    min_sends?: number;
  } | null;
};

export type CreateCampaignStepResult = CampaignStep;

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

export type CreateContactImportResult = ContactImport | ContactImportDryRun | ContactImport;

export type CreateGoogleConnectLinkBody = {
  /** Where the browser goes in the end. Anything but an https address on the dashboard's own origin is replaced by /dashboard/inboxes. */
  redirect_url?: string;
};

export type CreateGoogleConnectLinkResult = ConnectLink;

export type CreateMailproviderConnectLinkBody = {
  /** Where the browser goes in the end. Anything but an https address on the dashboard's own origin is replaced by /dashboard/inboxes. */
  redirect_url?: string;
};

export type CreateMailproviderConnectLinkResult = ConnectLink;

export type CreateMicrosoftConnectLinkBody = {
  /** Where the browser goes in the end. Anything but an https address on the dashboard's own origin is replaced by /dashboard/inboxes. */
  redirect_url?: string;
};

export type CreateMicrosoftConnectLinkResult = ConnectLink;

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
  /** An address, {email, name}, or 1 to 1,000 of either. */
  to: string | {
    email: string;
    name?: string;
  } | (string | {
    email: string;
    name?: string;
  })[];
  subject: string;
  /** Short for the strategy `single`, but for the form of the answer. */
  inbox_id?: string;
  from_strategy?: {
    type: 'single';
    /** inb_ and 26 characters. */
    inbox_id: string;
  } | {
    /** Round-robin, also from call to call. */
    type: 'rotate';
    /** Default: every active inbox. One that is named twice counts once. */
    inbox_ids?: string[];
  } | {
    /** The inbox with most of today's allowance left. */
    type: 'least_busy';
    /** Default: every active inbox. One that is named twice counts once. */
    inbox_ids?: string[];
  };
  body_html?: string;
  body_text?: string;
  variables?: Record<string, unknown>;
  /** Comes back on every event of the send. */
  metadata?: Record<string, string>;
  append_signature?: boolean;
  /** Default: at once, as a time in the past is. At most a year ahead. */
  send_at?: string | null;
  /** A thr_ id. The send answers the thread's latest message, from its inbox, and no daily cap holds it back. */
  thread_id?: string;
  /** A Message-ID in angle brackets. */
  in_reply_to_message_id?: string;
  cc?: (string | {
    email: string;
    name?: string;
  })[];
  /** They get the message, and nothing in it names them. */
  bcc?: (string | {
    email: string;
    name?: string;
  })[];
  /** Default: the inbox's reply_to. */
  reply_to?: string;
  /** X-* and List-* headers only, at most 20, of 900 characters each. */
  headers?: Record<string, string>;
  /** Up to 10 files, 10 MiB together once decoded. */
  attachments?: {
    filename: string;
    /** base64. */
    content: string;
    /** Default: by the ending of the filename, else application/octet-stream. */
    content_type?: string;
  }[];
  /** Put a pixel into the HTML body and tell `message.opened`. */
  track_opens?: boolean;
  /** Follow the http and https links of the HTML body and tell `message.clicked`. */
  track_clicks?: boolean;
};

/** Several recipients, or any from_strategy: a bulk result. */
export type CreateSendResult = Send | BulkSendResult;

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
    /** Send this variant only; the step's own id: its own text only. null: all of them, drawn evenly. */
    winning_variant_id?: string | null;
    /** End the A/B test by itself: once the step's own text and each variant that is not disabled were sent min_sends times, the one with the highest share of mails that a person answered, clicked or opened becomes winning_variant_id, and stays it. While the best are level there is none. Needs variants. */
    auto_winner?: {
      metric: 'reply' | 'click' | 'open';
      min_sends?: number;
    } | null;
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
  /** Send this variant only; the step's own id: its own text only. null: all of them, drawn evenly. */
  winning_variant_id?: string | null;
  /** End the A/B test by itself: once the step's own text and each variant that is not disabled were sent min_sends times, the one with the highest share of mails that a person answered, clicked or opened becomes winning_variant_id, and stays it. While the best are level there is none. Needs variants. */
  auto_winner?: {
    metric: 'reply' | 'click' | 'open';
    min_sends?: number;
  } | null;
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

export type CreateThreadReplyBody = {
  /** Default: Re: and the last subject in the thread. */
  subject?: string;
  body_html?: string;
  body_text?: string;
  variables?: Record<string, unknown>;
  /** Comes back on every event of the send. */
  metadata?: Record<string, string>;
  append_signature?: boolean;
  /** Default: who wrote the most recent inbound message that is no bounce report. */
  to?: string;
};

export type CreateThreadReplyResult = Send;

export type CreateWebhookBody = {
  /** https; http also in test mode. No credentials and no fragment. The host must be public, unless the operator lets test mode go elsewhere. */
  url: string;
  /** Event types, or `*` alone for every one, those of high volume among them. */
  enabled_events: (
    | '*'
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
    | 'campaign.winner_chosen'
    | 'import.completed'
    | 'import.failed'
    | 'usage.threshold_reached'
    | 'webhook.delivery.failed')[];
  description?: string | null;
};

export type CreateWebhookResult = WebhookEndpointWithSecret;

export type DeleteApiKeyQuery = {
  confirm?: string;
};

export type DeleteApiKeyResult = ApiKey;

export type DeleteAudienceQuery = {
  confirm?: string;
};

export type DeleteAudienceResult = Audience;

export type DeleteAudienceContactResult = DetachedAudienceContact;

export type DeleteCampaignQuery = {
  confirm?: string;
};

export type DeleteCampaignResult = Campaign;

export type DeleteCampaignStepResult = DeletedCampaignStep;

export type DeleteContactResult = Contact;

export type DeleteInboxQuery = {
  /** Must be `true`, unless the key confirms by itself. */
  confirm?: 'true';
};

export type DeleteInboxResult = Inbox;

export type DeleteSequenceResult = Sequence;

export type DeleteSequenceStepResult = DeletedSequenceStep;

export type DeleteSuppressionResult = Suppression;

export type DeleteWebhookResult = WebhookEndpoint;

export type ExplainCampaignContactResult = CampaignContactExplanation;

export type ListApiKeysResult = ApiKeyList;

export type ListAudiencesQuery = {
  /** How many at most. */
  limit?: number;
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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

export type ListCampaignStepsQuery = {
  /** How many at most. */
  limit?: number;
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
  ending_before?: string;
};

export type ListCampaignStepsResult = {
  object: 'list';
  data: CampaignStep[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListCampaignsQuery = {
  /** How many at most. */
  limit?: number;
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
  ending_before?: string;
  type?: EventType;
  resource_id?: string;
  /** Only events with a greater sequence: what came since a reader was here last. */
  after_sequence?: number;
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
  ending_before?: string;
  inbox_id?: string;
  direction?: 'inbound' | 'outbound';
  classification?: 'reply' | 'auto_reply' | 'bounce' | 'unrelated';
  /** The provider's thread id, or a thr_ id. */
  thread_id?: string;
  expand?: 'inbox';
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
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

export type ListThreadsQuery = {
  /** How many at most. */
  limit?: number;
  starting_after?: string;
  ending_before?: string;
  inbox_id?: string;
  has_reply?: 'true' | 'false';
};

export type ListThreadsResult = {
  object: 'list';
  data: Thread[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListWebhookDeliveriesQuery = {
  /** How many at most. */
  limit?: number;
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
  ending_before?: string;
  status?: 'pending' | 'succeeded' | 'failed';
  event_type?: string;
  event_id?: string;
};

export type ListWebhookDeliveriesResult = {
  object: 'list';
  data: WebhookDelivery[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type ListWebhooksQuery = {
  /** How many at most. */
  limit?: number;
  /** `next_cursor` of a page, or the id of an object: what is older. */
  starting_after?: string;
  /** `prev_cursor` of a page, or the id of an object: what is newer. */
  ending_before?: string;
};

export type ListWebhooksResult = {
  object: 'list';
  data: WebhookEndpoint[];
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
};

export type MoveCampaignContactsBody = {
  /** cmp_ and 26 characters. */
  to_campaign_id: string;
  contact_ids?: string[];
  /** Without contact_ids: every contact whose enrollment has this status. With contact_ids it is not looked at. */
  status?: 'active' | 'replied' | 'bounced' | 'unsubscribed' | 'finished' | 'failed';
  /** Copy instead of move. */
  keep_in_source?: boolean;
  /** Others than these two; when copying, than the target. */
  skip_if_in_other_campaign?: boolean;
};

export type MoveCampaignContactsResult = CampaignMoveResult;

export type PauseCampaignResult = Campaign;

export type RedeliverWebhookDeliveryResult = WebhookDelivery;

export type ReorderCampaignStepsBody = {
  /** Every step, in the new order. */
  step_ids: string[];
};

export type ReorderCampaignStepsResult = Campaign;

export type ReorderSequenceStepsBody = {
  /** Every step, in the new order. */
  step_ids: string[];
};

export type ReorderSequenceStepsResult = Sequence;

export type ReplayWebhookBody = {
  /** The `sequence` of the first event to deliver again. */
  from_sequence: number;
};

export type ReplayWebhookResult = WebhookReplay;

export type ResumeCampaignResult = Campaign;

export type RetrieveAudienceResult = Audience;

export type RetrieveCampaignResult = Campaign;

export type RetrieveContactResult = Contact;

export type RetrieveContactImportResult = ContactImport;

export type RetrieveEventResult = Event;

export type RetrieveInboxResult = Inbox;

export type RetrieveInboxBudgetResult = InboxBudget;

export type RetrieveInboxWarmupResult = InboxWarmup;

export type RetrieveMessageQuery = {
  expand?: 'inbox';
};

export type RetrieveMessageResult = Message;

export type RetrieveMessageBodyResult = MessageBody;

export type RetrieveSendQuery = {
  expand?: 'inbox';
};

export type RetrieveSendResult = Send;

export type RetrieveSequenceResult = Sequence;

export type RetrieveSuppressionResult = Suppression;

export type RetrieveTestClockResult = TestClock;

export type RetrieveThreadResult = Thread;

export type RetrieveWebhookResult = WebhookEndpoint;

export type RetrieveWorkspaceResult = Workspace;

export type RotateApiKeyQuery = {
  confirm?: string;
};

export type RotateApiKeyResult = ApiKeyWithSecret;

export type RotateWebhookResult = WebhookEndpointWithSecret;

export type SetLeadStatusBody = {
  lead_status: LeadStatus;
  /** Limits not_interested to this campaign's enrollment. */
  campaign_id?: string;
};

export type SetLeadStatusResult = Contact;

export type StartCampaignQuery = {
  /** true: say what a start would do, and write nothing. */
  dry_run?: 'true' | 'false';
};

export type StartCampaignResult = Campaign | CampaignDryRun;

export type TestSendCampaignBody = {
  /** Who gets it: you, or a colleague. */
  to: string;
  /** A step of this campaign; this or step_order. */
  step_id?: string;
  /** The position of the step, from 0; this or step_id. */
  step_order?: number;
  /** A variant of the step, a disabled one too; null for the step's own text. Default: the winner, else the step's own text. */
  variant_id?: string | null;
  /** Whose data fills the variables. Default: the contact with the address in `to`, if there is one. Nothing happens to it. */
  contact_id?: string;
  /** One of the inboxes of the campaign. Default: the first that can send. */
  inbox_id?: string;
};

export type TestSendCampaignResult = Send;

export type TestWebhookBody = {
  /** Default: the first that the endpoint wants. */
  event_type?:
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
    | 'campaign.winner_chosen'
    | 'import.completed'
    | 'import.failed'
    | 'usage.threshold_reached'
    | 'webhook.delivery.failed';
};

export type TestWebhookResult = WebhookDelivery;

export type UpdateAudienceBody = {
  name?: string;
  description?: string | null;
};

export type UpdateAudienceResult = Audience;

export type UpdateCampaignBody = {
  name?: string;
  /** May be empty where tags name who sends. */
  sending_inbox_ids?: string[];
  /** null or empty: no tags. */
  sending_inbox_tags?: string[] | null;
  /** What is not given stays. */
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

export type UpdateCampaignResult = Campaign;

export type UpdateCampaignStepBody = {
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
  /** Send this variant only; the step's own id: its own text only. null: all of them, drawn evenly. */
  winning_variant_id?: string | null;
  /** End the A/B test by itself: once the step's own text and each variant that is not disabled were sent min_sends times, the one with the highest share of mails that a person answered, clicked or opened becomes winning_variant_id, and stays it. While the best are level there is none. Needs variants. */
  auto_winner?: {
    metric: 'reply' | 'click' | 'open';
    min_sends?: number;
  } | null;
};

export type UpdateCampaignStepResult = CampaignStep;

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
  /** Send this variant only; the step's own id: its own text only. null: all of them, drawn evenly. */
  winning_variant_id?: string | null;
  /** End the A/B test by itself: once the step's own text and each variant that is not disabled were sent min_sends times, the one with the highest share of mails that a person answered, clicked or opened becomes winning_variant_id, and stays it. While the best are level there is none. Needs variants. */
  auto_winner?: {
    metric: 'reply' | 'click' | 'open';
    min_sends?: number;
  } | null;
};

export type UpdateSequenceStepResult = SequenceStep;

export type UpdateWebhookBody = {
  /** https; http also in test mode. No credentials and no fragment. The host must be public, unless the operator lets test mode go elsewhere. */
  url?: string;
  /** Event types, or `*` alone for every one, those of high volume among them. */
  enabled_events?: (
    | '*'
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
    | 'campaign.winner_chosen'
    | 'import.completed'
    | 'import.failed'
    | 'usage.threshold_reached'
    | 'webhook.delivery.failed')[];
  description?: string | null;
  /** Events that happen while it is disabled are not delivered later: replay them. */
  disabled?: boolean;
};

export type UpdateWebhookResult = WebhookEndpoint;
