import { Refusal } from '#platform/refusal.ts';
import { type Folder, type FolderCursor, MailboxError, type MailServer } from '#mail/mail.ts';
import type { World } from '#world/ctx.ts';

/** A folder and where reading it begins: with what arrives from now on. */
export type WatchedFolder = Folder & { cursor: FolderCursor };

/**
 * Log in to both servers and look where each folder stands. Refuses with `inbox_connection_failed` in the same words whatever went wrong:
 * the difference between a closed port, a slow server and a wrong password is nobody's business who only asks. The log knows more.
 */
export async function checkServers(world: World, smtp: MailServer, imap: MailServer): Promise<WatchedFolder[]> {
  const session = await world.mail.connectSmtp(smtp);
  if ('kind' in session) {
    world.log.info({ host: smtp.host, port: smtp.port, phase: session.phase, kind: session.kind }, 'an SMTP server was not connected');
    throw refusal('smtp', 'SMTP');
  }
  await session.close();
  try {
    const mailbox = await world.mail.openMailbox(imap);
    try {
      const watched: WatchedFolder[] = [];
      for (const folder of await mailbox.folders()) watched.push({ ...folder, cursor: await mailbox.cursorNow(folder) });
      return watched;
    } finally {
      await mailbox.close();
    }
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    world.log.info({ host: imap.host, port: imap.port, fault: error.fault }, 'an IMAP server was not connected');
    throw refusal('imap', 'IMAP');
  }
}

const refusal = (param: string, name: string) =>
  new Refusal('inbox_connection_failed', `Postrider could not log in to the ${name} server with these settings; nothing was stored.`, { param });
