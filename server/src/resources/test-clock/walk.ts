// The worker's part: which clocks there are, who walks them, how far they have come, and what is due next.
import { inTransaction, planOnce, rowsOf } from '#store/db.ts';
import type { World } from '#world/ctx.ts';

/** A clock, and the advance that is open on it. */
export type Walk = {
  workspace_id: string;
  offset_ms: number;
  fence: number;
  advance_id: string | null;
  reached_at: Date | null;
  target_at: Date | null;
};

const COLUMNS = 'c.workspace_id, c.offset_ms, c.fence, a.id as advance_id, a.reached_at, a.target_at';

/** Every clock that nobody holds: those that somebody waits for first. */
export const clocksToWalk = (world: World, limit: number): Promise<Walk[]> =>
  rowsOf<Walk>(
    world.db,
    `select ${COLUMNS} from test_clocks c
       left join test_clock_advances a on a.workspace_id = c.workspace_id and a.done_at is null
      where c.leased_until is null or c.leased_until <= $1 order by a.id is null, c.workspace_id limit $2`,
    [world.clock.wall(), limit],
  );

/** Take a clock in hand; what stands in it now, with a new fence. Undefined when somebody else has. */
export async function leaseClock(world: World, workspaceId: string, { holder, until }: { holder: string; until: Date }): Promise<Walk | undefined> {
  const [row] = await rowsOf<Walk>(
    world.db,
    `with mine as (
       update test_clocks set lease_holder = $2, leased_until = $3, fence = fence + 1
        where workspace_id = $1 and (leased_until is null or leased_until <= $4) returning *)
     select ${COLUMNS} from mine c left join test_clock_advances a on a.workspace_id = c.workspace_id and a.done_at is null`,
    [workspaceId, holder, until, world.clock.wall()],
  );
  return row;
}

export const giveBackClock = (world: World, { workspace_id: workspaceId, fence }: Walk) =>
  rowsOf(world.db, 'update test_clocks set lease_holder = null, leased_until = null where workspace_id = $1 and fence = $2', [workspaceId, fence]);

/** Keep it in hand while the walk stands. False when another worker has it. */
export async function keepClock(world: World, { workspace_id: workspaceId, fence }: Walk, until: Date): Promise<boolean> {
  const text = 'update test_clocks set leased_until = $3 where workspace_id = $1 and fence = $2 returning 1';
  return (await rowsOf(world.db, text, [workspaceId, fence, until])).length > 0;
}

/** Before it had a test clock the lanes of all sent for this workspace: whether one still does. */
export async function hasLanes(world: World, workspaceId: string): Promise<boolean> {
  const text = `select 1 from inboxes where workspace_id = $1 and mode = 'test' and leased_until > $2 limit 1`;
  return (await rowsOf(world.db, text, [workspaceId, world.clock.wall()])).length > 0;
}

type Reached = { at: Date; processed: number; until: Date };

// The calendar first, so that nothing is written at a time that the workspace has not come to.
const REACH = `
  with moved as (
    update test_clocks set offset_ms = greatest(offset_ms, $3), leased_until = $4 where workspace_id = $1 and fence = $2 returning 1
  ), noted as (
    update test_clock_advances set reached_at = $5, processed = processed + $6
     where workspace_id = $1 and done_at is null and exists (select 1 from moved)
  )
  select 1 from moved`;

/** The walk has come to `at`. False when another worker has the clock. */
export async function reach(world: World, walk: Walk, { at, processed, until }: Reached): Promise<boolean> {
  const offset = Math.max(0, at.getTime() - world.clock.now().getTime());
  return (await rowsOf(world.db, REACH, [walk.workspace_id, walk.fence, offset, until, at, processed])).length > 0;
}

/** It has come to its end. */
export const endAdvance = (world: World, walk: Walk) =>
  rowsOf(
    world.db,
    `update test_clock_advances set done_at = $3
      where workspace_id = $1 and id = $2 and exists (select 1 from test_clocks where workspace_id = $1 and fence = $4)`,
    [walk.workspace_id, walk.advance_id, world.clock.wall(), walk.fence],
  );

