-- The schema after all migrations. Written by `npm run golden`; do not edit.

create table api_key_secrets (
  secret_hash   text collate "C" not null,
  workspace_id  text collate "C" not null,
  api_key_id    text collate "C" not null,
  constraint api_key_secrets_pkey PRIMARY KEY (secret_hash)
);

create table api_keys (
  workspace_id  text collate "C" not null,
  id            text collate "C" not null,
  mode          text not null,
  name          text not null,
  scope         text not null,
  auto_confirm  boolean not null,
  last_four     text not null,
  secret_hash   text not null,
  created_at    timestamp with time zone not null,
  last_used_at  timestamp with time zone,
  revoked_at    timestamp with time zone,
  constraint api_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint api_keys_pkey PRIMARY KEY (workspace_id, id),
  constraint api_keys_scope_check CHECK ((scope = ANY (ARRAY['read'::text, 'write'::text, 'admin'::text]))),
  constraint api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX api_keys_list ON public.api_keys USING btree (workspace_id, mode, created_at, id);

create table audience_contacts (
  workspace_id  text collate "C" not null,
  audience_id   text collate "C" not null,
  contact_id    text collate "C" not null,
  created_at    timestamp with time zone not null,
  constraint audience_contacts_pkey PRIMARY KEY (workspace_id, audience_id, contact_id),
  constraint audience_contacts_workspace_id_audience_id_fkey FOREIGN KEY (workspace_id, audience_id) REFERENCES audiences(workspace_id, id) ON DELETE CASCADE,
  constraint audience_contacts_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX audience_contacts_contact ON public.audience_contacts USING btree (workspace_id, contact_id);

create table audiences (
  workspace_id  text collate "C" not null,
  id            text collate "C" not null,
  mode          text not null,
  name          text not null,
  description   text,
  created_at    timestamp with time zone not null,
  updated_at    timestamp with time zone not null,
  constraint audiences_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint audiences_pkey PRIMARY KEY (workspace_id, id),
  constraint audiences_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX audiences_list ON public.audiences USING btree (workspace_id, mode, created_at, id);

create table campaign_steps (
  workspace_id        text collate "C" not null,
  id                  text collate "C" not null,
  campaign_id         text collate "C" not null,
  source_step_id      text collate "C",
  step_order          integer not null,
  delay_minutes       integer not null,
  subject             text not null,
  body_html           text not null,
  body_text           text not null,
  variants            jsonb,
  winning_variant_id  text,
  constraint campaign_steps_delay_minutes_check CHECK ((delay_minutes >= 0)),
  constraint campaign_steps_pkey PRIMARY KEY (workspace_id, id),
  constraint campaign_steps_step_order_check CHECK ((step_order >= 0)),
  constraint campaign_steps_workspace_id_campaign_id_fkey FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaigns(workspace_id, id) ON DELETE CASCADE,
  constraint campaign_steps_workspace_id_campaign_id_step_order_key UNIQUE (workspace_id, campaign_id, step_order) DEFERRABLE
);

create table campaigns (
  workspace_id               text collate "C" not null,
  id                         text collate "C" not null,
  mode                       text not null,
  name                       text not null,
  status                     text not null,
  sequence_id                text collate "C",
  schedule                   jsonb not null,
  sending_inbox_ids          text[] not null,
  sending_inbox_tags         text[] not null,
  track_opens                boolean not null,
  track_clicks               boolean not null,
  inject_unsubscribe_footer  boolean not null,
  send_status                text,
  send_status_at             timestamp with time zone,
  paused_reason              text,
  next_plan_at               timestamp with time zone,
  created_at                 timestamp with time zone not null,
  updated_at                 timestamp with time zone not null,
  constraint campaigns_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint campaigns_paused_reason_check CHECK ((paused_reason = 'bounce_protection'::text)),
  constraint campaigns_pkey PRIMARY KEY (workspace_id, id),
  constraint campaigns_send_status_check CHECK ((send_status = ANY (ARRAY['sending'::text, 'outside_schedule'::text, 'no_inbox_available'::text, 'waiting_on_followup_delays'::text, 'quota_exceeded'::text, 'not_entitled'::text, 'no_active_leads'::text, 'bounce_protection'::text]))),
  constraint campaigns_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'running'::text, 'paused'::text, 'completed'::text]))),
  constraint campaigns_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint campaigns_workspace_id_sequence_id_fkey FOREIGN KEY (workspace_id, sequence_id) REFERENCES sequences(workspace_id, id) ON DELETE SET NULL (sequence_id)
);
CREATE INDEX campaigns_list ON public.campaigns USING btree (workspace_id, mode, created_at, id);
CREATE INDEX campaigns_plan ON public.campaigns USING btree (next_plan_at, id) WHERE ((status = 'running'::text) AND (next_plan_at IS NOT NULL));

