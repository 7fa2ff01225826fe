// What became of sends, written in one commit for a whole batch: state, attempt, message, next step, event.
import { newId } from '#platform/ids.ts';
import { inTransaction, planOnce } from '#store/db.ts';
import { type Enrollment, presentEnrollment } from '#resources/enrollments/index.ts';
import { record } from '#resources/events/index.ts';
import { planReactions } from '#resources/sandbox-reactions/index.ts';
import { presentSend } from '#resources/sends/index.ts';
import { markAll } from '#resources/variant-races/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { type AcceptedRow, writeAccepted } from './finish-sql.ts';
import type { Finished } from './outcome.ts';
import { endAttempts, endUnsent } from './unsent.ts';

/** Write the outcomes. A row that is no longer ours (another fence, another state) is left alone: it was decided elsewhere. */
export function finishAll(world: World, finished: readonly Finished[]): Promise<void> {
  return inTransaction(world, async (inside) => {
    const accepted = finished.flatMap((one) => acceptedRow(inside, one));
    const others = finished.filter((one) => one.outcome.kind !== 'accepted');
    if (others.length === 0) await planOnce(inside.db, accepted.length);
    if (accepted.length) await finishAccepted(inside, accepted);
    if (others.length) {
      await endUnsent(inside, others);
      await endAttempts(inside, others);
    }
  });
}

const acceptedRow = (world: World, { send, outcome, at }: Finished): AcceptedRow[] =>
  outcome.kind === 'accepted'
    ? [{ workspace_id: send.workspace_id, id: send.id, fence: send.fence, at, message_id: newId(world, 'msg'), reply: outcome.reply }]
    : [];

async function finishAccepted(world: World, rows: readonly AcceptedRow[]): Promise<void> {
  const { sent, moved } = await writeAccepted(world, rows);
  await planReactions(world, sent);
  const raced = sent.filter((send) => send.is_racing);
  await markAll(world, raced.map((send) => ({ workspace_id: send.workspace_id, send_id: send.id, kind: 'sent', nth: 0 }))); // prettier-ignore
  for (const send of sent) {
    const ctx = actingFor(world, send.workspace_id, send.mode);
    record(ctx, { type: 'send.sent', resourceId: send.id, data: presentSend(send), metadata: send.metadata as object | null });
  }
  for (const row of moved) {
    const ctx = actingFor(world, row.workspace_id, row.mode);
    record(ctx, { type: 'campaign.contact.advanced', resourceId: row.id, data: presentEnrollment(withDates(row)) });
  }
}

/** The dates of a row that came as JSON. */
const withDates = (row: Enrollment): Enrollment => ({
  ...row,
  next_send_at: row.next_send_at && new Date(row.next_send_at),
  created_at: new Date(row.created_at),
  updated_at: new Date(row.updated_at),
});
