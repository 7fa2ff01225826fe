-- Where the links of a tracked mail lead, by their place in it: a click names the place, never the address.
create table tracked_links (
  workspace_id   text collate "C" not null,
  send_id        text collate "C" not null,
  urls           text[] not null,
  primary key (workspace_id, send_id)
);

-- Who asked for the pixel of a mail, or followed one of its links. What was taken for a person first may be known for a machine by what comes next.
create table hits (
  workspace_id   text collate "C" not null,
  send_id        text collate "C" not null,
  -- Counts the hits of a send.
  nth            integer not null,
  mode           text not null check (mode in ('live', 'test')),
  kind           text not null check (kind in ('open', 'click')),
  url            text,
  made_by        text not null check (made_by in ('human', 'scanner', 'prefetch', 'self')),
  because        text not null,
  -- The first of its kind that a person made.
  is_first       boolean not null,
  -- Tells two visitors apart, and nobody who they are.
  address_hash   text,
  user_agent     text,
  at             timestamptz not null,
  primary key (workspace_id, send_id, nth),
  check ((kind = 'click') = (url is not null))
);
create unique index hits_first on hits (workspace_id, send_id, kind) where is_first;