create table contact_imports (
  workspace_id      text collate "C" not null,
  id                text collate "C" not null,
  mode              text not null,
  status            text not null,
  total_rows        integer not null,
  succeeded_rows    integer not null,
  failed_rows       integer not null,
  errors            jsonb not null,
  audience_id       text collate "C",
  audience_created  boolean not null,
  created_at        timestamp with time zone not null,
  started_at        timestamp with time zone,
  completed_at      timestamp with time zone,
  constraint contact_imports_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint contact_imports_pkey PRIMARY KEY (workspace_id, id),
  constraint contact_imports_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text]))),
  constraint contact_imports_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX contact_imports_list ON public.contact_imports USING btree (workspace_id, mode, created_at, id);

create table contacts (
  workspace_id   text collate "C" not null,
  id             text collate "C" not null,
  mode           text not null,
  email          text not null,
  email_key      text collate "C" not null,
  attributes     jsonb not null,
  global_status  text not null,
  created_at     timestamp with time zone not null,
  updated_at     timestamp with time zone not null,
  constraint contacts_global_status_check CHECK ((global_status = ANY (ARRAY['ok'::text, 'unsubscribed'::text, 'bounced'::text, 'blacklisted'::text]))),
  constraint contacts_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint contacts_pkey PRIMARY KEY (workspace_id, id),
  constraint contacts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint contacts_workspace_id_mode_email_key_key UNIQUE (workspace_id, mode, email_key)
);
CREATE INDEX contacts_list ON public.contacts USING btree (workspace_id, mode, created_at, id);

