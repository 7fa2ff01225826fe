// What a poll leaves on its inbox: when the next is due, what went wrong, and whether the inbox is given up.
import { MailboxError } from '#mail/mail.ts';
import { inTransaction, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { type Inbox, noteTroubles, presentInbox } from '#resources/inboxes/index.ts';
import { type World, actingFor } from '#world/ctx.ts';

const MAX_BACK_OFF_MS = 30 * 60_000;
/** Logins refused in a row after which an inbox is given up until somebody connects it anew, as it is with sending. */
const LOGIN_REFUSALS = 3;
/** What this loop says of an inbox begins so; what others said is not its to overwrite or take back. */
const UNREAD = 'Its mail could not be read: ';

// Each of these writes only while the poll still has its lease: when the inbox was connected anew or disconnected meanwhile, what the poll saw
// is out of date.

/** Read: again after `waitMs`. */
export async function notePolled(world: World, inbox: Inbox, waitMs: number): Promise<void> {
  const now = world.clock.now();
  await rowsOf(
    world.db,
    `update inboxes set next_poll_at = $3, poll_leased_until = null, poll_lease_holder = null, poll_failures = 0, imap_login_refusals = 0,
            last_poll_at = $4, status_reason = case when starts_with(status_reason, $5) then null else status_reason end
      where workspace_id = $1 and id = $2 and poll_lease_holder = $6 and poll_leased_until = $7`,
    [inbox.workspace_id, inbox.id, new Date(now.getTime() + waitMs), now, UNREAD, inbox.poll_lease_holder, inbox.poll_leased_until],
  );
}

/** Not read: try again later, each time later, and say on the inbox what is wrong. After three refused logins in a row it has failed. */
export function noteUnread(world: World, inbox: Inbox, error: unknown, pollEveryMs: number): Promise<void> {
  const ctx = actingFor(world, inbox.workspace_id, inbox.mode);
  const wait = Math.min(MAX_BACK_OFF_MS, pollEveryMs * 2 ** Math.min(10, inbox.poll_failures));
  const isRefusal = error instanceof MailboxError && error.fault === 'authentication';
  const reason = UNREAD + (error instanceof MailboxError ? `the mailbox is out of reach (${error.fault}).` : 'a message could not be taken in.');
  return inTransaction(ctx, async (ctx) => {
    const [row] = await rowsOf<Inbox & { was: Inbox['status'] }>(
      ctx.db,
      `with before as (
         select workspace_id, id, status,
                imap_login_refusals + $8::int >= $9 and status in ('active', 'over_quota_today', 'unhealthy') as fails
           from inboxes
          where workspace_id = $1 and id = $2 and poll_lease_holder = $6 and poll_leased_until = $7 for no key update
       )
       update inboxes i set next_poll_at = $3, poll_leased_until = null, poll_lease_holder = null, poll_failures = i.poll_failures + 1,
              imap_login_refusals = i.imap_login_refusals + $8::int,
              status = case when fails then 'failed' else i.status end,
              status_reason = case when fails or i.status_reason is null or starts_with(i.status_reason, $5) then $4 else i.status_reason end
         from before where i.workspace_id = before.workspace_id and i.id = before.id
       returning i.*, before.status as was`,
      [
        inbox.workspace_id, inbox.id, new Date(ctx.now.getTime() + wait), reason, UNREAD, inbox.poll_lease_holder, inbox.poll_leased_until,
        isRefusal ? 1 : 0, LOGIN_REFUSALS,
      ], // prettier-ignore
    );
    if (row && isRefusal) await noteTroubles(ctx, [{ inboxId: row.id, kind: 'auth_errors' }]);
    if (!row || row.status !== 'failed' || row.was === 'failed') return;
    record(ctx, { type: 'inbox.disconnected', resourceId: row.id, data: presentInbox(row, ctx.now), previous: { status: row.was } });
  });
}
