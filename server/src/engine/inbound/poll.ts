// One mailbox, read once: each watched folder from its cursor on.
import type { Folder, FolderCursor, MailboxSession } from '#mail/mail.ts';
import { type Inbox, folders as knownFolders } from '#resources/inboxes/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { CrashHook } from '../crash.ts';
import { isElsewhere, passOver, tryAgain } from './poison.ts';
import { saveCursor, takeIn } from './take-in.ts';

const MESSAGES_A_POLL = 100;
/** After a mailbox was made anew (UIDVALIDITY changed) its last days are read again; what was met before is recognised. */
const LOOK_BACK_MS = 3 * 24 * 3_600_000;
/** Connecting an inbox notes where each folder stands. One that appears later (many servers make Junk with its first message) is read likewise. */
const NEVER_READ: FolderCursor = { uidValidity: '', lastUid: 0 };
/** When so many of one poll fail, it is not the messages. */
const MAX_FAILURES_A_POLL = 10;

/** Read what came. Answers whether there is more to read at once. Throws MailboxError when the mailbox cannot be read. */
export async function pollMailbox(ctx: Ctx, inbox: Inbox, mailbox: MailboxSession, crash: CrashHook): Promise<boolean> {
  const known = new Map((await knownFolders(ctx, inbox.id)).map((row) => [row.role, row]));
  const folders = await mailbox.folders();
  await tryAgain(ctx, inbox, mailbox, folders);
  let more = false;
  for (const folder of folders) {
    const row = known.get(folder.role);
    const cursor = row ? { uidValidity: row.uid_validity, lastUid: row.last_uid } : NEVER_READ;
    more = (await readFolder(ctx, inbox, mailbox, folder, cursor, crash)) || more;
  }
  return more;
}

async function readFolder(ctx: Ctx, inbox: Inbox, mailbox: MailboxSession, folder: Folder, cursor: FolderCursor, crash: CrashHook): Promise<boolean> {
  const since = new Date(Math.max(inbox.created_at.getTime(), ctx.now.getTime() - LOOK_BACK_MS));
  const found = await mailbox.newMessages(folder, cursor, { limit: MESSAGES_A_POLL, since });
  if (found.messages.length > 0) await crash('CP15 fetched');
  const { uidValidity } = found.cursor;
  let failures = 0;
  for (const stored of found.messages) {
    try {
      await takeIn(ctx, { inbox, folder, stored, uidValidity });
    } catch (error) {
      if (isElsewhere(error) || ++failures > MAX_FAILURES_A_POLL) throw error;
      await passOver(ctx, { inbox, folder, uidValidity, uid: stored.uid }, error);
    }
    await crash('CP16 taken in');
  }
  await saveCursor(ctx, inbox, folder, found.cursor);
  return found.more;
}
