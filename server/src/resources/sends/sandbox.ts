import { newId } from '#platform/ids.ts';
import { sql } from 'kysely';
import { type Inbox, MAY_SEND, capLeft, dayAt } from '#resources/inboxes/index.ts';
import { insertOutbound } from '#resources/messages/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Letter, Row } from './store.ts';

/**
 * Sends to sandbox inboxes go straight to `sent`, as far as the inbox's day has room; the rest waits for its next day. Locks the inboxes,
 * so it comes before the sends are inserted. Answers the rows as they are to be inserted.
 */
export async function deliverAtOnce(ctx: Ctx, rows: readonly Letter[]): Promise<Letter[]> {
  const ids = [...new Set(rows.map((row) => row.inbox_id))];
  const inboxes = await ctx.db.selectFrom('inboxes').selectAll()
    .where('workspace_id', '=', ctx.workspaceId).where('id', '=', sql<string>`any(${ids})`)
    .orderBy('id').forNoKeyUpdate().execute(); // prettier-ignore
  const days = new Map(inboxes.map((inbox) => [inbox.id, { inbox, ...dayAt(inbox, ctx.now), left: capLeft(inbox, ctx.now), sent: false }]));
  const units: BudgetUnit[] = [];
  const delivered = rows.map((row): Letter => {
    const day = days.get(row.inbox_id);
    if (!day || !MAY_SEND.some((status) => status === day.inbox.status)) return row;
    // A reply counts towards the day but is never held back by its cap.
    if (day.left <= 0 && !row.is_reply) return { ...row, due_at: day.day_resets_at, scheduled_at: day.day_resets_at };
    day.left = Math.max(0, day.left - 1);
    day.day_count++;
    day.sent = true;
    units.push({ inbox_id: row.inbox_id, day: day.day_started_at, unit: day.day_count, send_id: row.id });
    return { ...row, state: 'sent', sent_at: ctx.now, due_at: null, attempt_count: 1 };
  });
  await spend(ctx, units);
  for (const { inbox, day_started_at, day_resets_at, day_count, sent } of days.values()) {
    if (!sent) continue;
    await ctx.db.updateTable('inboxes').set({ day_started_at, day_resets_at, day_count, last_send_at: ctx.now })
      .where('workspace_id', '=', ctx.workspaceId).where('id', '=', inbox.id).execute(); // prettier-ignore
  }
  return delivered;
}

type BudgetUnit = { inbox_id: string; day: Date; unit: number; send_id: string };

async function spend(ctx: Ctx, units: readonly BudgetUnit[]): Promise<void> {
  if (units.length === 0) return;
  await ctx.db.insertInto('budget_units').values(units.map((one) => ({ workspace_id: ctx.workspaceId, ...one }))).execute(); // prettier-ignore
}

/** The message rows of sends that have left. */
export async function recordOutbound(ctx: Ctx, rows: readonly Row[], inboxes: ReadonlyMap<string, Pick<Inbox, 'email_address' | 'display_name'>>) {
  const sent = rows.filter((row) => row.state === 'sent');
  if (sent.length === 0) return;
  await insertOutbound(ctx, sent.map((row) => outboundOf(ctx, row, inboxes.get(row.inbox_id)))); // prettier-ignore
}

/** A send as the message that it has become. */
export function outboundOf(ctx: Ctx, row: Row, inbox: Pick<Inbox, 'email_address' | 'display_name'> | undefined) {
  return {
    workspace_id: row.workspace_id,
    id: newId(ctx, 'msg', ctx.now),
    mode: row.mode,
    inbox_id: row.inbox_id,
    thread_id: row.provider_thread_id ?? row.rfc822_message_id,
    rfc822_message_id: row.rfc822_message_id,
    in_reply_to: row.in_reply_to,
    from_email: inbox?.email_address ?? null,
    from_name: inbox?.display_name ?? null,
    to_email: row.to_email,
    subject: row.subject,
    created_at: ctx.now,
  };
}
