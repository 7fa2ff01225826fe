-- The schema after all migrations. Written by `npm run golden`; do not edit.

create table api_key_secrets (
  secret_hash   text collate "C" not null,
  workspace_id  text collate "C" not null,
  api_key_id    text collate "C" not null,
  constraint api_key_secrets_pkey PRIMARY KEY (secret_hash)
);
-- on api_key_secrets: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on api_key_secrets: row level security;

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
-- on api_keys: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on api_keys: row level security;

create table attachments (
  workspace_id  text collate "C" not null,
  sha256        text collate "C" not null,
  content       bytea not null,
  used_at       timestamp with time zone not null,
  constraint attachments_pkey PRIMARY KEY (workspace_id, sha256),
  constraint attachments_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX attachments_used ON public.attachments USING btree (used_at);
-- on attachments: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on attachments: row level security;

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
-- on audience_contacts: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on audience_contacts: row level security;

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
-- on audiences: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on audiences: row level security;

create table budget_units (
  workspace_id    text collate "C" not null,
  inbox_id        text collate "C" not null,
  day             timestamp with time zone not null,
  unit            integer not null,
  send_id         text collate "C",
  warmup_mail_id  text collate "C",
  constraint budget_units_pkey PRIMARY KEY (workspace_id, inbox_id, day, unit),
  constraint budget_units_taker CHECK (((send_id IS NULL) <> (warmup_mail_id IS NULL)))
);
-- on budget_units: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on budget_units: row level security;

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
  auto_winner         jsonb,
  constraint campaign_steps_delay_minutes_check CHECK ((delay_minutes >= 0)),
  constraint campaign_steps_pkey PRIMARY KEY (workspace_id, id),
  constraint campaign_steps_step_order_check CHECK ((step_order >= 0)),
  constraint campaign_steps_workspace_id_campaign_id_fkey FOREIGN KEY (workspace_id, campaign_id) REFERENCES campaigns(workspace_id, id) ON DELETE CASCADE,
  constraint campaign_steps_workspace_id_campaign_id_step_order_key UNIQUE (workspace_id, campaign_id, step_order) DEFERRABLE
);
-- on campaign_steps: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on campaign_steps: row level security;

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
  edited_at                  timestamp with time zone,
  hard_bounces               integer not null default 0,
  bounces_from               timestamp with time zone,
  sends_known                integer not null default 0,
  pace                       jsonb not null default '{}'::jsonb,
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
-- on campaigns: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on campaigns: row level security;

create table connect_links (
  workspace_id     text collate "C" not null,
  token_hash       text collate "C" not null,
  mode             text not null,
  provider         text not null,
  redirect_url     text not null,
  verifier_sealed  text not null,
  created_at       timestamp with time zone not null,
  expires_at       timestamp with time zone not null,
  constraint connect_links_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint connect_links_pkey PRIMARY KEY (workspace_id, token_hash),
  constraint connect_links_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'microsoft'::text, 'mailprovider'::text]))),
  constraint connect_links_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX connect_links_age ON public.connect_links USING btree (expires_at);
-- on connect_links: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on connect_links: row level security;

create table contact_import_parts (
  workspace_id  text collate "C" not null,
  import_id     text collate "C" not null,
  part          integer not null,
  content       bytea not null,
  constraint contact_import_parts_pkey PRIMARY KEY (workspace_id, import_id, part),
  constraint contact_import_parts_workspace_id_import_id_fkey FOREIGN KEY (workspace_id, import_id) REFERENCES contact_imports(workspace_id, id) ON DELETE CASCADE
);
-- on contact_import_parts: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on contact_import_parts: row level security;

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
  wishes            jsonb,
  due_at            timestamp with time zone,
  lease_holder      text,
  leased_until      timestamp with time zone,
  fence             integer not null,
  attempt_count     integer not null,
  settled_rows      integer not null,
  created_at        timestamp with time zone not null,
  started_at        timestamp with time zone,
  completed_at      timestamp with time zone,
  constraint contact_imports_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint contact_imports_pkey PRIMARY KEY (workspace_id, id),
  constraint contact_imports_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text]))),
  constraint contact_imports_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX contact_imports_due ON public.contact_imports USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX contact_imports_list ON public.contact_imports USING btree (workspace_id, mode, created_at, id);
-- on contact_imports: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on contact_imports: row level security;

