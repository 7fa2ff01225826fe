import type { Log } from '#platform/log.ts';
import type { Mail, MailboxSession } from '../mail.ts';
import { Connection, type Doors } from './connection.ts';
import { namedFolders, putAway } from './folders.ts';
import { MAILBOX_LIMITS, type MailboxLimits } from './limits.ts';
import { addFlags, move } from './change-folder.ts';
import { cursorAt, findByMessageId, messageAt, newMessages, open } from './read-folder.ts';

/**
 * The door to mailboxes (IMAP4rev1, by imapflow). Opening one rejects with MailboxError, and so does every method of the session; after any
 * fault but `missing` the session is closed. Calls of one session run one after another. Reading
 * changes nothing in the mailbox, not even \Seen.
 */
export function mailboxOpener({ limits = {}, ...doors }: Doors & { limits?: Partial<MailboxLimits> }): Mail['openMailbox'] {
  return async (server, own = {}) => {
    const bounds = { ...MAILBOX_LIMITS, ...limits, ...own };
    return session(await Connection.open(server, doors, bounds), bounds, doors.log);
  };
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
    messageAt: (folder, at) => connection.work(() => messageAt(client, folder, at, bounds.messageBytes)),
    addFlags: (folder, at, flags) => connection.work(() => addFlags(client, folder, at, flags)),
    move: (folder, at, to) => connection.work(() => move(client, folder, at, to)),
    putAway: () => connection.work(async () => putAway(await client.list())),
    async findByMessageId(folder, messageId) {
      // What is no identifier names no message; and nothing but an identifier is to reach the search.
      if (!/^<[^<>\s\p{Cc}]{1,996}>$/u.test(messageId)) return null;
      return connection.work(() => findByMessageId(client, folder, messageId, bounds.messageBytes));
    },
    close: () => connection.close(),
  };
}
