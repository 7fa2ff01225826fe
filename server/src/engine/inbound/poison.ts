// Messages that could not be taken in: they are passed over at once, tried again, and at last set aside, so that they delay no other.
import { type Folder, MailboxError, type MailboxSession } from '#mail/mail.ts';
import { isConnectionLost, rowsOf } from '#store/db.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { takeIn } from './take-in.ts';

/** A message that failed this often is set aside for good. */
const POISON_AFTER = 3;
/** The wait before the second attempt; before the third it is five times as long. */
const WAIT_MS = 60_000;
const RETRIES_A_POLL = 20;

type Where = { inbox: Inbox; folder: Folder; uidValidity: string; uid: number };
type Passed = { role: string; uid_validity: string; uid: number; failures: number; updated_at: Date };

/** Whether a failure is the mailbox's or the database's, and so not to be held against a message. */
export const isElsewhere = (error: unknown): boolean => error instanceof MailboxError || isConnectionLost(error);

/** Count a failure to take a message in, so that the cursor may go on behind it. The third is said aloud. */
export async function passOver(ctx: Ctx, { inbox, folder, uidValidity, uid }: Where, error: unknown): Promise<void> {
  const problem = error instanceof Error ? error.message.slice(0, 500).toWellFormed().replaceAll('\0', '') : 'unknown';
  const [row] = await rowsOf<{ quarantined: boolean }>(
    ctx.db,
    `insert into quarantined_messages as q (workspace_id, inbox_id, role, uid_validity, uid, failures, problem, quarantined, updated_at)
     values ($1, $2, $3, $4, $5, 1, $6, false, $7)
     on conflict (workspace_id, inbox_id, role, uid_validity, uid)
     do update set failures = q.failures + 1, problem = excluded.problem, quarantined = q.failures + 1 >= $8, updated_at = excluded.updated_at
     returning quarantined`,
    [ctx.workspaceId, inbox.id, folder.role, uidValidity, uid, problem, ctx.now, POISON_AFTER],
  );
  const say = { inbox: inbox.id, folder: folder.path, uid, err: error };
  if (row?.quarantined) ctx.log.error(say, 'a message was set aside');
  else ctx.log.warn(say, 'a message could not be taken in and will be tried again');
}

/** Try those again whose wait is over. What the mailbox holds no more is forgotten. */
export async function tryAgain(ctx: Ctx, inbox: Inbox, mailbox: MailboxSession, folders: readonly Folder[]): Promise<void> {
  const passed = await rowsOf<Passed>(
    ctx.db,
    `select role, uid_validity, uid, failures, updated_at from quarantined_messages
      where workspace_id = $1 and inbox_id = $2 and not quarantined and updated_at <= $3 order by updated_at limit $4`,
    [ctx.workspaceId, inbox.id, new Date(ctx.now.getTime() - WAIT_MS), RETRIES_A_POLL],
  );
  for (const one of passed.filter(({ failures, updated_at }) => ctx.now.getTime() - updated_at.getTime() >= WAIT_MS * 5 ** (failures - 1))) {
    const folder = folders.find(({ role }) => role === one.role);
    if (folder) await retry(ctx, mailbox, { inbox, folder, uidValidity: one.uid_validity, uid: one.uid });
  }
}

async function retry(ctx: Ctx, mailbox: MailboxSession, where: Where): Promise<void> {
  const { inbox, folder, uidValidity, uid } = where;
  const stored = await mailbox.messageAt(folder, { uidValidity, uid });
  try {
    // The cursor is behind it already.
    if (stored) await takeIn(ctx, { inbox, folder, stored, uidValidity }, { movesCursor: false });
  } catch (error) {
    if (isElsewhere(error)) throw error;
    return passOver(ctx, where, error);
  }
  await rowsOf(
    ctx.db,
    'delete from quarantined_messages where workspace_id = $1 and inbox_id = $2 and role = $3 and uid_validity = $4 and uid = $5',
    [ctx.workspaceId, inbox.id, folder.role, uidValidity, uid],
  );
}