create table enrollments (
  workspace_id        text collate "C" not null,
  id                  text collate "C" not null,
  mode                text not null,
  campaign_id         text collate "C" not null,
  contact_id          text collate "C" not null,
  contact_email       text not null,
  current_step        integer not null,
  status              text not null,
  next_send_at        timestamp with time zone,
  assigned_inbox_id   text collate "C",
  plan_due_at         timestamp with time zone,
  thread_subject      text,
  thread_message_ids  text[] not null,
  created_at          timestamp with time zone not null,
  updated_at          timestamp with time zone not null,
  constraint enrollments_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint enrollments_pkey PRIMARY KEY (workspace_id, id),
  constraint enrollments_status_check CHECK ((status = ANY (ARRAY['active'::text, 'replied'::text, 'bounced'::text, 'unsubscribed'::text, 'finished'::text, 'failed'::text, 'removed'::text]))),
  constraint enrollments_workspace_id_campaign_id_contact_id_key UNIQUE (workspace_id, campaign_id, contact_id),
  constraint enrollments_workspace_id_campaign_id_fkey FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaigns(workspace_id, id) ON DELETE CASCADE,
  constraint enrollments_workspace_id_contact_id_fkey FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX enrollments_active ON public.enrollments USING btree (workspace_id, campaign_id) WHERE (status = 'active'::text);
CREATE INDEX enrollments_contact ON public.enrollments USING btree (workspace_id, contact_id);
CREATE INDEX enrollments_due ON public.enrollments USING btree (workspace_id, campaign_id, ((current_step > 0)) DESC, plan_due_at, id) WHERE (plan_due_at IS NOT NULL);
CREATE INDEX enrollments_list ON public.enrollments USING btree (workspace_id, campaign_id, created_at, id);

create table event_counters (
  workspace_id   text collate "C" not null,
  mode           text not null,
  last_sequence  bigint not null,
  constraint event_counters_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint event_counters_pkey PRIMARY KEY (workspace_id, mode)
);

create table events (
  workspace_id  text collate "C" not null,
  id            text collate "C" not null,
  mode          text not null,
  sequence      bigint not null,
  type          text not null,
  resource_id   text collate "C" not null,
  data          jsonb not null,
  previous      jsonb,
  metadata      jsonb,
  created_at    timestamp with time zone not null,
  constraint events_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint events_pkey PRIMARY KEY (workspace_id, id),
  constraint events_workspace_id_mode_sequence_key UNIQUE (workspace_id, mode, sequence)
);
CREATE INDEX events_resource ON public.events USING btree (workspace_id, mode, resource_id, sequence);
CREATE TRIGGER events_are_immutable BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION refuse_event_change();

create table heartbeats (
  process_id  text collate "C" not null,
  role        text not null,
  beat_at     timestamp with time zone not null,
  constraint heartbeats_pkey PRIMARY KEY (process_id)
);

create table idempotency_keys (
  workspace_id     text collate "C" not null,
  mode             text not null,
  key              text collate "C" not null,
  method           text not null,
  path             text not null,
  body_hash        text not null,
  response_status  integer,
  response_body    text,
  resource_id      text,
  created_at       timestamp with time zone not null,
  constraint idempotency_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint idempotency_keys_pkey PRIMARY KEY (workspace_id, mode, key)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

create table inbox_folders (
  workspace_id    text collate "C" not null,
  inbox_id        text collate "C" not null,
  role            text not null,
  path            text not null,
  uid_validity    text not null,
  last_uid        bigint not null,
  highest_modseq  text,
  updated_at      timestamp with time zone not null,
  constraint inbox_folders_pkey PRIMARY KEY (workspace_id, inbox_id, role),
  constraint inbox_folders_role_check CHECK ((role = ANY (ARRAY['inbox'::text, 'junk'::text, 'sent'::text]))),
  constraint inbox_folders_workspace_id_inbox_id_fkey FOREIGN KEY (workspace_id, inbox_id) REFERENCES inboxes(workspace_id, id) ON DELETE CASCADE
);

create table inboxes (
  workspace_id          text collate "C" not null,
  id                    text collate "C" not null,
  mode                  text not null,
  provider              text not null,
  email_address         text not null,
  email_key             text collate "C" not null,
  display_name          text,
  status                text not null,
  status_reason         text,
  daily_limit           integer not null,
  ramp_enabled          boolean not null,
  ramp_start            integer not null,
  ramp_end              integer not null,
  ramp_days             integer not null,
  ramp_started_at       timestamp with time zone not null,
  min_gap_seconds       integer not null,
  max_gap_seconds       integer not null,
  signature_html        text,
  signature_text        text,
  reply_to              text,
  tags                  text[] not null,
  health_score          integer,
  warmup_enabled        boolean not null,
  timezone              text not null,
  smtp_host             text,
  smtp_port             integer,
  smtp_security         text,
  smtp_username         text,
  smtp_password_sealed  text,
  imap_host             text,
  imap_port             integer,
  imap_security         text,
  imap_username         text,
  imap_password_sealed  text,
  sandbox_config        jsonb,
  day_started_at        timestamp with time zone not null,
  day_resets_at         timestamp with time zone not null,
  day_count             integer not null,
  next_send_at          timestamp with time zone not null,
  planned_until         timestamp with time zone not null,
  lease_holder          text,
  leased_until          timestamp with time zone,
  retry_at              timestamp with time zone,
  connect_failures      integer not null,
  login_refusals        integer not null,
  next_poll_at          timestamp with time zone,
  poll_lease_holder     text,
  poll_leased_until     timestamp with time zone,
  poll_failures         integer not null,
  last_send_at          timestamp with time zone,
  last_poll_at          timestamp with time zone,
  created_at            timestamp with time zone not null,
  revoked_at            timestamp with time zone,
  constraint inboxes_daily_limit_check CHECK (((daily_limit >= 1) AND (daily_limit <= 500))),
  constraint inboxes_imap_security_check CHECK ((imap_security = ANY (ARRAY['ssl'::text, 'starttls'::text]))),
  constraint inboxes_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint inboxes_pkey PRIMARY KEY (workspace_id, id),
  constraint inboxes_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'microsoft'::text, 'mailprovider'::text, 'smtp'::text, 'sandbox'::text]))),
  constraint inboxes_smtp_security_check CHECK ((smtp_security = ANY (ARRAY['ssl'::text, 'starttls'::text]))),
  constraint inboxes_status_check CHECK ((status = ANY (ARRAY['connecting'::text, 'active'::text, 'token_expired'::text, 'revoked'::text, 'over_quota_today'::text, 'unhealthy'::text, 'paused'::text, 'failed'::text]))),
  constraint inboxes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX inboxes_list ON public.inboxes USING btree (workspace_id, mode, created_at, id);
