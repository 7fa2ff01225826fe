import { rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { noteTroubles } from './judge-health.ts';
import type { Row } from './store.ts';
import { present } from './wire.ts';

/** Logins refused in a row after which an inbox is given up until somebody reconnects it. */
const LOGIN_REFUSALS = 3;

type Trouble = { retryAt: Date; detail: string; refusedLogin: boolean };

/**
 * Note, in the caller's transaction, that no connection for sending came about: nothing leaves by the inbox before `retryAt`, and after three refused
 * logins it has failed, which is told.
 */
export async function noteNoConnection(ctx: Ctx, inbox: Pick<Row, 'id' | 'status'>, { retryAt, detail, refusedLogin }: Trouble): Promise<void> {
  const [row] = await rowsOf<Row>(
    ctx.db,
    `update inboxes set connect_failures = connect_failures + 1, retry_at = $3, status_reason = $4,
            login_refusals = case when $5 then login_refusals + 1 else login_refusals end,
            status = case when $5 and login_refusals + 1 >= $6 and status in ('active', 'over_quota_today') then 'failed' else status end
      where workspace_id = $1 and id = $2 and status <> 'revoked' returning *`,
    [ctx.workspaceId, inbox.id, retryAt, detail, refusedLogin, LOGIN_REFUSALS],
  );
  if (row && refusedLogin) await noteTroubles(ctx, [{ inboxId: inbox.id, kind: 'auth_errors' }]);
  if (row?.status === 'failed' && inbox.status !== 'failed') {
    record(ctx, { type: 'inbox.disconnected', resourceId: inbox.id, data: present(row, ctx.now), previous: { status: inbox.status } });
  }
}
