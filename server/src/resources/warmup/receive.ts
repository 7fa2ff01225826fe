// Warm-up mails as they come in: recognised, noted, and kept out of everything that is made of messages.
import { emailKey } from '#platform/email-address.ts';
import type { Folder } from '#mail/mail.ts';
import type { InboundMessage } from '#mail/parse/message.ts';
import { rowsOf } from '#store/db.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { World } from '#world/ctx.ts';
import { dayName, looksAt } from './rules.ts';
import { type Tally, count } from './statistics.ts';
import { type Known, locked, proveSent } from './store.ts';
import { type MailKey, markCited, markOn } from './token.ts';

export type Met = { inbox: Inbox; folder: Folder; message: InboundMessage; at: { uidValidity: string; uid: number } };

/**
 * Take a message in as what it is signed to be, in the caller's transaction. False when it is no warm-up mail of this mailbox, whatever it carries:
 * then it is a message like any other. Costs mail without our mark no statement.
 */
export async function takeWarmup(world: World, met: Met): Promise<boolean> {
  const { inbox, folder, message } = met;
  const key = inbox.mode === 'live' ? markOn(world, message) : null;
  const mail = key && (await locked(world, key));
  if (!mail || mail.dot_released_at === null || message.from === null || emailKey(message.from.email) !== mail.from_key) return false;
  // The sender's own copy, in Sent or wherever its owner has put it.
  if (isAt(mail.workspace_id, mail.inbox_id, inbox)) {
    await noteSent(world, mail);
    return true;
  }
  if (folder.role === 'sent' || !isAt(mail.to_workspace_id, mail.to_inbox_id, inbox)) return false;
  // Met again; or a copy of the mark on another mail, which is none of ours.
  if (mail.received_at !== null) return mail.received_message_id === message.messageId;
  await noteReceived(world, mail, met);
  return true;
}

const isAt = (workspaceId: string, inboxId: string, inbox: Inbox) => workspaceId === inbox.workspace_id && inboxId === inbox.id;

const tallyOf = ({ workspace_id: workspaceId, inbox_id: inboxId, day }: Known, what: Tally['what']): Tally => ({ workspaceId, inboxId, day, what });

async function noteSent(world: World, mail: Known): Promise<void> {
  if (await proveSent(world, mail)) await count(world, [tallyOf(mail, 'sent')]);
}

async function noteReceived(world: World, mail: Known, { inbox, folder, message, at }: Met): Promise<void> {
  const now = world.clock.now();
  const where = folder.role === 'junk' ? 'junk' : 'inbox';
  await rowsOf(
    world.db,
    `update warmup_mails set received_at = $3, received_in = $4, received_message_id = $5, folder = $6, uid_validity = $7, uid = $8, tend_at = $9
      where workspace_id = $1 and id = $2`,
    // Who has left the pool looks after its mail itself.
    [
      mail.workspace_id,
      mail.id,
      now,
      where,
      message.messageId,
      folder.path,
      at.uidValidity,
      at.uid,
      inbox.warmup_enabled ? looksAt(mail.id, now) : null,
    ],
  );
  const isNews = await proveSent(world, mail);
  await count(world, [
    ...(isNews ? [tallyOf(mail, 'sent')] : []),
    tallyOf(mail, where === 'junk' ? 'landed_in_junk' : 'landed_in_inbox'),
    { workspaceId: inbox.workspace_id, inboxId: inbox.id, day: dayName(now, inbox.timezone), what: 'received' },
  ]);
}

/**
 * Whether a message is about a warm-up mail of this mailbox: a report or an automatic answer then concerns nobody either. `cited` are the Message-IDs
 * that it points at. Asks no database about those that bear no mark of ours.
 */
export async function isAboutWarmup(world: World, inbox: Inbox, message: InboundMessage, cited: readonly string[]): Promise<boolean> {
  const key: MailKey | null = inbox.mode === 'live' ? markCited(world, message, cited) : null;
  const mail = key && (await locked(world, key));
  return mail !== null && mail !== undefined && isAt(mail.workspace_id, mail.inbox_id, inbox);
}
