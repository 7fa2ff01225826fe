-- What went wrong with an inbox, counted by the hour: nothing is written for a mail that goes well. (Inboxes are never deleted; a foreign key
-- would lock their rows, which every release wants.)
create table inbox_troubles (
  workspace_id   text collate "C" not null,
  inbox_id       text collate "C" not null,
  hour           timestamptz not null,
  hard_bounces   integer not null,
  complaints     integer not null,
  failures       integer not null,
  auth_errors    integer not null,
  -- Since the last of these the inbox's health was worked out.
  is_judged      boolean not null,
  primary key (workspace_id, inbox_id, hour)
);
create index inbox_troubles_fresh on inbox_troubles (workspace_id, inbox_id) where not is_judged;
create index inbox_troubles_age on inbox_troubles (hour);
