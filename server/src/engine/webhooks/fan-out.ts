// Events become deliveries. The log has no gaps, and its order is that of the commits, so an endpoint needs no more than a place in it: whoever
// tells of something writes nothing for webhooks, and pays nothing for them.
import { newId } from '#platform/ids.ts';
import { type Transaction, inTransaction, rowsOf } from '#store/db.ts';
import { LOGGED, type LoggedEvent, type Webhook, payloadOf } from '#resources/webhooks/index.ts';
import type { World } from '#world/ctx.ts';
import { type Holder, type Next, type Place, type Taken, insertNext, leaseEnd } from './take.ts';

/** How far along the log one step looks for an endpoint that wants few of its events. */
const REACH = 10_000;

type Inside = World & { db: Transaction };
type Lane = Webhook & { last_sequence: number; room: number };

// The counter was read when the statement began, the endpoint is as it is now that it is locked: the condition is looked at again then, so that
// a place never goes back.
const LOCK = (condition: string) => `
  select e.*, c.last_sequence, lane.room
    from unnest($1::text[], $2::text[], $3::int[]) as lane (workspace_id, id, room)
    join webhook_endpoints e on e.workspace_id = lane.workspace_id and e.id = lane.id
    join event_counters c on c.workspace_id = e.workspace_id and c.mode = e.mode
   where e.verified_at is not null and not e.disabled and ${condition}
   order by e.workspace_id, e.id for no key update of e`;
const LOCK_BEHIND = LOCK('e.taken_sequence < c.last_sequence');
const LOCK_REPLAYED = LOCK('e.replayed_sequence is not null');

// What an endpoint failed to take is told to others only.
const WANTED = (besides: string) => `
  select e.id as webhook_id, ${LOGGED}
    from unnest($1::text[], $2::text[], $3::int[], $4::bigint[], $5::bigint[]) as lane (workspace_id, id, room, after, upto)
    join webhook_endpoints e on e.workspace_id = lane.workspace_id and e.id = lane.id, lateral (
      select * from events ev
       where ev.workspace_id = e.workspace_id and ev.mode = e.mode and ev.sequence > lane.after and ev.sequence <= lane.upto
         and (e.enabled_events = '{*}' or ev.type = any(e.enabled_events))
         and (ev.type <> 'webhook.delivery.failed' or ev.resource_id <> e.id) ${besides}
       order by ev.sequence limit lane.room) ev`;
const WANTED_NEW = WANTED('');
// What is on its way, or will be tried again, comes anyway.
const WANTED_AGAIN = WANTED(`and not exists (
  select 1 from webhook_deliveries d
   where d.workspace_id = e.workspace_id and d.webhook_id = e.id and d.event_id = ev.id and d.status = 'pending')`);

type Wanted = LoggedEvent & { webhook_id: string };
type Span = { after: number; upto: number };

async function wantedOf(db: Transaction, text: string, lanes: readonly Lane[], spans: readonly Span[]): Promise<Map<string, Wanted[]>> {
  const rows = await rowsOf<Wanted>(db, text, [
    lanes.map((one) => one.workspace_id),
    lanes.map((one) => one.id),
    lanes.map((one) => one.room),
    spans.map((one) => one.after),
    spans.map((one) => one.upto),
  ]);
  return Map.groupBy(rows, (row) => row.webhook_id);
}

/** The place in the log after this step: behind the last event that was taken, or where the look ended. */
const placeAfter = (taken: readonly Wanted[], { room }: Lane, { upto }: Span) => (taken.length === room ? taken.at(-1)!.sequence : upto);

const INSERT_FIRST = `
  insert into webhook_deliveries (workspace_id, webhook_id, id, mode, event_id, event_type, attempt, trigger, failures, status, next_attempt_at,
                                  leased_until, created_at, lease_holder)
  select *, 1, 'event', 0, 'pending', $7::timestamptz, $8::timestamptz, $7::timestamptz, $9::text
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`;
const MOVE_TAKEN = `
  update webhook_endpoints e set taken_sequence = place.sequence
    from unnest($1::text[], $2::text[], $3::bigint[]) as place (workspace_id, id, sequence)
   where e.workspace_id = place.workspace_id and e.id = place.id`;