create table contacts (
  workspace_id   text collate "C" not null,
  id             text collate "C" not null,
  mode           text not null,
  email          text not null,
  email_key      text collate "C" not null,
  attributes     jsonb not null,
  global_status  text not null,
  search_text    text not null,
  created_at     timestamp with time zone not null,
  updated_at     timestamp with time zone not null,
  constraint contacts_global_status_check CHECK ((global_status = ANY (ARRAY['ok'::text, 'unsubscribed'::text, 'bounced'::text, 'blacklisted'::text]))),
  constraint contacts_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint contacts_pkey PRIMARY KEY (workspace_id, id),
  constraint contacts_workspace_id_mode_email_key_key UNIQUE (workspace_id, mode, email_key)
);
CREATE INDEX contacts_lead ON public.contacts USING btree (workspace_id, mode, ((attributes ->> 'lead_classification'::text)), created_at, id) WHERE ((attributes ->> 'lead_classification'::text) IS NOT NULL);
CREATE INDEX contacts_list ON public.contacts USING btree (workspace_id, mode, created_at, id);
CREATE INDEX contacts_search ON public.contacts USING gin (search_text gin_trgm_ops) WITH (gin_pending_list_limit='512');
CREATE INDEX contacts_status ON public.contacts USING btree (workspace_id, mode, global_status, created_at, id) WHERE (global_status <> 'ok'::text);
-- on contacts: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on contacts: row level security;

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
CREATE INDEX enrollments_contact ON public.enrollments USING btree (workspace_id, contact_id);
CREATE INDEX enrollments_due ON public.enrollments USING btree (workspace_id, campaign_id, ((current_step > 0)) DESC, plan_due_at, id, assigned_inbox_id) WHERE (plan_due_at IS NOT NULL);
CREATE INDEX enrollments_list ON public.enrollments USING btree (workspace_id, campaign_id, created_at, id);
-- on enrollments: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on enrollments: row level security;

create table event_counters (
  workspace_id   text collate "C" not null,
  mode           text not null,
  last_sequence  bigint not null,
  constraint event_counters_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint event_counters_pkey PRIMARY KEY (workspace_id, mode)
);
-- on event_counters: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on event_counters: row level security;

create table events (
  workspace_id  text collate "C" not null,
  id            text collate "C" not null,
  mode          text not null,
  sequence      bigint not null,
  type          text not null,
  resource_id   text collate "C" not null,
  data          json not null,
  previous      json,
  metadata      json,
  created_at    timestamp with time zone not null,
  constraint events_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint events_pkey PRIMARY KEY (workspace_id, id),
  constraint events_workspace_id_mode_sequence_key UNIQUE (workspace_id, mode, sequence)
);
CREATE INDEX events_resource ON public.events USING btree (workspace_id, mode, resource_id, sequence);
CREATE INDEX events_seldom ON public.events USING btree (workspace_id, mode, type, sequence) WHERE (type <> ALL (ARRAY['contact.created'::text, 'send.scheduled'::text, 'send.sending'::text, 'send.sent'::text, 'message.opened'::text, 'message.clicked'::text, 'campaign.contact.advanced'::text]));
CREATE TRIGGER events_are_immutable BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION refuse_event_change();
CREATE TRIGGER events_are_kept BEFORE TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_event_change();
-- on events: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on events: row level security;

create table heartbeats (
  process_id  text collate "C" not null,
  role        text not null,
  beat_at     timestamp with time zone not null,
  constraint heartbeats_pkey PRIMARY KEY (process_id)
);

create table hits (
  workspace_id  text collate "C" not null,
  send_id       text collate "C" not null,
  nth           integer not null,
  mode          text not null,
  kind          text not null,
  url           text,
  made_by       text not null,
  because       text not null,
  is_first      boolean not null,
  address_hash  text,
  user_agent    text,
  at            timestamp with time zone not null,
  constraint hits_check CHECK (((kind = 'click'::text) = (url IS NOT NULL))),
  constraint hits_kind_check CHECK ((kind = ANY (ARRAY['open'::text, 'click'::text]))),
  constraint hits_made_by_check CHECK ((made_by = ANY (ARRAY['human'::text, 'scanner'::text, 'prefetch'::text, 'self'::text]))),
  constraint hits_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint hits_pkey PRIMARY KEY (workspace_id, send_id, nth)
);
CREATE UNIQUE INDEX hits_first ON public.hits USING btree (workspace_id, send_id, kind) WHERE is_first;
-- on hits: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on hits: row level security;

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
-- on idempotency_keys: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on idempotency_keys: row level security;

