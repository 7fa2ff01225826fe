create table contacts (
  workspace_id    text collate "C" not null references workspaces (id),
  id              text collate "C" not null,
  mode            text not null check (mode in ('live', 'test')),
  email           text not null,
  -- The address as it is compared: trimmed and lower-cased. `email` keeps the spelling first given.
  email_key       text collate "C" not null,
  attributes      jsonb not null,
  global_status   text not null check (global_status in ('ok', 'unsubscribed', 'bounced', 'blacklisted')),
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, mode, email_key)
);
create index contacts_list on contacts (workspace_id, mode, created_at, id);

create table audiences (
  workspace_id   text collate "C" not null references workspaces (id),
  id             text collate "C" not null,
  mode           text not null check (mode in ('live', 'test')),
  name           text not null,
  description    text,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (workspace_id, id)
);
create index audiences_list on audiences (workspace_id, mode, created_at, id);

create table audience_contacts (
  workspace_id   text collate "C" not null,
  audience_id    text collate "C" not null,
  contact_id     text collate "C" not null,
  created_at     timestamptz not null,
  primary key (workspace_id, audience_id, contact_id),
  foreign key (workspace_id, audience_id) references audiences (workspace_id, id) on delete cascade,
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index audience_contacts_contact on audience_contacts (workspace_id, contact_id);

create table contact_imports (
  workspace_id       text collate "C" not null references workspaces (id),
  id                 text collate "C" not null,
  mode               text not null check (mode in ('live', 'test')),
  status             text not null check (status in ('queued', 'processing', 'succeeded', 'failed')),
  total_rows         integer not null,
  succeeded_rows     integer not null,
  failed_rows        integer not null,
  errors             jsonb not null,
  audience_id        text collate "C",
  audience_created   boolean not null,
  created_at         timestamptz not null,
  started_at         timestamptz,
  completed_at       timestamptz,
  primary key (workspace_id, id)
);
create index contact_imports_list on contact_imports (workspace_id, mode, created_at, id);

create table suppressions (
  workspace_id     text collate "C" not null references workspaces (id),
  id               text collate "C" not null,
  mode             text not null check (mode in ('live', 'test')),
  email            text not null,
  email_key        text collate "C" not null,
  reason           text not null check (reason in ('unsubscribe', 'hard_bounce', 'manual')),
  source_send_id   text collate "C",
  created_at       timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, mode, email_key)
);
create index suppressions_list on suppressions (workspace_id, mode, created_at, id);
