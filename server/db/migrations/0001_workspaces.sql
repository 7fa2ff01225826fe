-- A workspace is the tenant: every table below but the named few belongs to one, and its key starts with workspace_id,
-- so that the schema can be spread over nodes by it. Time and ids always come from the service, never from the database.

create table workspaces (
  id                     text collate "C" primary key,
  name                   text not null,
  slug                   text,
  plan                   text check (plan in ('pro', 'scale', 'hyper')),
  plan_status            text check (plan_status in ('trialing', 'active', 'past_due')),
  trial_ends_at          timestamptz,
  current_period_end     timestamptz,
  cancel_at_period_end   boolean not null,
  created_at             timestamptz not null
);

-- Live sends by UTC month of their creation; canceled ones are taken off again.
create table usage_months (
  workspace_id   text collate "C" not null references workspaces (id),
  mode           text not null check (mode in ('live', 'test')),
  month          date not null,
  sends_count    integer not null,
  primary key (workspace_id, mode, month)
);

-- Which shares of a quota were reached and told: once in a period (a month for sends), or, where the period is '', once until the count
-- falls below it again. Live activity only.
create table usage_thresholds (
  workspace_id        text collate "C" not null references workspaces (id),
  quota               text not null check (quota in ('sends', 'contacts', 'webhooks')),
  period              text not null,
  threshold_percent   integer not null check (threshold_percent in (80, 100)),
  reached_at          timestamptz not null,
  primary key (workspace_id, quota, period, threshold_percent)
);

create table api_keys (
  workspace_id   text collate "C" not null references workspaces (id),
  id             text collate "C" not null,
  mode           text not null check (mode in ('live', 'test')),
  name           text not null,
  scope          text not null check (scope in ('read', 'write', 'admin')),
  auto_confirm   boolean not null,
  last_four      text not null,
  secret_hash    text not null,
  created_at     timestamptz not null,
  last_used_at   timestamptz,
  revoked_at     timestamptz,
  primary key (workspace_id, id)
);
create index api_keys_list on api_keys (workspace_id, mode, created_at, id);

-- No tenant's table: the one look-up that must work before the workspace is known.
create table api_key_secrets (
  secret_hash    text collate "C" primary key,
  workspace_id   text collate "C" not null,
  api_key_id     text collate "C" not null
);

-- The answer to a mutation, kept with its effect in one transaction.
create table idempotency_keys (
  workspace_id      text collate "C" not null,
  mode              text not null check (mode in ('live', 'test')),
  key               text collate "C" not null,
  method            text not null,
  path              text not null,
  body_hash         text not null,
  response_status   integer,
  response_body     text,
  resource_id       text,
  created_at        timestamptz not null,
  primary key (workspace_id, mode, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- No tenant's table: which processes are alive.
create table heartbeats (
  process_id   text collate "C" primary key,
  role         text not null,
  beat_at      timestamptz not null
);
