import { inTime } from '#platform/deadline.ts';
import { Refusal } from '#platform/refusal.ts';
import { type Folder, type FolderCursor, MailboxError, type MailServer } from '#mail/mail.ts';
import type { World } from '#world/ctx.ts';

/** A folder and where reading it begins: with what arrives from now on. */
export type WatchedFolder = Folder & { cursor: FolderCursor };

/** How long each of the two servers may take. A person waits for the answer, and a silent server must not hold the call for minutes. */
const PATIENCE_MS = 15_000;

/**
 * Log in to both servers and look where each folder stands. Refuses with `inbox_connection_failed` in the same words whatever went wrong:
 * the difference between a closed port, a slow server and a wrong password is nobody's business who only asks. The log knows more.
 */
export async function checkServers(world: World, smtp: MailServer, imap: MailServer): Promise<WatchedFolder[]> {
  await checkSmtp(world, smtp);
  const folders = await checkImap(world, imap);
  if (folders) return folders;
  world.log.info({ host: imap.host, port: imap.port, fault: 'timeout' }, 'an IMAP server was not connected');
  throw refusal('imap', 'IMAP');
}

async function checkSmtp(world: World, server: MailServer): Promise<void> {
  const late = (session: Awaited<ReturnType<World['mail']['connectSmtp']>>) => void ('kind' in session || session.close());
  const session = await inTime(world.clock, PATIENCE_MS, world.mail.connectSmtp(server), late);
  if (session && !('kind' in session)) return session.close();
  const { host, port } = server;
  world.log.info({ host, port, phase: session?.phase, kind: session?.kind ?? 'late' }, 'an SMTP server was not connected');
  throw refusal('smtp', 'SMTP');
}

/** Where each folder stands; null when the server took too long. */
async function checkImap(world: World, server: MailServer): Promise<WatchedFolder[] | null> {
  try {
    return await inTime(world.clock, PATIENCE_MS, watchedFolders(world, server));
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    world.log.info({ host: server.host, port: server.port, fault: error.fault }, 'an IMAP server was not connected');
    throw refusal('imap', 'IMAP');
  }
}

async function watchedFolders(world: World, server: MailServer): Promise<WatchedFolder[]> {
  const mailbox = await world.mail.openMailbox(server);
  try {
    const watched: WatchedFolder[] = [];
    for (const folder of await mailbox.folders()) watched.push({ ...folder, cursor: await mailbox.cursorNow(folder) });
    return watched;
  } finally {
    await mailbox.close();
  }
}

const refusal = (param: string, name: string) =>
  new Refusal('inbox_connection_failed', `Postrider could not log in to the ${name} server with these settings; nothing was stored.`, { param });
