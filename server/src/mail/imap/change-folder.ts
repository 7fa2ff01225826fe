// The few things that are ever changed in a mailbox: flags of a message, and the folder that it lies in.
import type { ImapFlow } from 'imapflow';
import { MailboxError, type Place } from '../mail.ts';
import { open, searchUids } from './read-folder.ts';

type At = { uidValidity: string; uid: number };

/** `MailboxSession.addFlags`. */
export async function addFlags(client: ImapFlow, folder: Place, at: At, flags: readonly string[]): Promise<boolean> {
  if (!(await isThere(client, folder, at))) return false;
  if (!(await client.messageFlagsAdd(String(at.uid), [...flags], { uid: true }))) refused(client, 'to flag a message');
  return true;
}

/**
 * `MailboxSession.move`. Only where the server can move (RFC 6851) or expunge this very message (RFC 4315): a plain EXPUNGE would take away whatever
 * else its owner has marked as deleted.
 */
export async function move(client: ImapFlow, folder: Place, at: At, to: Place): Promise<boolean> {
  if (!client.capabilities.has('MOVE') && !client.capabilities.has('UIDPLUS')) return false;
  if (!(await isThere(client, folder, at))) return false;
  if (!(await client.messageMove(String(at.uid), to.path, { uid: true }))) refused(client, 'to move a message');
  return true;
}

async function isThere(client: ImapFlow, folder: Place, { uidValidity, uid }: At): Promise<boolean> {
  const opened = await open(client, folder, { readOnly: false });
  return opened.uidValidity === uidValidity && (await searchUids(client, { uid: String(uid) }, uid, uid)).length > 0;
}

function refused(client: ImapFlow, what: string): never {
  if (!client.usable) throw new MailboxError('closed', `The connection was lost when the server was asked ${what}.`);
  throw new MailboxError('protocol', `The server refused ${what}.`);
}
