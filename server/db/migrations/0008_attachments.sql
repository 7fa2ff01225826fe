-- Files that go with sends, each kept once in a workspace, however many sends it goes with. They are dropped some weeks after their last use.
create table attachments (
  workspace_id   text collate "C" not null references workspaces (id),
  sha256         text collate "C" not null,
  content        bytea not null,
  -- The latest time at which a send was made that it goes with, or at which one was found that has not ended.
  used_at        timestamptz not null,
  primary key (workspace_id, sha256)
);
-- Files are packed already.
alter table attachments alter column content set storage external;
create index attachments_used on attachments (used_at);

-- [{filename, content_type, sha256}], null where nothing is attached.
alter table send_contents add column attachments jsonb;
alter table send_contents add column track_opens boolean;
alter table send_contents add column track_clicks boolean;
create index send_contents_attached on send_contents using gin (attachments jsonb_path_ops) where attachments is not null;

-- To whom else a send goes: whoever stops mail to an address finds the sends that it is on a copy of.
create table send_copies (
  workspace_id   text collate "C" not null,
  mode           text not null check (mode in ('live', 'test')),
  email_key      text collate "C" not null,
  send_id        text collate "C" not null,
  primary key (workspace_id, mode, email_key, send_id)
);

-- Whose turn it is: of several inboxes the one that had its last turn the longest ago comes next.
create table inbox_turns (
  workspace_id   text collate "C" not null,
  inbox_id       text collate "C" not null,
  last_turn      bigint not null,
  primary key (workspace_id, inbox_id),
  foreign key (workspace_id, inbox_id) references inboxes (workspace_id, id) on delete cascade
);

-- The threads in which somebody has answered.
create index messages_replies on messages (workspace_id, inbox_id, thread_id) where classification = 'reply';
