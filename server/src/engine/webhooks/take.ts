// Taking up work. A row is leased in the statement that makes it or takes it, and is sent at most once by whoever leased it: when a lease runs
// out, nobody knows whether it was sent, so that attempt is closed and another one, with a number of its own, takes its place.
import { newId } from '#platform/ids.ts';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Delivery, LOGGED, type LoggedEvent, type Webhook, payloadOf } from '#resources/webhooks/index.ts';
import type { World } from '#world/ctx.ts';

export type Taken = Pick<
  Delivery,
  'workspace_id' | 'webhook_id' | 'id' | 'mode' | 'event_id' | 'event_type' | 'attempt' | 'trigger' | 'failures' | 'leased_until'
> & {
  body: string;
  /** The body, where it stands in no log of events. */
  kept: string | null;
};
export type Place = { workspace_id: string; id: string; room: number };
/** The process that takes something in hand; null for one that has no name. */
export type Holder = string | null;

/** An exchange takes 15 seconds at most, and none is begun that a lease might not outlive. */
export const LEASE_MS = 45_000;
export const leaseEnd = (world: World): Date => new Date(world.clock.wall().getTime() + LEASE_MS);

const columns = (places: readonly Place[]) => [places.map((one) => one.workspace_id), places.map((one) => one.id), places.map((one) => one.room)];

export const ENDPOINTS = `select e.* from unnest($1::text[], $2::text[]) as wanted (workspace_id, id)
  join webhook_endpoints e on e.workspace_id = wanted.workspace_id and e.id = wanted.id`;