CREATE INDEX inboxes_poll ON public.inboxes USING btree (next_poll_at) WHERE (next_poll_at IS NOT NULL);
CREATE UNIQUE INDEX inboxes_address ON public.inboxes USING btree (workspace_id, mode, email_key) WHERE (status <> 'revoked'::text);

create table messages (
  workspace_id        text collate "C" not null,
  id                  text collate "C" not null,
  mode                text not null,
  inbox_id            text collate "C" not null,
  direction           text not null,
  classification      text,
  verdict_rule        text,
  verdict_because     text,
  thread_id           text not null,
  identity            text collate "C" not null,
  rfc822_message_id   text collate "C",
  in_reply_to         text,
  from_email          text,
  from_name           text,
  to_email            text,
  subject             text,
  bounce_type         text,
  bounce_status_code  text,
  bounce_diagnostic   text,
  matched_send_id     text collate "C",
  folder              text,
  uid_validity        text,
  uid                 bigint,
  received_at         timestamp with time zone,
  created_at          timestamp with time zone not null,
  constraint messages_bounce_type_check CHECK ((bounce_type = ANY (ARRAY['hard'::text, 'soft'::text, 'unknown'::text]))),
  constraint messages_classification_check CHECK ((classification = ANY (ARRAY['reply'::text, 'auto_reply'::text, 'bounce'::text, 'unrelated'::text]))),
  constraint messages_direction_check CHECK ((direction = ANY (ARRAY['inbound'::text, 'outbound'::text]))),
  constraint messages_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint messages_pkey PRIMARY KEY (workspace_id, id),
  constraint messages_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint messages_workspace_id_inbox_id_fkey FOREIGN KEY (workspace_id, inbox_id) REFERENCES inboxes(workspace_id, id),
  constraint messages_workspace_id_inbox_id_identity_key UNIQUE (workspace_id, inbox_id, identity)
);
CREATE INDEX messages_by_message_id ON public.messages USING btree (workspace_id, rfc822_message_id);
CREATE INDEX messages_list ON public.messages USING btree (workspace_id, mode, created_at, id);
CREATE INDEX messages_thread ON public.messages USING btree (workspace_id, inbox_id, thread_id, created_at, id);

