// What became of sends, written in one commit for a whole batch: state, attempt, message, next step, event.
import { newId } from '#platform/ids.ts';
import { inTransaction } from '#store/db.ts';
import { type Enrollment, presentEnrollment } from '#resources/enrollments/index.ts';
import { record } from '#resources/events/index.ts';
import { presentSend } from '#resources/sends/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { type AcceptedRow, type SentRow, prepareAccepted, writeAccepted } from './finish-sql.ts';
import type { Finished } from './outcome.ts';
import { endAttempts, endUnsent } from './unsent.ts';

/** Write the outcomes. A row that is no longer ours (another fence, another state) is left alone: it was decided elsewhere. */
export function finishAll(world: World, finished: readonly Finished[]): Promise<void> {
  return inTransaction(world, async (inside) => {
    const accepted = finished.flatMap((one) => acceptedRow(inside, one));
    const others = finished.filter((one) => one.outcome.kind !== 'accepted');
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
  const steps = await prepareAccepted(world, rows);
  for (const sent of await writeAccepted(world, rows, steps)) tellSent(world, sent);
}

function tellSent(world: World, { moved, ...send }: SentRow): void {
  const ctx = actingFor(world, send.workspace_id, send.mode);
  const metadata = send.metadata as object | null;
  record(ctx, { type: 'send.sent', resourceId: send.id, data: presentSend(send), metadata });
  if (moved) record(ctx, { type: 'campaign.contact.advanced', resourceId: moved.id, data: presentEnrollment(withDates(moved)), metadata });
}

/** The dates of a row that came as JSON. */
const withDates = (row: Enrollment): Enrollment => ({
  ...row,
  next_send_at: row.next_send_at && new Date(row.next_send_at),
  created_at: new Date(row.created_at),
  updated_at: new Date(row.updated_at),
});
