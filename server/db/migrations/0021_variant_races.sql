-- What has happened to mails of steps whose variants race, until the planner has counted it: rows are only added beside a send, so that nobody
-- waits for anybody, and taken away when they are counted. (No foreign key: what a step leaves behind is thrown away when it is met.)
create table variant_marks (
  workspace_id       text collate "C" not null,
  mode               text not null check (mode in ('live', 'test')),
  campaign_id        text collate "C" not null,
  campaign_step_id   text collate "C" not null,
  -- Empty where the step itself is to be judged anew.
  send_id            text collate "C" not null,
  -- `unclicked`: a click that had passed for a person's was a machine's.
  kind               text not null check (kind in ('sent', 'replied', 'opened', 'clicked', 'unclicked', 'judge')),
  -- That of the hit; 0 otherwise.
  nth                integer not null,
  -- Empty for the step's own text.
  variant_id         text collate "C" not null,
  primary key (workspace_id, campaign_id, campaign_step_id, send_id, kind, nth)
);

-- What was counted: mails that were sent, and those of them that a person answered, opened or clicked.
create table variant_counts (
  workspace_id       text collate "C" not null,
  campaign_step_id   text collate "C" not null,
  variant_id         text collate "C" not null,
  sent               integer not null,
  replied            integer not null,
  opened             integer not null,
  clicked            integer not null,
  primary key (workspace_id, campaign_step_id, variant_id),
  foreign key (workspace_id, campaign_step_id) references campaign_steps (workspace_id, id) on delete cascade
);