create table migrations (
  name  text not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table quarantined_messages (
  workspace_id  text collate "C" not null,
  inbox_id      text collate "C" not null,
  role          text not null,
  uid_validity  text not null,
  uid           bigint not null,
  failures      integer not null,
  problem       text not null,
  quarantined   boolean not null,
  updated_at    timestamp with time zone not null,
  constraint quarantined_messages_pkey PRIMARY KEY (workspace_id, inbox_id, role, uid_validity, uid),
  constraint quarantined_messages_workspace_id_inbox_id_fkey FOREIGN KEY (workspace_id, inbox_id) REFERENCES inboxes(workspace_id, id) ON DELETE CASCADE
);

create table send_attempts (
  workspace_id     text collate "C" not null,
  send_id          text collate "C" not null,
  attempt          integer not null,
  process_id       text not null,
  started_at       timestamp with time zone not null,
  dot_released_at  timestamp with time zone,
  ended_at         timestamp with time zone,
  outcome          text,
  phase            text,
  reply_code       integer,
  reply_enhanced   text,
  reply_text       text,
  constraint send_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'broken'::text, 'denied'::text, 'unknown'::text, 'abandoned'::text]))),
  constraint send_attempts_pkey PRIMARY KEY (workspace_id, send_id, attempt),
  constraint send_attempts_workspace_id_send_id_fkey FOREIGN KEY (workspace_id, send_id) REFERENCES sends(workspace_id, id) ON DELETE CASCADE
);

create table sends (
  workspace_id         text collate "C" not null,
  id                   text collate "C" not null,
  mode                 text not null,
  inbox_id             text collate "C" not null,
  to_email             text not null,
  to_email_key         text collate "C" not null,
  to_name              text,
  subject              text not null,
  body_html            text,
  body_text            text,
  state                text not null,
  failure_reason       text,
  failure_detail       text,
  provider_message_id  text,
  provider_thread_id   text,
  rfc822_message_id    text collate "C" not null,
  in_reply_to          text,
  thread_references    text[] not null,
  is_reply             boolean not null,
  attempt_count        integer not null,
  scheduled_at         timestamp with time zone not null,
  sent_at              timestamp with time zone,
  canceled_at          timestamp with time zone,
  created_at           timestamp with time zone not null,
  metadata             jsonb,
  campaign_id          text collate "C",
  contact_id           text collate "C",
  enrollment_id        text collate "C",
  campaign_step_id     text collate "C",
  variant_id           text,
  due_at               timestamp with time zone,
  fence                integer not null,
  leased_until         timestamp with time zone,
  dot_released_at      timestamp with time zone,
  budget_day           timestamp with time zone,
  budget_unit          integer,
  reconcile_at         timestamp with time zone,
  constraint sends_failure_reason_check CHECK ((failure_reason = ANY (ARRAY['invalid_recipient'::text, 'recipient_rejected'::text, 'content_rejected'::text, 'suppressed'::text, 'inbox_disconnected'::text, 'authentication_failed'::text, 'rate_limited'::text, 'connection_failed'::text, 'timeout'::text, 'outcome_unknown'::text, 'message_too_large'::text, 'template_error'::text, 'quota_exceeded'::text, 'expired'::text, 'provider_error'::text]))),
  constraint sends_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint sends_pkey PRIMARY KEY (workspace_id, id),
  constraint sends_state_check CHECK ((state = ANY (ARRAY['scheduled'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'canceled'::text]))),
  constraint sends_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint sends_workspace_id_inbox_id_fkey FOREIGN KEY (workspace_id, inbox_id) REFERENCES inboxes(workspace_id, id)
);
CREATE INDEX sends_due ON public.sends USING btree (workspace_id, inbox_id, due_at, id) WHERE ((state = 'scheduled'::text) AND (due_at IS NOT NULL));
CREATE INDEX sends_enrollment ON public.sends USING btree (workspace_id, enrollment_id) WHERE (enrollment_id IS NOT NULL);
CREATE INDEX sends_leased ON public.sends USING btree (leased_until) WHERE ((state = 'sending'::text) AND (dot_released_at IS NULL));
CREATE INDEX sends_list ON public.sends USING btree (workspace_id, mode, created_at, id);
CREATE INDEX sends_open_address ON public.sends USING btree (workspace_id, mode, to_email_key) WHERE ((state = ANY (ARRAY['scheduled'::text, 'sending'::text])) AND (to_email_key > ''::text));
CREATE INDEX sends_open_campaign ON public.sends USING btree (workspace_id, campaign_id) WHERE ((state = ANY (ARRAY['scheduled'::text, 'sending'::text])) AND (campaign_id > ''::text));
CREATE INDEX sends_unknown ON public.sends USING btree (reconcile_at) WHERE ((state = 'sending'::text) AND (dot_released_at IS NOT NULL));
CREATE UNIQUE INDEX sends_budget ON public.sends USING btree (workspace_id, inbox_id, budget_day, budget_unit) WHERE (budget_unit IS NOT NULL);
CREATE UNIQUE INDEX sends_message_id ON public.sends USING btree (workspace_id, rfc822_message_id);
CREATE UNIQUE INDEX sends_once_per_step ON public.sends USING btree (workspace_id, campaign_id, contact_id, campaign_step_id) WHERE ((campaign_id IS NOT NULL) AND (state <> 'canceled'::text));

