// A mailbox as an IMAP server would show it, without the wire: the folders of the scripted server behind the door that the world holds open.
import { type Folder, MailboxError, type MailboxSession, type StoredMessage } from '#mail/mail.ts';
import { type Account, type Folder as ScriptedFolder, type Stored, append, folderOf } from '#testing/imap-server/store.ts';

const WATCHED: readonly Folder[] = [
  { path: 'INBOX', role: 'inbox' },
  { path: 'Junk', role: 'junk' },
  { path: 'Sent', role: 'sent' },
];

const shown = ({ uid, raw, internalDate }: Stored): StoredMessage => ({ uid, source: raw, truncated: false, internalDate, flags: [] });

/** One connection to it. `checked` throws when the connection is lost or the server refuses to go on. */
export function mailboxSession(account: Account, checked: () => void): MailboxSession {
  const opened = (path: string) => {
    checked();
    const folder = folderOf(account, path);
    if (!folder) throw new MailboxError('missing', `There is no ${path}.`);
    return folder;
  };
  return {
    async folders() {
      checked();
      return [...WATCHED];
    },
    async cursorNow({ path }) {
      const { uidValidity, uidNext } = opened(path);
      return { uidValidity: String(uidValidity), lastUid: uidNext - 1 };
    },
    async newMessages({ path }, cursor, { limit, since }) {
      const { uidValidity, uidNext, messages } = opened(path);
      const reset = cursor.uidValidity !== String(uidValidity);
      const found = messages.filter((one) => (reset ? one.internalDate >= since : one.uid > cursor.lastUid));
      const some = found.slice(0, limit);
      const more = some.length < found.length;
      const lastUid = more ? some.at(-1)!.uid : uidNext - 1;
      return { messages: some.map(shown), cursor: { uidValidity: String(uidValidity), lastUid }, reset, more };
    },
    async messageAt({ path }, at) {
      const { uidValidity, messages } = opened(path);
      const found = messages.find((one) => one.uid === at.uid);
      return found && at.uidValidity === String(uidValidity) ? shown(found) : null;
    },
    async findByMessageId({ path }, messageId) {
      const found = opened(path).messages.find((one) => one.raw.includes(`\r\nMessage-ID: ${messageId}\r\n`));
      return found ? shown(found) : null;
    },
    ...changes(opened),
    putAway: async () => [],
    close: async () => undefined,
  };
}

/** What a mailbox lets its reader change. */
const changes = (opened: (path: string) => ScriptedFolder): Pick<MailboxSession, 'addFlags' | 'move'> => ({
  async addFlags({ path }, at, flags) {
    const found = opened(path).messages.find((one) => one.uid === at.uid);
    for (const flag of flags) found?.flags.add(flag);
    return found !== undefined;
  },
  async move({ path }, at, to) {
    const folder = opened(path);
    const found = folder.messages.find((one) => one.uid === at.uid);
    if (!found) return false;
    append(opened(to.path), found.raw, found.internalDate, [...found.flags]);
    folder.messages.splice(folder.messages.indexOf(found), 1);
    return true;
  },
});
