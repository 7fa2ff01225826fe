-- Comes with PostgreSQL and needs no superuser: finds text inside text.
create extension if not exists pg_trgm;

create table contacts (
  -- Only who was let in as a workspace writes here; a look at it for each row of an import would cost a fifth of the insert.
  workspace_id    text collate "C" not null,
  id              text collate "C" not null,
  mode            text not null check (mode in ('live', 'test')),
  email           text not null,
  -- The address as it is compared: trimmed and lower-cased. `email` keeps the spelling first given.
  email_key       text collate "C" not null,
  attributes      jsonb not null,
  global_status   text not null check (global_status in ('ok', 'unsubscribed', 'bounced', 'blacklisted')),
  -- What the filter q looks in: the address and the values of the attributes, lower-cased, a line each.
  search_text     text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, mode, email_key)
);
create index contacts_list on contacts (workspace_id, mode, created_at, id);
-- The short list of what is not yet sorted in keeps any one insert from having to sort in much.
create index contacts_search on contacts using gin (search_text gin_trgm_ops) with (gin_pending_list_limit = 512);
create index contacts_status on contacts (workspace_id, mode, global_status, created_at, id) where global_status <> 'ok';
create index contacts_lead on contacts (workspace_id, mode, (attributes ->> 'lead_classification'), created_at, id)
  where (attributes ->> 'lead_classification') is not null;

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
  -- What is to be done with the file: mapping, audience, conflicts. Null once it is done, and of imports that were made within their call.
  wishes             jsonb,
  -- When a worker may take it up; null when nothing is left to do. A lease keeps others away, the fence keeps a late one from writing.
  due_at             timestamptz,
  lease_holder       text,
  leased_until       timestamptz,
  fence              integer not null,
  -- Times it was taken up since its last progress.
  attempt_count      integer not null,
  -- The rows of the file that are settled, good or bad: where the next worker goes on.
  settled_rows       integer not null,
  created_at         timestamptz not null,
  started_at         timestamptz,
  completed_at       timestamptz,
  primary key (workspace_id, id)
);
create index contact_imports_list on contact_imports (workspace_id, mode, created_at, id);
create index contact_imports_due on contact_imports (due_at) where due_at is not null;

-- The file of an import that waits, in parts; removed in the commit that ends it.
create table contact_import_parts (
  workspace_id   text collate "C" not null,
  import_id      text collate "C" not null,
  part           integer not null,
  content        bytea not null,
  primary key (workspace_id, import_id, part),
  foreign key (workspace_id, import_id) references contact_imports (workspace_id, id) on delete cascade
);
-- Compressing and unpacking it would cost more than the room that it takes for a minute.
alter table contact_import_parts alter column content set storage external;

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