create table inbox_connect_attempts (
  workspace_id  text collate "C" not null,
  minute        timestamp with time zone not null,
  attempts      integer not null,
  constraint inbox_connect_attempts_pkey PRIMARY KEY (workspace_id),
  constraint inbox_connect_attempts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
-- on inbox_connect_attempts: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on inbox_connect_attempts: row level security;

create table inbox_folders (
  workspace_id  text collate "C" not null,
  inbox_id      text collate "C" not null,
  role          text not null,
  path          text not null,
  uid_validity  text not null,
  last_uid      bigint not null,
  updated_at    timestamp with time zone not null,
  constraint inbox_folders_pkey PRIMARY KEY (workspace_id, inbox_id, role),
  constraint inbox_folders_role_check CHECK ((role = ANY (ARRAY['inbox'::text, 'junk'::text, 'sent'::text]))),
  constraint inbox_folders_workspace_id_inbox_id_fkey FOREIGN KEY (workspace_id, inbox_id) REFERENCES inboxes(workspace_id, id) ON DELETE CASCADE
);
-- on inbox_folders: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on inbox_folders: row level security;

create table inbox_troubles (
  workspace_id  text collate "C" not null,
  inbox_id      text collate "C" not null,
  hour          timestamp with time zone not null,
  hard_bounces  integer not null,
  complaints    integer not null,
  failures      integer not null,
  auth_errors   integer not null,
  is_judged     boolean not null,
  constraint inbox_troubles_pkey PRIMARY KEY (workspace_id, inbox_id, hour)
);
CREATE INDEX inbox_troubles_age ON public.inbox_troubles USING btree (hour);
CREATE INDEX inbox_troubles_fresh ON public.inbox_troubles USING btree (workspace_id, inbox_id) WHERE (NOT is_judged);
-- on inbox_troubles: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on inbox_troubles: row level security;

create table inbox_turns (
  workspace_id  text collate "C" not null,
  inbox_id      text collate "C" not null,
  last_turn     bigint not null,
  constraint inbox_turns_pkey PRIMARY KEY (workspace_id, inbox_id),
  constraint inbox_turns_workspace_id_inbox_id_fkey FOREIGN KEY (workspace_id, inbox_id) REFERENCES inboxes(workspace_id, id) ON DELETE CASCADE
);
-- on inbox_turns: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on inbox_turns: row level security;

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
  health_tier           text not null default 'good'::text,
  rests_until           timestamp with time zone,
  health_due_at         timestamp with time zone not null,
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
  recall_at             timestamp with time zone,
  lease_holder          text,
  leased_until          timestamp with time zone,
  retry_at              timestamp with time zone,
  connect_failures      integer not null,
  login_refusals        integer not null,
  next_poll_at          timestamp with time zone,
  poll_lease_holder     text,
  poll_leased_until     timestamp with time zone,
  poll_failures         integer not null,
  imap_login_refusals   integer not null,
  last_send_at          timestamp with time zone,
  last_poll_at          timestamp with time zone,
  created_at            timestamp with time zone not null,
  revoked_at            timestamp with time zone,
  warmup_started_at     timestamp with time zone,
  next_warmup_at        timestamp with time zone,
  constraint inboxes_daily_limit_check CHECK (((daily_limit >= 1) AND (daily_limit <= 500))),
  constraint inboxes_health_tier_check CHECK ((health_tier = ANY (ARRAY['good'::text, 'degraded'::text, 'paused'::text]))),
  constraint inboxes_imap_security_check CHECK ((imap_security = ANY (ARRAY['ssl'::text, 'starttls'::text]))),
  constraint inboxes_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint inboxes_pkey PRIMARY KEY (workspace_id, id),
  constraint inboxes_provider_check CHECK ((provider = ANY (ARRAY['google'::text, 'microsoft'::text, 'mailprovider'::text, 'smtp'::text, 'sandbox'::text]))),
  constraint inboxes_smtp_security_check CHECK ((smtp_security = ANY (ARRAY['ssl'::text, 'starttls'::text]))),
  constraint inboxes_status_check CHECK ((status = ANY (ARRAY['connecting'::text, 'active'::text, 'token_expired'::text, 'revoked'::text, 'over_quota_today'::text, 'unhealthy'::text, 'paused'::text, 'failed'::text]))),
  constraint inboxes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX inboxes_by_address ON public.inboxes USING btree (workspace_id, mode, email_key);
CREATE INDEX inboxes_health ON public.inboxes USING btree (health_due_at) WHERE (status <> 'revoked'::text);
CREATE INDEX inboxes_list ON public.inboxes USING btree (workspace_id, mode, created_at, id);
CREATE INDEX inboxes_poll ON public.inboxes USING btree (next_poll_at) WHERE (next_poll_at IS NOT NULL);
CREATE INDEX inboxes_recall ON public.inboxes USING btree (recall_at) WHERE (recall_at IS NOT NULL);
CREATE INDEX inboxes_warmup ON public.inboxes USING btree (next_warmup_at) WHERE (next_warmup_at IS NOT NULL);
CREATE INDEX inboxes_warmup_pool ON public.inboxes USING btree (workspace_id, id) WHERE warmup_enabled;
CREATE UNIQUE INDEX inboxes_address ON public.inboxes USING btree (workspace_id, mode, email_key) WHERE (status <> 'revoked'::text);
-- on inboxes: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on inboxes: row level security;

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
  constraint messages_workspace_id_inbox_id_identity_key UNIQUE (workspace_id, inbox_id, identity)
);
CREATE INDEX messages_about ON public.messages USING btree (workspace_id, matched_send_id) WHERE (matched_send_id > ''::text);
CREATE INDEX messages_came ON public.messages USING btree (workspace_id, rfc822_message_id) WHERE (direction = 'inbound'::text);
CREATE INDEX messages_list ON public.messages USING btree (workspace_id, mode, created_at, id);
CREATE INDEX messages_replies ON public.messages USING btree (workspace_id, inbox_id, thread_id) WHERE (classification = 'reply'::text);
CREATE INDEX messages_thread ON public.messages USING btree (workspace_id, inbox_id, thread_id, created_at, id);
-- on messages: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on messages: row level security;

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
-- on quarantined_messages: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on quarantined_messages: row level security;

