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
  -- As the resource was shown, to the letter: nobody looks inside, and taking it apart would cost more than writing it.
  data           json not null,
  previous       json,
  metadata       json,
  created_at     timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, mode, sequence)
);

create index events_resource on events (workspace_id, mode, resource_id, sequence);

-- Seldom types, for filters by type: what is frequent is found by walking the log, and costs no second index on its way in.
create index events_seldom on events (workspace_id, mode, type, sequence)
  where type not in ('contact.created', 'send.scheduled', 'send.sending', 'send.sent', 'message.opened', 'message.clicked',
                     'campaign.contact.advanced');

-- What happened stays as it was written.
create function refuse_event_change() returns trigger language plpgsql as $$
begin
  raise exception 'events are immutable';
end $$;
create trigger events_are_immutable before update or delete on events for each row execute function refuse_event_change();
create trigger events_are_kept before truncate on events for each statement execute function refuse_event_change();
