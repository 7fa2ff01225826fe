create table inboxes (
  workspace_id           text collate "C" not null references workspaces (id),
  id                     text collate "C" not null,
  mode                   text not null check (mode in ('live', 'test')),
  provider               text not null check (provider in ('google', 'microsoft', 'mailprovider', 'smtp', 'sandbox')),
  email_address          text not null,
  email_key              text collate "C" not null,
  display_name           text,
  status                 text not null check (status in
                           ('connecting', 'active', 'token_expired', 'revoked', 'over_quota_today', 'unhealthy', 'paused', 'failed')),
  status_reason          text,
  daily_limit            integer not null check (daily_limit between 1 and 500),
  ramp_enabled           boolean not null,
  ramp_start             integer not null,
  ramp_end               integer not null,
  ramp_days              integer not null,
  ramp_started_at        timestamptz not null,
  min_gap_seconds        integer not null,
  max_gap_seconds        integer not null,
  signature_html         text,
  signature_text         text,
  reply_to               text,
  tags                   text[] not null,
  health_score           integer,
  -- The tier that was last told of; until when an unhealthy inbox rests at least; when its health is worked out next.
  health_tier            text not null default 'good' check (health_tier in ('good', 'degraded', 'paused')),
  rests_until            timestamptz,
  health_due_at          timestamptz not null,
  warmup_enabled         boolean not null,
  timezone               text not null,
  smtp_host              text,
  smtp_port              integer,
  smtp_security          text check (smtp_security in ('ssl', 'starttls')),
  smtp_username          text,
  smtp_password_sealed   text,
  imap_host              text,
  imap_port              integer,
  imap_security          text check (imap_security in ('ssl', 'starttls')),
  imap_username          text,
  imap_password_sealed   text,
  sandbox_config         jsonb,
  -- The sending day: its first instant, the instant at which the count starts anew, and how much of the cap it has used.
  -- The reset is an instant and not a date, so that a changed time zone cannot buy a second allowance.
  day_started_at         timestamptz not null,
  day_resets_at          timestamptz not null,
  day_count              integer not null,
  -- Pacing: no dot before next_send_at; planned_until is how far the campaigns have planned this inbox.
  next_send_at           timestamptz not null,
  planned_until          timestamptz not null,
  -- When the cap has risen over what was sent today: what it had put off until tomorrow is to be brought back.
  recall_at              timestamptz,
  -- One lease = one connection = one pacing counter. Whoever holds it may claim this inbox's sends.
  lease_holder           text,
  leased_until           timestamptz,
  -- Temporary troubles of the connection (not of one send) hold the whole inbox back.
  retry_at               timestamptz,
  connect_failures       integer not null,
  login_refusals         integer not null,
  next_poll_at           timestamptz,
  poll_lease_holder      text,
  poll_leased_until      timestamptz,
  poll_failures          integer not null,
  imap_login_refusals    integer not null,
  last_send_at           timestamptz,
  last_poll_at           timestamptz,
  created_at             timestamptz not null,
  revoked_at             timestamptz,
  primary key (workspace_id, id)
);
create unique index inboxes_address on inboxes (workspace_id, mode, email_key) where status <> 'revoked';
create index inboxes_by_address on inboxes (workspace_id, mode, email_key);
create index inboxes_list on inboxes (workspace_id, mode, created_at, id);
create index inboxes_poll on inboxes (next_poll_at) where next_poll_at is not null;
create index inboxes_health on inboxes (health_due_at) where status <> 'revoked';
create index inboxes_recall on inboxes (recall_at) where recall_at is not null;

-- How far each folder of a mailbox has been read.
create table inbox_folders (
  workspace_id      text collate "C" not null,
  inbox_id          text collate "C" not null,
  role              text not null check (role in ('inbox', 'junk', 'sent')),
  path              text not null,
  uid_validity      text not null,
  last_uid          bigint not null,
  updated_at        timestamptz not null,
  primary key (workspace_id, inbox_id, role),
  foreign key (workspace_id, inbox_id) references inboxes (workspace_id, id) on delete cascade
);

-- How many connections were tried in the minute that is running, so that nobody tries passwords through us.
create table inbox_connect_attempts (
  workspace_id   text collate "C" primary key references workspaces (id),
  minute         timestamptz not null,
  attempts       integer not null
);

-- Links by which a person connects a mailbox in a browser. Only a hash of the token is kept; the link lives for an hour.
create table connect_links (
  workspace_id      text collate "C" not null references workspaces (id),
  token_hash        text collate "C" not null,
  mode              text not null check (mode in ('live', 'test')),
  provider          text not null check (provider in ('google', 'microsoft', 'mailprovider')),
  redirect_url      text not null,
  -- The secret half of PKCE (RFC 7636), sealed.
  verifier_sealed   text not null,
  created_at        timestamptz not null,
  expires_at        timestamptz not null,
  primary key (workspace_id, token_hash)
);
create index connect_links_age on connect_links (expires_at);
