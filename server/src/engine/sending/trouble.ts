// Troubles of an inbox's connection hold the inbox back, not its sends one by one.
import { inTransaction, rowsOf } from '#store/db.ts';
import type { Broken, Refused } from '#mail/mail.ts';
import { type Inbox, dayAt, noteNoConnection } from '#resources/inboxes/index.ts';
import { MAX_LATENESS_MS, failOverdue } from '#resources/sends/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { backOffMs, failureOf } from './rules.ts';

/** Note that no connection came about: try again later, and give the inbox up after three refused logins. Fails what is overdue by a day. */
export function noteTrouble(world: World, inbox: Inbox, trouble: Refused | Broken): Promise<void> {
  const ctx = actingFor(world, inbox.workspace_id, inbox.mode);
  const { reason, detail } = failureOf(trouble);
  const refusedLogin = trouble.kind === 'refused' && trouble.phase === 'auth' && trouble.permanent;
  return inTransaction(ctx, async (ctx) => {
    const retryAt = new Date(ctx.now.getTime() + backOffMs(inbox.id, inbox.connect_failures + 1));
    await noteNoConnection(ctx, inbox, { retryAt, detail, refusedLogin });
    await failOverdue(ctx, { inboxId: inbox.id, before: new Date(ctx.now.getTime() - MAX_LATENESS_MS), reason, detail });
  });
}

/** The cap is used up: what it holds back becomes due when the inbox's day resets. */
export async function postponeToNextDay(world: World, inbox: Inbox): Promise<void> {
  const now = world.clock.now();
  await rowsOf(
    world.db,
    `update sends set due_at = $4
      where workspace_id = $1 and inbox_id = $2 and state = 'scheduled' and due_at <= $3 and not is_reply`,
    [inbox.workspace_id, inbox.id, now, dayAt(inbox, now).day_resets_at],
  );
}
