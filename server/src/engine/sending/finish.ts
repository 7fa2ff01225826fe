// What became of sends, written in one commit for a whole batch: state, attempt, message, next step, event.
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import { record } from '#resources/events/index.ts';
import { insertOutbound } from '#resources/messages/index.ts';
import { type Bodiless, outboundOf, presentSend } from '#resources/sends/index.ts';
import { type Advanced, advanceEnrollments, wakePlanners } from './advance.ts';
import { endAttempts, endUnsent } from './unsent.ts';
import type { Finished } from './outcome.ts';

/** Write the outcomes. A row that is no longer ours (another fence, another state) is left alone: it was decided elsewhere. */
export function finishAll(world: World, finished: readonly Finished[]): Promise<void> {
  return inTransaction(world, async (inside) => {
    const accepted = finished.filter((one) => one.outcome.kind === 'accepted');
    const others = finished.filter((one) => one.outcome.kind !== 'accepted');
    await endAttempts(inside, finished);
    if (accepted.length) await finishAccepted(inside, accepted);
    if (others.length) await endUnsent(inside, others);
  });
}

// All but the bodies, which would be unpacked and carried over for nothing.
const COLUMNS = [
  'workspace_id', 'id', 'mode', 'inbox_id', 'to_email', 'to_email_key', 'to_name', 'subject', 'state', 'failure_reason', 'failure_detail',
  'provider_message_id', 'provider_thread_id', 'rfc822_message_id', 'in_reply_to', 'thread_references', 'is_reply', 'attempt_count', 'scheduled_at',
  'sent_at', 'canceled_at', 'created_at', 'metadata', 'campaign_id', 'contact_id', 'enrollment_id', 'campaign_step_id', 'variant_id', 'due_at',
  'fence', 'leased_until', 'dot_released_at', 'budget_day', 'budget_unit', 'reconcile_at',
].map((name) => `sends.${name}`).join(', '); // prettier-ignore

const MARK_SENT = `
  update sends set state = 'sent', sent_at = mine.at, leased_until = null, due_at = null, reconcile_at = null
    from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[]) as mine (workspace_id, id, fence, at)
   where sends.workspace_id = mine.workspace_id and sends.id = mine.id and sends.fence = mine.fence and sends.state = 'sending'
  returning ${COLUMNS}`;

const LOCK_ENROLLMENTS = `
  select e.id from enrollments e
    join sends s on s.workspace_id = e.workspace_id and s.enrollment_id = e.id
    join unnest($1::text[], $2::text[]) as mine (workspace_id, id) on s.workspace_id = mine.workspace_id and s.id = mine.id
   order by e.workspace_id, e.id for no key update of e`;

async function finishAccepted(world: World, accepted: readonly Finished[]): Promise<void> {
  const workspaceIds = accepted.map((one) => one.send.workspace_id);
  const ids = accepted.map((one) => one.send.id);
  // Campaigns, then enrollments, then sends: the order in which everybody locks.
  const steps = await wakePlanners(world, workspaceIds, ids);
  await rowsOf(world.db, LOCK_ENROLLMENTS, [workspaceIds, ids]);
  const fences = accepted.map((one) => one.send.fence);
  const sent = await rowsOf<Bodiless>(world.db, MARK_SENT, [workspaceIds, ids, fences, accepted.map((one) => one.at)]);
  const inboxes = await sendersOf(world, sent);
  await insertOutbound(
    world,
    sent.map((send) => outboundOf(actingFor(world, send.workspace_id, send.mode), send, inboxes.get(`${send.workspace_id} ${send.inbox_id}`))),
  );
  const moved = await advanceEnrollments(world, sent, steps);
  for (const send of sent) tellSent(actingFor(world, send.workspace_id, send.mode), send, moved.get(`${send.workspace_id} ${send.enrollment_id}`));
}

function tellSent(ctx: Ctx, send: Bodiless, moved: Advanced | undefined): void {
  const metadata = send.metadata as object | null;
  record(ctx, { type: 'send.sent', resourceId: send.id, data: presentSend(send), metadata });
  if (moved) record(ctx, { type: 'campaign.contact.advanced', resourceId: moved.id, data: moved.shown, metadata });
}

type Sender = { workspace_id: string; id: string; email_address: string; display_name: string | null };

async function sendersOf(world: World, sends: readonly Bodiless[]): Promise<Map<string, Sender>> {
  const rows = await rowsOf<Sender>(
    world.db,
    `select distinct i.workspace_id, i.id, i.email_address, i.display_name
       from inboxes i join unnest($1::text[], $2::text[]) as t (w, id) on i.workspace_id = t.w and i.id = t.id`,
    [sends.map((one) => one.workspace_id), sends.map((one) => one.inbox_id)],
  );
  return new Map(rows.map((row) => [`${row.workspace_id} ${row.id}`, row]));
}