create table sandbox_reactions (
  workspace_id  text collate "C" not null,
  mode          text not null,
  send_id       text collate "C" not null,
  kind          text not null,
  due_at        timestamp with time zone not null,
  done_at       timestamp with time zone,
  problem       text,
  constraint sandbox_reactions_kind_check CHECK ((kind = ANY (ARRAY['open'::text, 'click'::text, 'reply'::text, 'reply_interested'::text, 'auto_reply'::text, 'bounce'::text, 'soft_bounce'::text, 'unsubscribe'::text, 'complaint'::text]))),
  constraint sandbox_reactions_mode_check CHECK ((mode = 'test'::text)),
  constraint sandbox_reactions_pkey PRIMARY KEY (workspace_id, send_id, kind)
);
CREATE INDEX sandbox_reactions_due ON public.sandbox_reactions USING btree (due_at, workspace_id) WHERE (done_at IS NULL);
CREATE INDEX sandbox_reactions_of ON public.sandbox_reactions USING btree (workspace_id, due_at) WHERE (done_at IS NULL);
-- on sandbox_reactions: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on sandbox_reactions: row level security;

create table send_attempts (
  workspace_id     text collate "C" not null,
  send_id          text collate "C" not null,
  attempt          integer not null,
  process_id       text not null,
  started_at       timestamp with time zone not null,
  leased_until     timestamp with time zone,
  dot_released_at  timestamp with time zone,
  reconcile_at     timestamp with time zone,
  ended_at         timestamp with time zone,
  outcome          text,
  phase            text,
  reply_code       integer,
  reply_enhanced   text,
  reply_text       text,
  constraint send_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'broken'::text, 'denied'::text, 'unknown'::text, 'abandoned'::text]))),
  constraint send_attempts_pkey PRIMARY KEY (workspace_id, send_id, attempt)
);
CREATE INDEX send_attempts_open ON public.send_attempts USING btree (leased_until) WHERE (leased_until IS NOT NULL);
-- on send_attempts: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on send_attempts: row level security;

create table send_contents (
  workspace_id  text collate "C" not null,
  send_id       text collate "C" not null,
  body_html     text,
  body_text     text,
  cc            jsonb,
  bcc           jsonb,
  reply_to      text,
  headers       jsonb,
  attachments   jsonb,
  track_opens   boolean,
  track_clicks  boolean,
  constraint send_contents_pkey PRIMARY KEY (workspace_id, send_id)
);
CREATE INDEX send_contents_attached ON public.send_contents USING gin (attachments jsonb_path_ops) WHERE (attachments IS NOT NULL);
-- on send_contents: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on send_contents: row level security;

create table send_copies (
  workspace_id  text collate "C" not null,
  mode          text not null,
  email_key     text collate "C" not null,
  send_id       text collate "C" not null,
  constraint send_copies_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint send_copies_pkey PRIMARY KEY (workspace_id, mode, email_key, send_id)
);
-- on send_copies: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on send_copies: row level security;

