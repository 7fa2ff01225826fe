-- The pool of warm-up: inboxes that exchange mails among themselves. From when on an inbox belongs to it, and when its
-- next day is planned, or, once it has left, when what was planned with it is canceled.
alter table inboxes add column warmup_started_at timestamptz, add column next_warmup_at timestamptz;
create index inboxes_warmup on inboxes (next_warmup_at) where next_warmup_at is not null;
create index inboxes_warmup_pool on inboxes (workspace_id, id) where warmup_enabled;

-- A unit of an inbox's day is taken by a send or by a mail of the warm-up.
alter table budget_units alter column send_id drop not null, add column warmup_mail_id text collate "C",
  add constraint budget_units_taker check ((send_id is null) <> (warmup_mail_id is null));

-- Mails of the warm-up. They are no sends and no messages: nothing of them shows there. The texts follow from thread and place.
create table warmup_mails (
  workspace_id          text collate "C" not null,
  id                    text collate "C" not null,
  mode                  text not null check (mode = 'live'),
  inbox_id              text collate "C" not null,
  to_workspace_id       text collate "C" not null,
  to_inbox_id           text collate "C" not null,
  -- The id of the first mail of the exchange, and the how manieth this is: 0 opens, 1 answers it, 2 answers that …
  thread_id             text collate "C" not null,
  place                 integer not null check (place >= 0),
  -- The day, as the sender's calendar calls it.
  day                   date not null,
  rfc822_message_id     text collate "C" not null,
  -- What it answers and what that answered, oldest first.
  thread_references     text[] not null,
  state                 text not null check (state in ('planned', 'sending', 'sent', 'unknown', 'failed', 'canceled')),
  because               text,
  scheduled_at          timestamptz not null,
  due_at                timestamptz,
  attempt_count         integer not null,
  -- The number of its latest attempt; whoever holds an older one has lost it. An attempt counts as alive until leased_until.
  fence                 integer not null,
  process_id            text,
  leased_until          timestamptz,
  -- The one permission to write the final dot, and the unit of which day of the inbox it took.
  dot_released_at       timestamptz,
  budget_day            timestamptz,
  budget_unit           integer,
  sent_at               timestamptz,
  -- Where its recipient's mailbox had it when it was met first.
  received_at           timestamptz,
  received_in           text check (received_in in ('inbox', 'junk')),
  received_message_id   text,
  folder                text,
  uid_validity          text,
  uid                   bigint,
  -- When its recipient looks at it, and what came of that.
  tend_at               timestamptz,
  tend_holder           text,
  tend_leased_until     timestamptz,
  tend_failures         integer not null,
  tended_at             timestamptz,
  rescued_at            timestamptz,
  created_at            timestamptz not null,
  primary key (workspace_id, id)
);
-- Nobody opens a second exchange with the same inbox on one day, and nothing is answered twice.
create unique index warmup_mails_once_a_day on warmup_mails (workspace_id, inbox_id, to_workspace_id, to_inbox_id, day) where place = 0;
create unique index warmup_mails_once_answered on warmup_mails (workspace_id, inbox_id, thread_id, place);
create index warmup_mails_expected on warmup_mails (to_workspace_id, to_inbox_id) where state = 'planned';
create index warmup_mails_age on warmup_mails (created_at);
create index warmup_mails_due on warmup_mails (due_at) where state = 'planned';
create index warmup_mails_open on warmup_mails (leased_until) where state = 'sending';
create index warmup_mails_tend on warmup_mails (tend_at) where tend_at is not null;
create index warmup_mails_spent on warmup_mails (workspace_id, inbox_id, budget_day) where budget_day is not null;

-- What came of an inbox's warm-up, by the day on which its mails left; received by the day on which they came to it.
create table warmup_days (
  workspace_id      text collate "C" not null,
  inbox_id          text collate "C" not null,
  day               date not null,
  sent              integer not null default 0,
  received          integer not null default 0,
  landed_in_inbox   integer not null default 0,
  landed_in_junk    integer not null default 0,
  rescued           integer not null default 0,
  answered          integer not null default 0,
  primary key (workspace_id, inbox_id, day)
);