// Each kind of thing that time brings about in test mode. Trouble that was not judged is due at once. An inbox that is not free before a certain
// time has nothing due before it. A campaign that found no inbox free is looked at when one may have become so: on a walk nothing else can change it,
// and idle looks would be most of the way.
const NEXT = `
  with inbox as materialized (select * from inboxes where workspace_id = $1 and mode = 'test'),
  free as materialized (
    select min(at) as at from inbox, lateral (values (day_resets_at), (planned_until), (next_send_at), (retry_at)) as t (at)
     where at > $2 and status in ('active', 'over_quota_today')
  )
  select 'plan' as kind, min(at) as at
    from campaigns c, lateral (
      select case when c.send_status is distinct from 'no_inbox_available' then c.next_plan_at
                  else (select greatest(c.next_plan_at, at) from free where at is not null) end as at) as look
   where c.workspace_id = $1 and c.mode = 'test' and c.status = 'running' and at > $2
  union all
  select 'react', min(due_at) from sandbox_reactions where workspace_id = $1 and done_at is null and due_at > $2
  union all
  select 'send', min(case when first.at is null then null
              when greatest(first.at, i.next_send_at, i.retry_at) > $2 then greatest(first.at, i.next_send_at, i.retry_at)
              else (select min(due_at) from sends s
                     where s.workspace_id = $1 and s.inbox_id = i.id and s.state = 'scheduled' and s.due_at > $2) end)
    from inbox i, lateral (
      select min(due_at) as at from sends s
       where s.workspace_id = $1 and s.inbox_id = i.id and s.state = 'scheduled' and s.due_at is not null) as first
   where i.status in ('active', 'over_quota_today')
  union all
  select 'new_day', min(day_resets_at) from inbox where status = 'over_quota_today' and day_resets_at > $2
  union all
  select 'recall', min(recall_at) from inbox where recall_at > $2
  union all
  select 'health', min(health_due_at) from inbox i
   where status <> 'revoked' and health_due_at > $2
     and (health_tier <> 'good' or exists (select from inbox_troubles t where t.workspace_id = $1 and t.inbox_id = i.id))
  union all
  select 'health', $2::timestamptz + interval '1 millisecond'
   where exists (select from inbox_troubles t join inbox i on i.id = t.inbox_id
                  where t.workspace_id = $1 and not t.is_judged and i.status <> 'revoked')
  union all
  select 'expire', min(s.scheduled_at + case when s.campaign_id is null then $3::bigint else $4::bigint end * interval '1 millisecond')
    from inbox i join sends s on s.workspace_id = i.workspace_id and s.inbox_id = i.id and s.state = 'scheduled' and s.due_at is not null
   where i.status not in ('active', 'over_quota_today')
     and s.scheduled_at + case when s.campaign_id is null then $3::bigint else $4::bigint end * interval '1 millisecond' > $2
  union all
  select 'deliver', min(d.next_attempt_at)
    from webhook_endpoints e, lateral (
      select next_attempt_at from webhook_deliveries d
       where d.workspace_id = e.workspace_id and d.webhook_id = e.id and d.status = 'pending' and d.next_attempt_at > $2
         and (e.verified_at is not null or d.event_type = 'webhook.verification')
       order by d.next_attempt_at limit 1) d
   where e.workspace_id = $1 and e.mode = 'test' and not e.disabled
  union all
  select 'endpoint', null where exists (select from webhook_endpoints where workspace_id = $1 and mode = 'test' and not disabled)`;

export type Kind = 'plan' | 'react' | 'send' | 'new_day' | 'recall' | 'health' | 'expire' | 'deliver';
/** `hasEndpoints`: whether there is anybody to be told of what happens. */
export type Next = { at: Date; kinds: ReadonlySet<Kind>; hasEndpoints: boolean };

/**
 * When the next thing is due in test mode of a workspace, later than `after`, and of which kinds; null when nothing is. Sends that wait in vain
 * expire after `expireMs`, those of campaigns are taken back after `takeBackMs`.
 */
export async function nextDue(
  world: World,
  workspaceId: string,
  after: Date,
  { expireMs, takeBackMs }: { expireMs: number; takeBackMs: number },
): Promise<Next | null> {
  type Row = { kind: Kind; at: Date | null } | { kind: 'endpoint'; at: null };
  const rows = await inTransaction(world, async ({ db }) => {
    await planOnce(db);
    return rowsOf<Row>(db, NEXT, [workspaceId, after, expireMs, takeBackMs]);
  });
  const first = Math.min(...rows.map((row) => row.at?.getTime() ?? Infinity));
  if (first === Infinity) return null;
  const kinds = new Set(rows.flatMap((row) => (row.kind !== 'endpoint' && row.at?.getTime() === first ? row.kind : [])));
  return { at: new Date(first), kinds, hasEndpoints: rows.some(({ kind }) => kind === 'endpoint') };
}
