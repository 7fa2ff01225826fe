import { rowsOf } from '#store/db.ts';
import type { World } from '#world/ctx.ts';
import { inScope } from '#world/scope.ts';

/** An endpoint and what there is to do for it. */
export type Found = { workspace_id: string; id: string; consecutive_failures: number; has_due: boolean; has_events: boolean; has_replay: boolean };

// Endpoints with rows that are due are found by hopping along the index of what is pending, from endpoint to endpoint: the cost grows with the
// endpoints that have something pending, not with what is pending.
const DUE = `
  with recursive waiting as (
    (select workspace_id, webhook_id from webhook_deliveries where status = 'pending' order by workspace_id, webhook_id limit 1)
    union all
    select next.workspace_id, next.webhook_id
      from waiting, lateral (
        select workspace_id, webhook_id from webhook_deliveries
         where status = 'pending' and (workspace_id, webhook_id) > (waiting.workspace_id, waiting.webhook_id)
         order by workspace_id, webhook_id limit 1) as next
  )
  select e.workspace_id, e.id, e.consecutive_failures
    from waiting join webhook_endpoints e on e.workspace_id = waiting.workspace_id and e.id = waiting.webhook_id
   where not e.disabled and ${inScope('e')} and exists (
     select 1 from webhook_deliveries d
      where d.workspace_id = e.workspace_id and d.webhook_id = e.id and d.status = 'pending' and d.next_attempt_at <= $1
        and (d.leased_until is null or d.leased_until <= $2) and (e.verified_at is not null or d.event_type = 'webhook.verification'))
   order by e.workspace_id, e.id`;

const BEHIND = `
  select e.workspace_id, e.id, e.consecutive_failures, e.taken_sequence < c.last_sequence as has_events, e.replayed_sequence is not null as has_replay
    from webhook_endpoints e join event_counters c on c.workspace_id = e.workspace_id and c.mode = e.mode
   where e.verified_at is not null and not e.disabled and (e.taken_sequence < c.last_sequence or e.replayed_sequence is not null)
     and ${inScope('e')}
   order by e.workspace_id, e.id`;

/** Every endpoint for which there is something to do now, but for those that a test clock drives. */
export async function findPoints(world: World): Promise<Found[]> {
  const due = await rowsOf<Pick<Found, 'workspace_id' | 'id' | 'consecutive_failures'>>(world.db, DUE, [world.clock.now(), world.clock.wall()]);
  const behind = await rowsOf<Omit<Found, 'has_due'>>(world.db, BEHIND, []);
  const points = new Map<string, Found>(behind.map((one) => [one.id, { ...one, has_due: false }]));
  for (const one of due) points.set(one.id, { ...(points.get(one.id) ?? { ...one, has_events: false, has_replay: false }), has_due: true });
  return [...points.values()];
}

const MAY_GO = `d.workspace_id = e.workspace_id and d.webhook_id = e.id and d.status = 'pending' and d.next_attempt_at <= $2
  and (e.verified_at is not null or d.event_type = 'webhook.verification')`;
const DRIVEN = `
  select * from (
    select e.workspace_id, e.id, e.consecutive_failures,
           exists (select 1 from webhook_deliveries d where ${MAY_GO} and (d.leased_until is null or d.leased_until <= $3)) as has_due,
           exists (select 1 from webhook_deliveries d where ${MAY_GO} and d.leased_until > $3) as has_leased,
           e.verified_at is not null and e.taken_sequence < coalesce(c.last_sequence, 0) as has_events,
           e.verified_at is not null and e.replayed_sequence is not null as has_replay
      from webhook_endpoints e left join event_counters c on c.workspace_id = e.workspace_id and c.mode = e.mode
     where e.workspace_id = $1 and e.mode = 'test' and not e.disabled) open
   where has_due or has_leased or has_events or has_replay order by id`;

/** `has_leased`: something of it is on its way, in whatever process. */
export type Driven = Found & { has_leased: boolean };

/** Endpoints of a workspace's test mode for which there is something to do at the world's time, or on its way in whatever process. */
export const findDriven = (world: World, workspaceId: string): Promise<Driven[]> =>
  rowsOf(world.db, DRIVEN, [workspaceId, world.clock.now(), world.clock.wall()]);
