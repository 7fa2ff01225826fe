-- What is known of a send, without its texts. A row is written when it is made, when a worker takes it up and when its outcome is known. The
-- second of these changes nothing that an index knows, and pages keep room for it, so that it costs no index a new entry.
-- (No foreign key to inboxes here or in messages: an inbox is never deleted, and the check would lock its row, which every release wants.)
create table sends (
  workspace_id          text collate "C" not null,
  id                    text collate "C" not null,
  mode                  text not null check (mode in ('live', 'test')),
  inbox_id              text collate "C" not null,
  to_email              text not null,
  to_email_key          text collate "C" not null,
  to_name               text,
  subject               text not null,
  state                 text not null check (state in ('scheduled', 'sending', 'sent', 'failed', 'canceled')),
  failure_reason        text check (failure_reason in ('invalid_recipient', 'recipient_rejected', 'content_rejected', 'suppressed',
                          'inbox_disconnected', 'authentication_failed', 'rate_limited', 'connection_failed', 'timeout', 'outcome_unknown',
                          'message_too_large', 'template_error', 'quota_exceeded', 'expired', 'provider_error')),
  failure_detail        text,
  provider_message_id   text,
  provider_thread_id    text,
  rfc822_message_id     text collate "C" not null,
  in_reply_to           text,
  thread_references     text[] not null,
  is_reply              boolean not null,
  attempt_count         integer not null,
  scheduled_at          timestamptz not null,
  sent_at               timestamptz,
  canceled_at           timestamptz,
  created_at            timestamptz not null,
  metadata              jsonb,
  campaign_id           text collate "C",
  contact_id            text collate "C",
  enrollment_id         text collate "C",
  campaign_step_id      text collate "C",
  variant_id            text,
  -- When the engine may take it; kept while it is being sent, null while it is held (its campaign is paused) or no longer to be sent.
  due_at                timestamptz,
  -- The number of its latest attempt. Whoever holds an older one has lost it.
  fence                 integer not null,
  is_open               boolean generated always as (state in ('scheduled', 'sending')) stored,
  primary key (workspace_id, id)
) with (fillfactor = 50);
create unique index sends_message_id on sends (workspace_id, rfc822_message_id);
create unique index sends_once_per_step on sends (workspace_id, campaign_id, contact_id, campaign_step_id)
  where campaign_id is not null and canceled_at is null;
create index sends_due on sends (workspace_id, inbox_id, due_at, id) where due_at is not null;
create index sends_address on sends (workspace_id, to_email_key);
create index sends_open_campaign on sends (workspace_id, campaign_id) where is_open and campaign_id > '';
create index sends_enrollment on sends (workspace_id, enrollment_id) where is_open and enrollment_id > '';
create index sends_list on sends (workspace_id, mode, created_at, id);

-- The texts of a send, written once. Kept as they are up to the size of a page: packing them costs more than it saves.
create table send_contents (
  workspace_id   text collate "C" not null,
  send_id        text collate "C" not null,
  body_html      text,
  body_text      text,
  cc             jsonb,
  bcc            jsonb,
  reply_to       text,
  headers        jsonb,
  primary key (workspace_id, send_id)
) with (toast_tuple_target = 8160);

-- One row for each time a send was taken up, written before any byte leaves.
create table send_attempts (
  workspace_id      text collate "C" not null,
  send_id           text collate "C" not null,
  -- The fence under which it was taken up.
  attempt           integer not null,
  process_id        text not null,
  started_at        timestamptz not null,
  -- Until then its worker counts as alive; null once it has ended.
  leased_until      timestamptz,
  -- The one permission to write the final dot. Once set, no other attempt may be made unless this one was refused in so many words.
  dot_released_at   timestamptz,
  -- When the reconciler looks for evidence, where no outcome came after the release.
  reconcile_at      timestamptz,
  ended_at          timestamptz,
  outcome           text check (outcome in ('accepted', 'refused', 'broken', 'denied', 'unknown', 'abandoned')),
  phase             text,
  reply_code        integer,
  reply_enhanced    text,
  reply_text        text,
  primary key (workspace_id, send_id, attempt)
) with (fillfactor = 50);
create index send_attempts_open on send_attempts (leased_until) where leased_until is not null;

-- Which send took which unit of an inbox's day: no unit is spent twice.
create table budget_units (
  workspace_id   text collate "C" not null,
  inbox_id       text collate "C" not null,
  day            timestamptz not null,
  unit           integer not null,
  send_id        text collate "C" not null,
  primary key (workspace_id, inbox_id, day, unit)
);

create table messages (
  workspace_id         text collate "C" not null,
  id                   text collate "C" not null,
  mode                 text not null check (mode in ('live', 'test')),
  inbox_id             text collate "C" not null,
  direction            text not null check (direction in ('inbound', 'outbound')),
  classification       text check (classification in ('reply', 'auto_reply', 'bounce', 'unrelated')),
  -- Which rule judged it, and why, in a sentence.
  verdict_rule         text,
  verdict_because      text,
  -- The provider's thread id, as the interface names it.
  thread_id            text not null,
  -- What makes it the same message wherever it is met: its Message-ID, or a hash of it where it has none.
  identity             text collate "C" not null,
  rfc822_message_id    text collate "C",
  in_reply_to          text,
  from_email           text,
  from_name            text,
  to_email             text,
  subject              text,
  bounce_type          text check (bounce_type in ('hard', 'soft', 'unknown')),
  bounce_status_code   text,
  bounce_diagnostic    text,
  matched_send_id      text collate "C",
  folder               text,
  uid_validity         text,
  uid                  bigint,
  received_at          timestamptz,
  created_at           timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, inbox_id, identity)
);
create index messages_list on messages (workspace_id, mode, created_at, id);
create index messages_thread on messages (workspace_id, inbox_id, thread_id, created_at, id);
-- What we sent is found by its identity, which is its Message-ID.
create index messages_came on messages (workspace_id, rfc822_message_id) where direction = 'inbound';
create index messages_about on messages (workspace_id, matched_send_id) where matched_send_id > '';

-- Inbound messages that could not be taken in: set aside so that those behind them are.
create table quarantined_messages (
  workspace_id   text collate "C" not null,
  inbox_id       text collate "C" not null,
  role           text not null,
  uid_validity   text not null,
  uid            bigint not null,
  failures       integer not null,
  problem        text not null,
  quarantined    boolean not null,
  updated_at     timestamptz not null,
  primary key (workspace_id, inbox_id, role, uid_validity, uid),
  foreign key (workspace_id, inbox_id) references inboxes (workspace_id, id) on delete cascade
);
