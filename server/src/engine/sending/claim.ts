// Taking up work: first the inbox (one lease, one connection, one pacing counter), then its sends.
import { inTransaction, planOnce, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import { type Letter, type Send, presentSend } from '#resources/sends/index.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import { inScope } from '#world/scope.ts';

/** How long a worker that has gone silent keeps others off. Renewed well before; correctness rests on fences, not on this. */
export const LEASE_MS = 10_000;

const leaseEnd = (world: World) => new Date(world.clock.wall().getTime() + LEASE_MS);

// Candidates by hopping from inbox to inbox along the index of what is scheduled: the cost grows with the inboxes that have work, not with the
// sends that wait. An inbox that somebody holds at this moment is passed by: whoever locks many rows in an order of his own must not wait.
const LEASE_INBOXES = `
  with recursive waiting as (
    (select workspace_id, inbox_id from sends where state = 'scheduled' and due_at is not null order by workspace_id, inbox_id limit 1)
    union all
    select next.workspace_id, next.inbox_id
      from waiting, lateral (
        select workspace_id, inbox_id from sends
         where state = 'scheduled' and due_at is not null and (workspace_id, inbox_id) > (waiting.workspace_id, waiting.inbox_id)
         order by workspace_id, inbox_id limit 1) as next
  ), ready as (
    select i.workspace_id, i.id
      from waiting join inboxes i on i.workspace_id = waiting.workspace_id and i.id = waiting.inbox_id
     where i.status in ('active', 'over_quota_today') and i.next_send_at <= $1 and (i.retry_at is null or i.retry_at <= $1)
       and (i.leased_until is null or i.leased_until <= $2) and ${inScope('i')}
       and exists (select 1 from sends s where s.workspace_id = i.workspace_id and s.inbox_id = i.id and s.state = 'scheduled' and s.due_at <= $1)
     order by i.last_send_at nulls first, i.id limit $5 for no key update of i skip locked
  )
  update inboxes set lease_holder = $3, leased_until = $4 where (workspace_id, id) in (select workspace_id, id from ready)
  returning *`;

/** Lease up to `limit` inboxes that have something due and may send. */
export function leaseInboxes(world: World, holder: string, limit: number): Promise<Inbox[]> {
  return rowsOf<Inbox>(world.db, LEASE_INBOXES, [world.clock.now(), world.clock.wall(), holder, leaseEnd(world), limit]);
}

// In the order in which releases lock inboxes. An attempt that a release or an outcome holds at this moment is left out: it is being dealt with.
const RENEW_INBOXES = `
  with mine as (select workspace_id, id from inboxes where lease_holder = $2 and id = any($3::text[]) order by workspace_id, id for no key update)
  update inboxes set leased_until = $1 from mine where inboxes.workspace_id = mine.workspace_id and inboxes.id = mine.id returning inboxes.id`;
const RENEW_ATTEMPTS = `
  with mine as (
    select a.workspace_id, a.send_id, a.attempt from send_attempts a
      join unnest($2::text[], $3::text[], $4::int[]) as t (workspace_id, send_id, attempt) using (workspace_id, send_id, attempt)
     where a.ended_at is null for no key update of a skip locked)
  update send_attempts a set leased_until = $1 from mine
   where a.workspace_id = mine.workspace_id and a.send_id = mine.send_id and a.attempt = mine.attempt`;

/**
 * Renew the leases of this holder on the inboxes that are at work and on the sends in hand; what no lane works on runs out. Answers the inboxes
 * still held.
 */
export async function renewLeases(
  world: World,
  holder: string,
  inboxIds: readonly string[],
  sends: readonly Pick<Send, 'workspace_id' | 'id' | 'fence'>[],
): Promise<Set<string>> {
  const end = leaseEnd(world);
  const held = await rowsOf<{ id: string }>(world.db, RENEW_INBOXES, [end, holder, inboxIds]);
  const columns = [sends.map((one) => one.workspace_id), sends.map((one) => one.id), sends.map((one) => one.fence)];
  await rowsOf(world.db, RENEW_ATTEMPTS, [end, ...columns]);
  return new Set(held.map((row) => row.id));
}

/** Give an inbox back for anybody to lease. */
export async function giveBack(world: World, inbox: Pick<Inbox, 'workspace_id' | 'id'>, holder: string): Promise<void> {
  await rowsOf(world.db, 'update inboxes set lease_holder = null, leased_until = null where workspace_id = $1 and id = $2 and lease_holder = $3', [
    inbox.workspace_id,
    inbox.id,
    holder,
  ]);
}

// Materialized, so that the picking happens once, whatever the planner thinks: picked anew for each row it would claim more than its limit.
const CLAIM_SENDS = `
  with due as materialized (
    select next.id from unnest($2::text[], $4::int[]) as lane (inbox_id, places), lateral (
      select id from sends where workspace_id = $1 and inbox_id = lane.inbox_id and state = 'scheduled' and due_at <= $3
       order by due_at, id limit lane.places for no key update skip locked) as next
  ), claimed as (
    update sends set state = 'sending', fence = fence + 1, attempt_count = attempt_count + 1
      from due where sends.workspace_id = $1 and sends.id = due.id
    returning sends.*
  ), attempts as (
    insert into send_attempts (workspace_id, send_id, attempt, process_id, started_at, leased_until)
    select workspace_id, id, fence, $6, $3, $5 from claimed
  )
  select claimed.*, c.body_html, c.body_text, c.cc, c.bcc, c.reply_to, c.headers, c.attachments
    from claimed join send_contents c on c.workspace_id = claimed.workspace_id and c.send_id = claimed.id`;

/** What a lane asks for: up to `limit` due sends of its inbox. */
export type ClaimWish = { inbox: Inbox; limit: number };

/**
 * Take up due sends of leased inboxes, many lanes in one commit: `sending`, a new fence, the attempt written before any byte leaves. Answers
 * each wish in order, its sends in order of due time.
 */
export function claimSends(world: World, wishes: readonly ClaimWish[], holder: string): Promise<Letter[][]> {
  return inTransaction(world, async (inside) => {
    await planOnce(
      inside.db,
      wishes.reduce((sum, { limit }) => sum + limit, 0),
    );
    const claimed = new Map<string, Letter[]>();
    const tenants = Map.groupBy(wishes, ({ inbox }) => `${inbox.workspace_id} ${inbox.mode}`);
    for (const [, those] of [...tenants].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { workspace_id: workspaceId, mode } = those[0]!.inbox;
      const sends = await claimOfTenant(actingFor(inside, workspaceId, mode), those, holder);
      for (const [inboxId, its] of Map.groupBy(sends, (send) => send.inbox_id)) claimed.set(inboxId, its);
    }
    return wishes.map(({ inbox }) => claimed.get(inbox.id) ?? []);
  });
}

async function claimOfTenant(ctx: Ctx, wishes: readonly ClaimWish[], holder: string): Promise<Letter[]> {
  const inboxIds = wishes.map(({ inbox }) => inbox.id);
  const limits = wishes.map(({ limit }) => limit);
  const sends = await rowsOf<Letter>(ctx.db, CLAIM_SENDS, [ctx.workspaceId, inboxIds, ctx.now, limits, leaseEnd(ctx), holder]);
  sends.sort((a, b) => a.due_at!.getTime() - b.due_at!.getTime() || (a.id < b.id ? -1 : 1));
  for (const send of sends) {
    record(ctx, { type: 'send.sending', resourceId: send.id, data: presentSend(send), metadata: send.metadata as object | null });
  }
  return sends;
}