create table sends (
  workspace_id         text collate "C" not null,
  id                   text collate "C" not null,
  mode                 text not null,
  inbox_id             text collate "C" not null,
  to_email             text not null,
  to_email_key         text collate "C" not null,
  to_name              text,
  subject              text not null,
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
  is_open              boolean default (state = ANY (ARRAY['scheduled'::text, 'sending'::text])),
  constraint sends_failure_reason_check CHECK ((failure_reason = ANY (ARRAY['invalid_recipient'::text, 'recipient_rejected'::text, 'content_rejected'::text, 'suppressed'::text, 'inbox_disconnected'::text, 'authentication_failed'::text, 'rate_limited'::text, 'connection_failed'::text, 'timeout'::text, 'outcome_unknown'::text, 'message_too_large'::text, 'template_error'::text, 'quota_exceeded'::text, 'expired'::text, 'provider_error'::text]))),
  constraint sends_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint sends_pkey PRIMARY KEY (workspace_id, id),
  constraint sends_state_check CHECK ((state = ANY (ARRAY['scheduled'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'canceled'::text])))
);
CREATE INDEX sends_address ON public.sends USING btree (workspace_id, to_email_key);
CREATE INDEX sends_due ON public.sends USING btree (workspace_id, inbox_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX sends_enrollment ON public.sends USING btree (workspace_id, enrollment_id) WHERE (is_open AND (enrollment_id > ''::text));
CREATE INDEX sends_list ON public.sends USING btree (workspace_id, mode, created_at, id);
CREATE INDEX sends_open_campaign ON public.sends USING btree (workspace_id, campaign_id) WHERE (is_open AND (campaign_id > ''::text));
CREATE UNIQUE INDEX sends_message_id ON public.sends USING btree (workspace_id, rfc822_message_id);
CREATE UNIQUE INDEX sends_once_per_step ON public.sends USING btree (workspace_id, campaign_id, contact_id, campaign_step_id) WHERE ((campaign_id IS NOT NULL) AND (canceled_at IS NULL));
-- on sends: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on sends: row level security;

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
  auto_winner         jsonb,
  constraint sequence_steps_delay_minutes_check CHECK ((delay_minutes >= 0)),
  constraint sequence_steps_pkey PRIMARY KEY (workspace_id, id),
  constraint sequence_steps_step_order_check CHECK ((step_order >= 0)),
  constraint sequence_steps_workspace_id_sequence_id_fkey FOREIGN KEY (workspace_id, sequence_id) REFERENCES sequences(workspace_id, id) ON DELETE CASCADE,
  constraint sequence_steps_workspace_id_sequence_id_step_order_key UNIQUE (workspace_id, sequence_id, step_order) DEFERRABLE
);
-- on sequence_steps: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on sequence_steps: row level security;

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
-- on sequences: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on sequences: row level security;

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
-- on suppressions: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on suppressions: row level security;

