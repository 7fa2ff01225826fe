import { setTimeout as pause } from 'node:timers/promises';
import type { FolderCursor, MailboxSession, MailServer, StoredMessage } from '#mail/mail.ts';
import { doors, type MailWorld } from './world.ts';

const INBOX = { role: 'inbox', path: 'INBOX' } as const;

/** A mailbox that is read through our own door, from this moment on. */
export type Watch = {
  mailbox: MailboxSession;
  /** The messages that came since the last call. Waits for `count` of them, a minute at most. */
  arrivals(count: number): Promise<StoredMessage[]>;
};

/** Open a mailbox, do `work`, and close it whatever happens. */
export async function watching<T>(world: MailWorld, server: MailServer, work: (watch: Watch) => Promise<T>): Promise<T> {
  const mailbox = await doors([world.ca]).openMailbox(server);
  let cursor: FolderCursor = await mailbox.cursorNow(INBOX);
  const arrivals = async (count: number) => {
    const found: StoredMessage[] = [];
    for (let tries = 0; tries < 1200 && found.length < count; tries++) {
      if (tries > 0) await pause(50);
      const read = await mailbox.newMessages(INBOX, cursor, { limit: 500, since: new Date(0) });
      cursor = read.cursor;
      found.push(...read.messages);
    }
    if (found.length < count) throw new Error(`Of ${count} messages ${found.length} came within a minute.`);
    return found;
  };
  try {
    return await work({ mailbox, arrivals });
  } finally {
    await mailbox.close();
  }
}
