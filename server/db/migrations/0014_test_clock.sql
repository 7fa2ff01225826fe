-- How far test mode of a workspace is ahead of real time. It has a row once it was first moved; from then on the walker alone carries out what
-- falls due in it (see engine/test-clock), so that its lease is the one that counts there.
create table test_clocks (
  workspace_id   text collate "C" primary key references workspaces (id),
  offset_ms      bigint not null check (offset_ms >= 0),
  fence          integer not null,
  lease_holder   text,
  leased_until   timestamptz,
  created_at     timestamptz not null
);

-- One call to move a clock; kept for a day after it is done.
create table test_clock_advances (
  workspace_id   text collate "C" not null references workspaces (id),
  id             text collate "C" not null,
  from_at        timestamptz not null,
  target_at      timestamptz not null,
  -- How far the walk has come, and how many sends and reactions it has met. Whoever takes it up after a crash goes on from there.
  reached_at     timestamptz not null,
  processed      integer not null,
  created_at     timestamptz not null,
  done_at        timestamptz,
  primary key (workspace_id, id)
);
-- One at a time.
create unique index test_clock_advances_open on test_clock_advances (workspace_id) where done_at is null;

-- What the recipients of a sandbox inbox will do, drawn when the mail was sent. Each happens once.
create table sandbox_reactions (
  workspace_id   text collate "C" not null,
  mode           text not null check (mode = 'test'),
  send_id        text collate "C" not null,
  kind           text not null check (kind in ('open', 'click', 'reply', 'reply_interested', 'auto_reply', 'bounce', 'soft_bounce',
                   'unsubscribe', 'complaint')),
  due_at         timestamptz not null,
  done_at        timestamptz,
  -- Why it could not be carried out.
  problem        text,
  primary key (workspace_id, send_id, kind)
);
create index sandbox_reactions_due on sandbox_reactions (due_at, workspace_id) where done_at is null;
create index sandbox_reactions_of on sandbox_reactions (workspace_id, due_at) where done_at is null;
