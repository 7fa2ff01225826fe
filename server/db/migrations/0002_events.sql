create table event_counters (
  workspace_id    text collate "C" not null,
  mode            text not null check (mode in ('live', 'test')),
  last_sequence   bigint not null,
  primary key (workspace_id, mode)
);

create table events (
  workspace_id   text collate "C" not null,
  id             text collate "C" not null,
  mode           text not null check (mode in ('live', 'test')),
  sequence       bigint not null,
  type           text not null,
  resource_id    text collate "C" not null,
  data           jsonb not null,
  previous       jsonb,
  metadata       jsonb,
  created_at     timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, mode, sequence)
);

create index events_resource on events (workspace_id, mode, resource_id, sequence);

-- What happened stays as it was written.
create function refuse_event_change() returns trigger language plpgsql as $$
begin
  raise exception 'events are immutable';
end $$;
create trigger events_are_immutable before update or delete on events for each row execute function refuse_event_change();