/** The endpoints of these places as they are now. */
export async function endpointsOf(world: World, places: readonly Place[]): Promise<Map<string, Webhook>> {
  const [workspaceIds, ids] = columns(places);
  const rows = await rowsOf<Webhook>(world.db, ENDPOINTS, [workspaceIds, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

const LANE = `unnest($1::text[], $2::text[], $3::int[]) as lane (workspace_id, id, room)
  join webhook_endpoints e on e.workspace_id = lane.workspace_id and e.id = lane.id and not e.disabled`;
const DUE = `d.workspace_id = e.workspace_id and d.webhook_id = e.id and d.status = 'pending' and d.next_attempt_at <= $4
  and (e.verified_at is not null or d.event_type = 'webhook.verification')`;

// Materialized, so that the picking happens once, whatever the planner thinks.
const CLAIM = `
  with due as materialized (
    select picked.* from ${LANE}, lateral (
      select d.workspace_id, d.webhook_id, d.id from webhook_deliveries d where ${DUE} and d.leased_until is null
       order by d.next_attempt_at, d.id limit lane.room for no key update of d skip locked) as picked
  ), claimed as (
    update webhook_deliveries d set leased_until = $5, lease_holder = $6 from due
     where d.workspace_id = due.workspace_id and d.webhook_id = due.webhook_id and d.id = due.id
    returning d.*
  )
  select c.workspace_id, c.webhook_id, c.id, c.mode, c.event_id, c.event_type, c.attempt, c.trigger, c.failures, c.leased_until, c.body as kept,
         ${LOGGED.replace('ev.id,', 'ev.id as logged_id,').replace('ev.workspace_id, ev.mode,', '')}
    from claimed c left join events ev on c.body is null and ev.workspace_id = c.workspace_id and ev.id = c.event_id`;

type Claimed = Omit<Taken, 'body'> & Omit<LoggedEvent, 'id'>;

/** Take up what is due at these endpoints, each up to its room. */
export async function claimDue(world: World, places: readonly Place[], holder: Holder): Promise<Taken[]> {
  const values = [...columns(places), world.clock.now(), leaseEnd(world), holder];
  const rows = await inTransaction(world, ({ db }) => rowsOf<Claimed>(db, CLAIM, values));
  return rows.map((row) => ({ ...row, body: row.kept ?? payloadOf({ ...row, id: row.event_id }) }));
}

const EXPIRED = `
  select picked.* from ${LANE}, lateral (
    select d.workspace_id, d.webhook_id, d.id from webhook_deliveries d where ${DUE} and d.leased_until <= $5
     order by d.next_attempt_at, d.id limit lane.room) as picked`;
const LOCK = `${ENDPOINTS} order by e.workspace_id, e.id for no key update of e`;
// An exchange that its own process did not live to see the end of broke off.
const CLOSE = `
  update webhook_deliveries d set status = 'failed', error = 'reset', leased_until = null, next_attempt_at = $4
    from unnest($1::text[], $2::text[], $3::text[]) as lost (workspace_id, webhook_id, id)
   where d.workspace_id = lost.workspace_id and d.webhook_id = lost.webhook_id and d.id = lost.id and d.status = 'pending' and d.leased_until <= $5
  returning d.*`;

/** Close attempts whose lease has run out, and put another in the place of each, due at once. That is no failure of the receiver. */
export async function replaceExpired(world: World, places: readonly Place[]): Promise<void> {
  const [now, wall] = [world.clock.now(), world.clock.wall()];
  const expired = await rowsOf<Pick<Delivery, 'workspace_id' | 'webhook_id' | 'id'>>(world.db, EXPIRED, [...columns(places), now, wall]);
  if (expired.length === 0) return;
  await inTransaction(world, async (inside) => {
    const [workspaceIds, webhookIds, ids] = [
      expired.map((one) => one.workspace_id),
      expired.map((one) => one.webhook_id),
      expired.map((one) => one.id),
    ];
    await rowsOf(inside.db, LOCK, [workspaceIds, webhookIds]);
    const closed = await rowsOf<Delivery>(inside.db, CLOSE, [workspaceIds, webhookIds, ids, now, wall]);
    await insertNext(
      inside,
      closed.map((one) => ({ ...one, trigger: 'retry', next_attempt_at: now, leased_until: null })),
    );
  });
}

export type Next = Pick<
  Delivery,
  'workspace_id' | 'webhook_id' | 'mode' | 'event_id' | 'event_type' | 'trigger' | 'failures' | 'next_attempt_at' | 'leased_until'
> & { body: string | null };

// Numbered after all that was ever tried of the event at this endpoint, whose row is locked.
const INSERT_NEXT = `
  insert into webhook_deliveries (workspace_id, webhook_id, id, mode, event_id, event_type, attempt, trigger, failures, status, body,
                                  next_attempt_at, leased_until, created_at, lease_holder)
  select n.workspace_id, n.webhook_id, n.id, n.mode, n.event_id, n.event_type,
         coalesce(last.attempt, 0) + row_number() over (partition by n.workspace_id, n.webhook_id, n.event_id order by n.id),
         n.trigger, n.failures, 'pending', n.body, n.next_attempt_at, n.leased_until, $12, $13
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[],
                $10::timestamptz[], $11::timestamptz[])
           as n (workspace_id, webhook_id, id, mode, event_id, event_type, trigger, failures, body, next_attempt_at, leased_until)
    left join lateral (
      select attempt from webhook_deliveries d
       where d.workspace_id = n.workspace_id and d.webhook_id = n.webhook_id and d.event_id = n.event_id order by attempt desc limit 1) last on true
  returning id, attempt`;

/** Write further attempts; those with a lease are in the hands of `holder`. Answers them with their ids and numbers. The endpoints are locked. */
export async function insertNext<N extends Next>(
  world: World,
  next: readonly N[],
  holder: Holder = null,
): Promise<(N & { id: string; attempt: number })[]> {
  if (next.length === 0) return [];
  const now = world.clock.now();
  const withIds = next.map((one) => ({ ...one, id: newId(world, 'whd', now) }));
  const rows = await rowsOf<{ id: string; attempt: number }>(world.db, INSERT_NEXT, [
    withIds.map((one) => one.workspace_id),
    withIds.map((one) => one.webhook_id),
    withIds.map((one) => one.id),
    withIds.map((one) => one.mode),
    withIds.map((one) => one.event_id),
    withIds.map((one) => one.event_type),
    withIds.map((one) => one.trigger),
    withIds.map((one) => one.failures),
    withIds.map((one) => one.body),
    withIds.map((one) => one.next_attempt_at),
    withIds.map((one) => one.leased_until),
    now,
    holder,
  ]);
  const attempts = new Map(rows.map((row) => [row.id, row.attempt]));
  return withIds.map((one) => ({ ...one, attempt: attempts.get(one.id)! }));
}
