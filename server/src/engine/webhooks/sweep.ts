import { rowsOf } from '#store/db.ts';
import { LOG_KEPT_MS } from '#resources/webhooks/index.ts';
import type { World } from '#world/ctx.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 5_000;

// From endpoint to endpoint along the index of the log, deleted ones among them.
const LOGGED = `
  with recursive logged as (
    (select workspace_id, webhook_id from webhook_deliveries order by workspace_id, webhook_id limit 1)
    union all
    select next.workspace_id, next.webhook_id
      from logged, lateral (
        select workspace_id, webhook_id from webhook_deliveries
         where (workspace_id, webhook_id) > (logged.workspace_id, logged.webhook_id) order by workspace_id, webhook_id limit 1) as next
  )`;

// What waits for its turn is no log yet, unless its endpoint is gone.
const OLD_OF = `left join test_clocks c on c.workspace_id = e.workspace_id and e.mode = 'test', lateral (
      select workspace_id, webhook_id, id from webhook_deliveries o
       where o.workspace_id = e.workspace_id and o.webhook_id = e.id and o.status <> 'pending'
         and o.created_at < $1::timestamptz + coalesce(c.offset_ms, 0) * interval '1 millisecond'
       order by o.created_at limit $2) as old`;
const OLD = `${LOGGED}
  delete from webhook_deliveries d using (
    select old.* from logged join webhook_endpoints e on e.workspace_id = logged.workspace_id and e.id = logged.webhook_id ${OLD_OF}
    union all
    select gone.* from logged, lateral (
      select workspace_id, webhook_id, id from webhook_deliveries g
       where g.workspace_id = logged.workspace_id and g.webhook_id = logged.webhook_id order by g.created_at limit $2) as gone
     where not exists (select 1 from webhook_endpoints e where e.workspace_id = logged.workspace_id and e.id = logged.webhook_id)
  ) as dropped
   where d.workspace_id = dropped.workspace_id and d.webhook_id = dropped.webhook_id and d.id = dropped.id`;

// The same of one workspace whose test clock was moved.
const OLD_DRIVEN = `
  delete from webhook_deliveries d using (
    select old.* from webhook_endpoints e ${OLD_OF} where e.workspace_id = $3 and e.mode = 'test') as dropped
   where d.workspace_id = dropped.workspace_id and d.webhook_id = dropped.webhook_id and d.id = dropped.id
  returning 1`;

// What a disabled endpoint was still to be told; a retry that was announced in the log is announced no more.
const UNWANTED = `
  with dropped as (
    delete from webhook_deliveries d using (
      select waiting.* from webhook_endpoints e, lateral (
        select workspace_id, webhook_id, id from webhook_deliveries w
         where w.workspace_id = e.workspace_id and w.webhook_id = e.id and w.status = 'pending' and w.leased_until is null
         order by w.next_attempt_at limit $1) as waiting
       where e.disabled and ($2::text is null or (e.workspace_id = $2 and e.mode = 'test'))) as unwanted
     where d.workspace_id = unwanted.workspace_id and d.webhook_id = unwanted.webhook_id and d.id = unwanted.id and d.leased_until is null
    returning d.workspace_id, d.webhook_id, d.event_id
  )
  update webhook_deliveries d set next_attempt_at = null from dropped
   where d.workspace_id = dropped.workspace_id and d.webhook_id = dropped.webhook_id and d.event_id = dropped.event_id and d.status = 'failed'`;

/** Once a minute: removes what the log has kept for its 30 days, the rests of deleted endpoints, and what disabled ones were still to be told. */
export function sweeper(world: World): () => Promise<void> {
  let next = -Infinity;
  return async () => {
    if (world.clock.monotonic() < next) return;
    next = world.clock.monotonic() + EVERY_MS;
    await rowsOf(world.db, UNWANTED, [AT_ONCE, null]);
    await rowsOf(world.db, OLD, [new Date(world.clock.now().getTime() - LOG_KEPT_MS), AT_ONCE]);
  };
}

/** The same at once, for test mode of one workspace whose test clock was moved. */
export async function sweepDriven(world: World, workspaceId: string): Promise<void> {
  await rowsOf(world.db, UNWANTED, [AT_ONCE, workspaceId]);
  const before = new Date(world.clock.now().getTime() - LOG_KEPT_MS);
  while ((await rowsOf(world.db, OLD_DRIVEN, [before, AT_ONCE, workspaceId])).length === AT_ONCE);
}