const MOVE_REPLAYED = `
  update webhook_endpoints e
     set replayed_sequence = case when place.sequence < e.replay_until then place.sequence end,
         replay_until = case when place.sequence < e.replay_until then e.replay_until end
    from unnest($1::text[], $2::text[], $3::bigint[]) as place (workspace_id, id, sequence)
   where e.workspace_id = place.workspace_id and e.id = place.id`;

const columns = (places: readonly Place[]) => [places.map((one) => one.workspace_id), places.map((one) => one.id), places.map((one) => one.room)];

/** Make deliveries of the events that these endpoints have not been told yet, each up to its room, and lease them. */
export function takeEvents(world: World, places: readonly Place[], holder: Holder): Promise<Taken[]> {
  return inTransaction(world, async (inside) => {
    const lanes = await rowsOf<Lane>(inside.db, LOCK_BEHIND, columns(places));
    const spans = lanes.map((one) => ({ after: one.taken_sequence, upto: Math.min(one.last_sequence, one.taken_sequence + REACH) }));
    const wanted = await wantedOf(inside.db, WANTED_NEW, lanes, spans);
    const taken = await insertFirst(inside, [...wanted.values()].flat(), holder);
    await rowsOf(inside.db, MOVE_TAKEN, [
      lanes.map((one) => one.workspace_id),
      lanes.map((one) => one.id),
      lanes.map((one, i) => placeAfter(wanted.get(one.id) ?? [], one, spans[i]!)),
    ]);
    return taken;
  });
}

async function insertFirst(inside: Inside, events: readonly Wanted[], holder: Holder): Promise<Taken[]> {
  if (events.length === 0) return [];
  const now = inside.clock.now();
  const until = leaseEnd(inside);
  const ids = events.map(() => newId(inside, 'whd', now)).sort();
  await rowsOf(inside.db, INSERT_FIRST, [
    events.map((one) => one.workspace_id),
    events.map((one) => one.webhook_id),
    ids,
    events.map((one) => one.mode),
    events.map((one) => one.id),
    events.map((one) => one.type),
    now,
    until,
    holder,
  ]);
  return events.map((event, i) => ({
    workspace_id: event.workspace_id,
    webhook_id: event.webhook_id,
    id: ids[i]!,
    mode: event.mode as Taken['mode'],
    event_id: event.id,
    event_type: event.type,
    attempt: 1,
    trigger: 'event',
    failures: 0,
    leased_until: until,
    body: payloadOf(event),
    kept: null,
  }));
}

/** Carry replays on: deliver again what these endpoints want of the log, each up to its room, and lease it. */
export function takeReplays(world: World, places: readonly Place[], holder: Holder): Promise<Taken[]> {
  return inTransaction(world, async (inside) => {
    const lanes = await rowsOf<Lane>(inside.db, LOCK_REPLAYED, columns(places));
    const spans = lanes.map(({ replayed_sequence: after, replay_until: until }) => ({ after: after!, upto: Math.min(until!, after! + REACH) }));
    const wanted = await wantedOf(inside.db, WANTED_AGAIN, lanes, spans);
    const events = [...wanted.values()].flat();
    const until = leaseEnd(inside);
    const next = events.map((event): Next => ({
      workspace_id: event.workspace_id, webhook_id: event.webhook_id, mode: event.mode as Taken['mode'], event_id: event.id, event_type: event.type,
      trigger: 'redeliver', failures: 0, next_attempt_at: inside.clock.now(), leased_until: until, body: null,
    })); // prettier-ignore
    const written = await insertNext(inside, next, holder);
    await rowsOf(inside.db, MOVE_REPLAYED, [
      lanes.map((one) => one.workspace_id),
      lanes.map((one) => one.id),
      lanes.map((one, i) => placeAfter(wanted.get(one.id) ?? [], one, spans[i]!)),
    ]);
    return written.map((one, i) => ({ ...one, body: payloadOf(events[i]!), kept: null }));
  });
}
