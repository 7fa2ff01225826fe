import type { Log } from '#platform/log.ts';
import type { MailboxSession, MailServer } from '../mail.ts';
import { Connection, type Doors } from './connection.ts';
import { namedFolders } from './folders.ts';
import { MAILBOX_LIMITS, type MailboxLimits } from './limits.ts';
import { cursorAt, findByMessageId, newMessages, open } from './read-folder.ts';

/**
 * The door to mailboxes (IMAP4rev1, by imapflow). Opening one rejects with MailboxError, and so does every method of the session; after any
 * fault but `missing` the session is closed. Calls of one session run one after another. Nothing in the mailbox is changed, not even \Seen.
 */
export function mailboxOpener({
  limits = {},
  ...doors
}: Doors & { limits?: Partial<MailboxLimits> }): (server: MailServer) => Promise<MailboxSession> {
  const bounds = { ...MAILBOX_LIMITS, ...limits };
  return async (server) => session(await Connection.open(server, doors, bounds), bounds, doors.log);
}

function session(connection: Connection, bounds: MailboxLimits, log: Log): MailboxSession {
  const { client } = connection;
  const onUnreadable = (uid: number) => log.warn({ uid }, 'A mail server lists a message but does not hand it out; it was passed over.');
  return {
    folders: () => connection.work(async () => namedFolders(await client.list())),
    cursorNow: (folder) =>
      connection.work(async () => {
        const opened = await open(client, folder);
        return cursorAt(opened, opened.uidNext - 1);
      }),
    newMessages: (folder, cursor, { limit, since }) =>
      connection.work(() => newMessages(client, folder, cursor, { limit, since, bounds, onUnreadable })),
    async findByMessageId(folder, messageId) {
      // What is no identifier names no message; and nothing but an identifier is to reach the search.
      if (!/^<[^<>\s\p{Cc}]{1,996}>$/u.test(messageId)) return null;
      return connection.work(() => findByMessageId(client, folder, messageId, bounds.messageBytes));
    },
    close: () => connection.close(),
  };
}
