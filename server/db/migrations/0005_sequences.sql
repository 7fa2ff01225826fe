create table sequences (
  workspace_id   text collate "C" not null references workspaces (id),
  id             text collate "C" not null,
  mode           text not null check (mode in ('live', 'test')),
  name           text not null,
  description    text,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (workspace_id, id)
);
create index sequences_list on sequences (workspace_id, mode, created_at, id);

create table sequence_steps (
  workspace_id         text collate "C" not null,
  id                   text collate "C" not null,
  sequence_id          text collate "C" not null,
  step_order           integer not null check (step_order >= 0),
  delay_minutes        integer not null check (delay_minutes >= 0),
  subject              text not null,
  body_html            text not null,
  body_text            text not null,
  variants             jsonb,
  winning_variant_id   text,
  auto_winner          jsonb,
  primary key (workspace_id, id),
  unique (workspace_id, sequence_id, step_order) deferrable initially immediate,
  foreign key (workspace_id, sequence_id) references sequences (workspace_id, id) on delete cascade
);

create table campaigns (
  workspace_id                text collate "C" not null references workspaces (id),
  id                          text collate "C" not null,
  mode                        text not null check (mode in ('live', 'test')),
  name                        text not null,
  status                      text not null check (status in ('draft', 'running', 'paused', 'completed')),
  sequence_id                 text collate "C",
  schedule                    jsonb not null,
  sending_inbox_ids           text[] not null,
  sending_inbox_tags          text[] not null,
  track_opens                 boolean not null,
  track_clicks                boolean not null,
  inject_unsubscribe_footer   boolean not null,
  send_status                 text check (send_status in ('sending', 'outside_schedule', 'no_inbox_available', 'waiting_on_followup_delays',
                                'quota_exceeded', 'not_entitled', 'no_active_leads', 'bounce_protection')),
  send_status_at              timestamptz,
  paused_reason               text check (paused_reason in ('bounce_protection')),
  -- When the planner looks next; null while there is nothing that time alone could change.
  next_plan_at                timestamptz,
  -- When its steps or senders were last changed: what was planned before that is planned anew.
  edited_at                   timestamptz,
  -- Bounce protection: hard bounces since the start, or since the last resume from it (`bounces_from`), and how many sends of that time were
  -- counted last. There may be more by now, never fewer.
  hard_bounces                integer not null default 0,
  bounces_from                timestamptz,
  sends_known                 integer not null default 0,
  -- For each inbox, in milliseconds: the last send planned (at), when the next new lead may have one (fresh), since when it waits for a turn (wants).
  pace                        jsonb not null default '{}',
  created_at                  timestamptz not null,
  updated_at                  timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, sequence_id) references sequences (workspace_id, id) on delete set null (sequence_id)
);
create index campaigns_list on campaigns (workspace_id, mode, created_at, id);
create index campaigns_plan on campaigns (next_plan_at, id) where status = 'running' and next_plan_at is not null;

-- A campaign's own copy of its sequence's steps.
create table campaign_steps (
  workspace_id         text collate "C" not null,
  id                   text collate "C" not null,
  campaign_id          text collate "C" not null,
  source_step_id       text collate "C",
  step_order           integer not null check (step_order >= 0),
  delay_minutes        integer not null check (delay_minutes >= 0),
  subject              text not null,
  body_html            text not null,
  body_text            text not null,
  variants             jsonb,
  winning_variant_id   text,
  auto_winner          jsonb,
  primary key (workspace_id, id),
  unique (workspace_id, campaign_id, step_order) deferrable initially immediate,
  foreign key (workspace_id, campaign_id) references campaigns (workspace_id, id) on delete cascade
);

create table enrollments (
  workspace_id         text collate "C" not null,
  id                   text collate "C" not null,
  mode                 text not null check (mode in ('live', 'test')),
  campaign_id          text collate "C" not null,
  contact_id           text collate "C" not null,
  contact_email        text not null,
  current_step         integer not null,
  status               text not null check (status in ('active', 'replied', 'bounced', 'unsubscribed', 'finished', 'failed', 'removed')),
  next_send_at         timestamptz,
  assigned_inbox_id    text collate "C",
  -- When the planner may plan the current step; null while a send of it is under way or the enrollment is over.
  plan_due_at          timestamptz,
  -- The thread so far: follow-ups with a blank subject go into it.
  thread_subject       text,
  thread_message_ids   text[] not null,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, campaign_id, contact_id),
  foreign key (workspace_id, campaign_id) references campaigns (workspace_id, id) on delete cascade,
  foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade
);
create index enrollments_list on enrollments (workspace_id, campaign_id, created_at, id);
create index enrollments_contact on enrollments (workspace_id, contact_id);
-- The inbox comes last: whoever waits for one without a slot is passed over in the index.
create index enrollments_due on enrollments (workspace_id, campaign_id, (current_step > 0) desc, plan_due_at, id, assigned_inbox_id)
  where plan_due_at is not null;