create table test_clock_advances (
  workspace_id  text collate "C" not null,
  id            text collate "C" not null,
  from_at       timestamp with time zone not null,
  target_at     timestamp with time zone not null,
  reached_at    timestamp with time zone not null,
  processed     integer not null,
  created_at    timestamp with time zone not null,
  done_at       timestamp with time zone,
  constraint test_clock_advances_pkey PRIMARY KEY (workspace_id, id),
  constraint test_clock_advances_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE UNIQUE INDEX test_clock_advances_open ON public.test_clock_advances USING btree (workspace_id) WHERE (done_at IS NULL);
-- on test_clock_advances: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on test_clock_advances: row level security;

create table test_clocks (
  workspace_id  text collate "C" not null,
  offset_ms     bigint not null,
  fence         integer not null,
  lease_holder  text,
  leased_until  timestamp with time zone,
  created_at    timestamp with time zone not null,
  constraint test_clocks_offset_ms_check CHECK ((offset_ms >= 0)),
  constraint test_clocks_pkey PRIMARY KEY (workspace_id),
  constraint test_clocks_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
-- on test_clocks: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on test_clocks: row level security;

create table tracked_links (
  workspace_id  text collate "C" not null,
  send_id       text collate "C" not null,
  urls          text[] not null,
  constraint tracked_links_pkey PRIMARY KEY (workspace_id, send_id)
);
-- on tracked_links: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on tracked_links: row level security;

create table usage_months (
  workspace_id  text collate "C" not null,
  mode          text not null,
  month         date not null,
  sends_count   integer not null,
  constraint usage_months_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint usage_months_pkey PRIMARY KEY (workspace_id, mode, month),
  constraint usage_months_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
-- on usage_months: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on usage_months: row level security;

create table usage_thresholds (
  workspace_id       text collate "C" not null,
  quota              text not null,
  period             text not null,
  threshold_percent  integer not null,
  reached_at         timestamp with time zone not null,
  constraint usage_thresholds_pkey PRIMARY KEY (workspace_id, quota, period, threshold_percent),
  constraint usage_thresholds_quota_check CHECK ((quota = ANY (ARRAY['sends'::text, 'contacts'::text, 'webhooks'::text]))),
  constraint usage_thresholds_threshold_percent_check CHECK ((threshold_percent = ANY (ARRAY[80, 100]))),
  constraint usage_thresholds_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
-- on usage_thresholds: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on usage_thresholds: row level security;

create table variant_counts (
  workspace_id      text collate "C" not null,
  campaign_step_id  text collate "C" not null,
  variant_id        text collate "C" not null,
  sent              integer not null,
  replied           integer not null,
  opened            integer not null,
  clicked           integer not null,
  constraint variant_counts_pkey PRIMARY KEY (workspace_id, campaign_step_id, variant_id),
  constraint variant_counts_workspace_id_campaign_step_id_fkey FOREIGN KEY (workspace_id, campaign_step_id) REFERENCES campaign_steps(workspace_id, id) ON DELETE CASCADE
);
-- on variant_counts: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on variant_counts: row level security;

create table variant_marks (
  workspace_id      text collate "C" not null,
  mode              text not null,
  campaign_id       text collate "C" not null,
  campaign_step_id  text collate "C" not null,
  send_id           text collate "C" not null,
  kind              text not null,
  nth               integer not null,
  variant_id        text collate "C" not null,
  constraint variant_marks_kind_check CHECK ((kind = ANY (ARRAY['sent'::text, 'replied'::text, 'opened'::text, 'clicked'::text, 'unclicked'::text, 'judge'::text]))),
  constraint variant_marks_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint variant_marks_pkey PRIMARY KEY (workspace_id, campaign_id, campaign_step_id, send_id, kind, nth)
);
-- on variant_marks: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on variant_marks: row level security;

create table warmup_days (
  workspace_id     text collate "C" not null,
  inbox_id         text collate "C" not null,
  day              date not null,
  sent             integer not null default 0,
  received         integer not null default 0,
  landed_in_inbox  integer not null default 0,
  landed_in_junk   integer not null default 0,
  rescued          integer not null default 0,
  answered         integer not null default 0,
  constraint warmup_days_pkey PRIMARY KEY (workspace_id, inbox_id, day)
);
-- on warmup_days: policy tenant for * to public using ((workspace_id = current_setting('postrider.workspace_id'::text, true))) with check ((workspace_id = current_setting('postrider.workspace_id'::text, true)));
-- on warmup_days: row level security;

create table warmup_mails (
  workspace_id         text collate "C" not null,
  id                   text collate "C" not null,
  mode                 text not null,
  inbox_id             text collate "C" not null,
  to_workspace_id      text collate "C" not null,
  to_inbox_id          text collate "C" not null,
  thread_id            text collate "C" not null,
  place                integer not null,
  day                  date not null,
  rfc822_message_id    text collate "C" not null,
  thread_references    text[] not null,
  state                text not null,
  because              text,
  scheduled_at         timestamp with time zone not null,
  due_at               timestamp with time zone,
  attempt_count        integer not null,
  fence                integer not null,
  process_id           text,
  leased_until         timestamp with time zone,
  dot_released_at      timestamp with time zone,
  budget_day           timestamp with time zone,
  budget_unit          integer,
  sent_at              timestamp with time zone,
  received_at          timestamp with time zone,
  received_in          text,
  received_message_id  text,
  folder               text,
  uid_validity         text,
  uid                  bigint,
  tend_at              timestamp with time zone,
  tend_holder          text,
  tend_leased_until    timestamp with time zone,
  tend_failures        integer not null,
  tended_at            timestamp with time zone,
  rescued_at           timestamp with time zone,
  created_at           timestamp with time zone not null,
  constraint warmup_mails_mode_check CHECK ((mode = 'live'::text)),
  constraint warmup_mails_pkey PRIMARY KEY (workspace_id, id),
  constraint warmup_mails_place_check CHECK ((place >= 0)),
  constraint warmup_mails_received_in_check CHECK ((received_in = ANY (ARRAY['inbox'::text, 'junk'::text]))),
  constraint warmup_mails_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'sending'::text, 'sent'::text, 'unknown'::text, 'failed'::text, 'canceled'::text])))
);
CREATE INDEX warmup_mails_age ON public.warmup_mails USING btree (created_at);
CREATE INDEX warmup_mails_due ON public.warmup_mails USING btree (due_at) WHERE (state = 'planned'::text);
CREATE INDEX warmup_mails_expected ON public.warmup_mails USING btree (to_workspace_id, to_inbox_id) WHERE (state = 'planned'::text);
CREATE INDEX warmup_mails_open ON public.warmup_mails USING btree (leased_until) WHERE (state = 'sending'::text);
CREATE INDEX warmup_mails_spent ON public.warmup_mails USING btree (workspace_id, inbox_id, budget_day) WHERE (budget_day IS NOT NULL);
CREATE INDEX warmup_mails_tend ON public.warmup_mails USING btree (tend_at) WHERE (tend_at IS NOT NULL);
CREATE UNIQUE INDEX warmup_mails_once_a_day ON public.warmup_mails USING btree (workspace_id, inbox_id, to_workspace_id, to_inbox_id, day) WHERE (place = 0);
CREATE UNIQUE INDEX warmup_mails_once_answered ON public.warmup_mails USING btree (workspace_id, inbox_id, thread_id, place);
-- on warmup_mails: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on warmup_mails: row level security;

