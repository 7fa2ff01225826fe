import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import { cancelAll } from './cancel.ts';
import type { Row } from './store.ts';

// What is due stands in one index, what is held with its campaign in another. Locked in id order, as everywhere.
const WAITING = `
  select id from sends
   where workspace_id = $1 and id in (
     select id from sends where workspace_id = $1 and inbox_id = $2 and due_at is not null
     union all
     select id from sends where workspace_id = $1 and inbox_id = $2 and is_open and campaign_id > '' and due_at is null)
     and state = 'scheduled'
   order by id for no key update`;

/**
 * Cancel whatever waits to leave by an inbox, each with its event; what a worker has taken up is not touched. The caller has locked the inbox,
 * campaigns and enrollments.
 */
export async function cancelWaitingOf(ctx: Ctx, inboxId: string): Promise<Row[]> {
  return cancelAll(ctx, await rowsOf<Pick<Row, 'id'>>(ctx.db, WAITING, [ctx.workspaceId, inboxId]));
}