create table sequence_steps (
  workspace_id        text collate "C" not null,
  id                  text collate "C" not null,
  sequence_id         text collate "C" not null,
  step_order          integer not null,
  delay_minutes       integer not null,
  subject             text not null,
  body_html           text not null,
  body_text           text not null,
  variants            jsonb,
  winning_variant_id  text,
  constraint sequence_steps_delay_minutes_check CHECK ((delay_minutes >= 0)),
  constraint sequence_steps_pkey PRIMARY KEY (workspace_id, id),
  constraint sequence_steps_step_order_check CHECK ((step_order >= 0)),
  constraint sequence_steps_workspace_id_sequence_id_fkey FOREIGN KEY (workspace_id, sequence_id) REFERENCES sequences(workspace_id, id) ON DELETE CASCADE,
  constraint sequence_steps_workspace_id_sequence_id_step_order_key UNIQUE (workspace_id, sequence_id, step_order) DEFERRABLE
);

create table sequences (
  workspace_id  text collate "C" not null,
  id            text collate "C" not null,
  mode          text not null,
  name          text not null,
  description   text,
  created_at    timestamp with time zone not null,
  updated_at    timestamp with time zone not null,
  constraint sequences_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint sequences_pkey PRIMARY KEY (workspace_id, id),
  constraint sequences_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX sequences_list ON public.sequences USING btree (workspace_id, mode, created_at, id);

create table suppressions (
  workspace_id    text collate "C" not null,
  id              text collate "C" not null,
  mode            text not null,
  email           text not null,
  email_key       text collate "C" not null,
  reason          text not null,
  source_send_id  text collate "C",
  created_at      timestamp with time zone not null,
  constraint suppressions_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint suppressions_pkey PRIMARY KEY (workspace_id, id),
  constraint suppressions_reason_check CHECK ((reason = ANY (ARRAY['unsubscribe'::text, 'hard_bounce'::text, 'manual'::text]))),
  constraint suppressions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id),
  constraint suppressions_workspace_id_mode_email_key_key UNIQUE (workspace_id, mode, email_key)
);
CREATE INDEX suppressions_list ON public.suppressions USING btree (workspace_id, mode, created_at, id);

create table usage_months (
  workspace_id  text collate "C" not null,
  mode          text not null,
  month         date not null,
  sends_count   integer not null,
  constraint usage_months_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint usage_months_pkey PRIMARY KEY (workspace_id, mode, month),
  constraint usage_months_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);

create table workspaces (
  id                    text collate "C" not null,
  name                  text not null,
  slug                  text,
  plan                  text,
  plan_status           text,
  trial_ends_at         timestamp with time zone,
  current_period_end    timestamp with time zone,
  cancel_at_period_end  boolean not null,
  created_at            timestamp with time zone not null,
  constraint workspaces_pkey PRIMARY KEY (id),
  constraint workspaces_plan_check CHECK ((plan = ANY (ARRAY['pro'::text, 'scale'::text, 'hyper'::text]))),
  constraint workspaces_plan_status_check CHECK ((plan_status = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text])))
);

CREATE OR REPLACE FUNCTION public.refuse_event_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'events are immutable';
end $function$