create table webhook_deliveries (
  workspace_id     text collate "C" not null,
  webhook_id       text collate "C" not null,
  id               text collate "C" not null,
  mode             text not null,
  event_id         text collate "C" not null,
  event_type       text not null,
  attempt          integer not null,
  trigger          text not null,
  failures         integer not null,
  status           text not null,
  body             text,
  response_status  integer,
  error            text,
  latency_ms       integer,
  next_attempt_at  timestamp with time zone,
  leased_until     timestamp with time zone,
  attempted_at     timestamp with time zone,
  created_at       timestamp with time zone not null,
  lease_holder     text,
  constraint webhook_deliveries_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint webhook_deliveries_pkey PRIMARY KEY (workspace_id, webhook_id, id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  constraint webhook_deliveries_trigger_check CHECK ((trigger = ANY (ARRAY['event'::text, 'retry'::text, 'redeliver'::text, 'test'::text, 'verification'::text]))),
  constraint webhook_deliveries_workspace_id_webhook_id_event_id_attempt_key UNIQUE (workspace_id, webhook_id, event_id, attempt)
);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (workspace_id, webhook_id, next_attempt_at) WHERE (status = 'pending'::text);
CREATE INDEX webhook_deliveries_list ON public.webhook_deliveries USING btree (workspace_id, webhook_id, created_at, id);
-- on webhook_deliveries: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on webhook_deliveries: row level security;

create table webhook_endpoints (
  workspace_id            text collate "C" not null,
  id                      text collate "C" not null,
  mode                    text not null,
  url                     text not null,
  url_version             integer not null,
  url_set_at              timestamp with time zone not null,
  enabled_events          text[] not null,
  description             text,
  secret_sealed           text not null,
  previous_secret_sealed  text,
  previous_secret_until   timestamp with time zone,
  verified_at             timestamp with time zone,
  disabled                boolean not null,
  disabled_reason         text,
  consecutive_failures    integer not null,
  failing_since           timestamp with time zone,
  last_success_at         timestamp with time zone,
  last_failure_at         timestamp with time zone,
  taken_sequence          bigint not null,
  replayed_sequence       bigint,
  replay_until            bigint,
  created_at              timestamp with time zone not null,
  updated_at              timestamp with time zone not null,
  constraint webhook_endpoints_check CHECK ((disabled = (disabled_reason IS NOT NULL))),
  constraint webhook_endpoints_check1 CHECK (((replayed_sequence IS NULL) = (replay_until IS NULL))),
  constraint webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['manual'::text, 'failing'::text]))),
  constraint webhook_endpoints_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint webhook_endpoints_pkey PRIMARY KEY (workspace_id, id),
  constraint webhook_endpoints_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX webhook_endpoints_list ON public.webhook_endpoints USING btree (workspace_id, mode, created_at, id);
