// One mailbox, read once: each watched folder from its cursor on.
import { type Folder, type FolderCursor, MailboxError, type MailboxSession } from '#mail/mail.ts';
import { isConnectionLost, rowsOf } from '#store/db.ts';
import { type Inbox, folders as knownFolders } from '#resources/inboxes/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { CrashHook } from '../crash.ts';
import { saveCursor, takeIn } from './take-in.ts';

const MESSAGES_A_POLL = 100;
/** After a mailbox was made anew (UIDVALIDITY changed) its last days are read again; what was met before is recognised. */
const LOOK_BACK_MS = 3 * 24 * 3_600_000;
/** Connecting an inbox notes where each folder stands. One that appears later (many servers make Junk with its first message) is read likewise. */
const NEVER_READ: FolderCursor = { uidValidity: '', lastUid: 0, highestModseq: null };
/** A message that failed this often is set aside. */
const POISON_AFTER = 3;

/** Read what came. Answers whether there is more to read at once. Throws MailboxError when the mailbox cannot be read. */
export async function pollMailbox(ctx: Ctx, inbox: Inbox, mailbox: MailboxSession, crash: CrashHook): Promise<boolean> {
  const known = new Map((await knownFolders(ctx, inbox.id)).map((row) => [row.role, row]));
  let more = false;
  for (const folder of await mailbox.folders()) {
    const row = known.get(folder.role);
    const cursor = row ? { uidValidity: row.uid_validity, lastUid: row.last_uid, highestModseq: row.highest_modseq } : NEVER_READ;
    more = (await readFolder(ctx, inbox, mailbox, folder, cursor, crash)) || more;
  }
  return more;
}

async function readFolder(ctx: Ctx, inbox: Inbox, mailbox: MailboxSession, folder: Folder, cursor: FolderCursor, crash: CrashHook): Promise<boolean> {
  const since = new Date(Math.max(inbox.created_at.getTime(), ctx.now.getTime() - LOOK_BACK_MS));
  const found = await mailbox.newMessages(folder, cursor, { limit: MESSAGES_A_POLL, since });
  if (found.messages.length > 0) await crash('CP15 fetched');
  for (const stored of found.messages) {
    try {
      await takeIn(ctx, { inbox, folder, stored, uidValidity: found.cursor.uidValidity });
    } catch (error) {
      // Neither the mailbox's nor the database's troubles are the message's fault.
      if (error instanceof MailboxError || isConnectionLost(error)) throw error;
      // Until it is set aside the cursor stays before it, and the error is the loop's to report.
      if (!(await setAside(ctx, inbox, folder, found.cursor.uidValidity, stored.uid, error))) throw error;
    }
    await crash('CP16 taken in');
  }
  await saveCursor(ctx, inbox, folder, found.cursor);
  return found.more;
}

/** Count a failure to take a message in; true once it has failed often enough to be left behind, visibly. */
async function setAside(ctx: Ctx, inbox: Inbox, folder: Folder, uidValidity: string, uid: number, error: unknown): Promise<boolean> {
  const problem = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
  const [row] = await rowsOf<{ quarantined: boolean }>(
    ctx.db,
    `insert into quarantined_messages as q (workspace_id, inbox_id, role, uid_validity, uid, failures, problem, quarantined, updated_at)
     values ($1, $2, $3, $4, $5, 1, $6, false, $7)
     on conflict (workspace_id, inbox_id, role, uid_validity, uid)
     do update set failures = q.failures + 1, problem = excluded.problem, quarantined = q.failures + 1 >= $8, updated_at = excluded.updated_at
     returning quarantined`,
    [ctx.workspaceId, inbox.id, folder.role, uidValidity, uid, problem, ctx.now, POISON_AFTER],
  );
  if (row?.quarantined) ctx.log.error({ inbox: inbox.id, folder: folder.path, uid, err: error }, 'a message was set aside');
  return row?.quarantined === true;
}
