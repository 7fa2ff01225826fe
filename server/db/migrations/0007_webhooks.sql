create table webhook_endpoints (
  workspace_id             text collate "C" not null references workspaces (id),
  id                       text collate "C" not null,
  mode                     text not null check (mode in ('live', 'test')),
  url                      text not null,
  -- Counts the addresses that it has had: an answer of an old one says nothing of the present one.
  url_version              integer not null,
  url_set_at               timestamptz not null,
  enabled_events           text[] not null,
  description              text,
  secret_sealed            text not null,
  previous_secret_sealed   text,
  previous_secret_until    timestamptz,
  verified_at              timestamptz,
  disabled                 boolean not null,
  disabled_reason          text check (disabled_reason in ('manual', 'failing')),
  consecutive_failures     integer not null,
  failing_since            timestamptz,
  last_success_at          timestamptz,
  last_failure_at          timestamptz,
  -- Of the event log: everything up to here has become a delivery, or is not wanted.
  taken_sequence           bigint not null,
  -- A replay under way: what lies after the first, up to and with the second.
  replayed_sequence        bigint,
  replay_until             bigint,
  created_at               timestamptz not null,
  updated_at               timestamptz not null,
  primary key (workspace_id, id),
  check (disabled = (disabled_reason is not null)),
  check ((replayed_sequence is null) = (replay_until is null))
);
create index webhook_endpoints_list on webhook_endpoints (workspace_id, mode, created_at, id);
create index webhook_endpoints_open on webhook_endpoints (workspace_id, mode) where verified_at is not null and not disabled;

-- One row for each attempt: what is due, and the log. Room is left on its pages, so that a claim stays in place.
create table webhook_deliveries (
  workspace_id      text collate "C" not null,
  webhook_id        text collate "C" not null,
  id                text collate "C" not null,
  mode              text not null check (mode in ('live', 'test')),
  event_id          text collate "C" not null,
  event_type        text not null,
  -- Counts everything that was ever tried of this event at this endpoint.
  attempt           integer not null,
  trigger           text not null check (trigger in ('event', 'retry', 'redeliver', 'test', 'verification')),
  -- How many tries of the present schedule have failed before this one.
  failures          integer not null,
  status            text not null check (status in ('pending', 'succeeded', 'failed')),
  -- The body of what is not in the event log.
  body              text,
  response_status   integer,
  error             text,
  latency_ms        integer,
  -- Of a pending one when it is due, of a failed one when it is tried again.
  next_attempt_at   timestamptz,
  leased_until      timestamptz,
  attempted_at      timestamptz,
  created_at        timestamptz not null,
  primary key (workspace_id, webhook_id, id),
  unique (workspace_id, webhook_id, event_id, attempt)
) with (fillfactor = 85);
create index webhook_deliveries_list on webhook_deliveries (workspace_id, webhook_id, created_at, id);
create index webhook_deliveries_due on webhook_deliveries (workspace_id, webhook_id, next_attempt_at) where status = 'pending';