CREATE INDEX webhook_endpoints_open ON public.webhook_endpoints USING btree (workspace_id, mode) WHERE ((verified_at IS NOT NULL) AND (NOT disabled));
-- on webhook_endpoints: policy tenant_and_mode for * to public using (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true)))) with check (((workspace_id = current_setting('postrider.workspace_id'::text, true)) AND (mode = current_setting('postrider.mode'::text, true))));
-- on webhook_endpoints: row level security;

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
-- on workspaces: policy tenant for * to public using ((id = current_setting('postrider.workspace_id'::text, true))) with check ((id = current_setting('postrider.workspace_id'::text, true)));
-- on workspaces: row level security;

CREATE OR REPLACE FUNCTION public.gin_extract_query_trgm(text, internal, smallint, internal, internal, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_extract_query_trgm$function$

CREATE OR REPLACE FUNCTION public.gin_extract_value_trgm(text, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_extract_value_trgm$function$

CREATE OR REPLACE FUNCTION public.gin_trgm_consistent(internal, smallint, text, integer, internal, internal, internal, internal)
 RETURNS boolean
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_trgm_consistent$function$

CREATE OR REPLACE FUNCTION public.gin_trgm_triconsistent(internal, smallint, text, integer, internal, internal, internal)
 RETURNS "char"
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gin_trgm_triconsistent$function$

CREATE OR REPLACE FUNCTION public.gtrgm_compress(internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_compress$function$

CREATE OR REPLACE FUNCTION public.gtrgm_consistent(internal, text, smallint, oid, internal)
 RETURNS boolean
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_consistent$function$

CREATE OR REPLACE FUNCTION public.gtrgm_decompress(internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_decompress$function$

CREATE OR REPLACE FUNCTION public.gtrgm_distance(internal, text, smallint, oid, internal)
 RETURNS double precision
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_distance$function$

CREATE OR REPLACE FUNCTION public.gtrgm_in(cstring)
 RETURNS gtrgm
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_in$function$

CREATE OR REPLACE FUNCTION public.gtrgm_options(internal)
 RETURNS void
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE
AS '$libdir/pg_trgm', $function$gtrgm_options$function$

CREATE OR REPLACE FUNCTION public.gtrgm_out(gtrgm)
 RETURNS cstring
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_out$function$

CREATE OR REPLACE FUNCTION public.gtrgm_penalty(internal, internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_penalty$function$

CREATE OR REPLACE FUNCTION public.gtrgm_picksplit(internal, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_picksplit$function$

CREATE OR REPLACE FUNCTION public.gtrgm_same(gtrgm, gtrgm, internal)
 RETURNS internal
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_same$function$

CREATE OR REPLACE FUNCTION public.gtrgm_union(internal, internal)
 RETURNS gtrgm
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$gtrgm_union$function$

CREATE OR REPLACE FUNCTION public.refuse_event_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'events are immutable';
end $function$

CREATE OR REPLACE FUNCTION public.set_limit(real)
 RETURNS real
 LANGUAGE c
 STRICT
AS '$libdir/pg_trgm', $function$set_limit$function$

CREATE OR REPLACE FUNCTION public.show_limit()
 RETURNS real
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$show_limit$function$

CREATE OR REPLACE FUNCTION public.show_trgm(text)
 RETURNS text[]
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$show_trgm$function$

CREATE OR REPLACE FUNCTION public.similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity$function$

CREATE OR REPLACE FUNCTION public.similarity_dist(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity_dist$function$

CREATE OR REPLACE FUNCTION public.similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$similarity_op$function$

CREATE OR REPLACE FUNCTION public.strict_word_similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity$function$

CREATE OR REPLACE FUNCTION public.strict_word_similarity_commutator_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_commutator_op$function$

CREATE OR REPLACE FUNCTION public.strict_word_similarity_dist_commutator_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_dist_commutator_op$function$

CREATE OR REPLACE FUNCTION public.strict_word_similarity_dist_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_dist_op$function$

CREATE OR REPLACE FUNCTION public.strict_word_similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$strict_word_similarity_op$function$

CREATE OR REPLACE FUNCTION public.word_similarity(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity$function$

CREATE OR REPLACE FUNCTION public.word_similarity_commutator_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_commutator_op$function$

CREATE OR REPLACE FUNCTION public.word_similarity_dist_commutator_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_dist_commutator_op$function$

CREATE OR REPLACE FUNCTION public.word_similarity_dist_op(text, text)
 RETURNS real
 LANGUAGE c
 IMMUTABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_dist_op$function$

CREATE OR REPLACE FUNCTION public.word_similarity_op(text, text)
 RETURNS boolean
 LANGUAGE c
 STABLE PARALLEL SAFE STRICT
AS '$libdir/pg_trgm', $function$word_similarity_op$function$
