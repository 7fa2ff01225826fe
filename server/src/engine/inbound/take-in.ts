// One incoming message: read, judged, matched, and told to everybody whom it concerns, in one commit with the cursor behind it.
import { createHash } from 'node:crypto';
import { emailKey } from '#platform/email-address.ts';
import { newId } from '#platform/ids.ts';
import type { Folder, FolderCursor, StoredMessage } from '#mail/mail.ts';
import { type InboundMessage, ParseError } from '#mail/parse/message.ts';
import { parseMessage } from '#mail/parse/parse-message.ts';
import { type Verdict, verdictOf } from '#mail/verdict/verdict.ts';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Inbox, addresses, saveFolder } from '#resources/inboxes/index.ts';
import { type Message, insertOnce } from '#resources/messages/index.ts';
import { byMessageIds } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { apply } from './apply.ts';
import { type Candidate, type Meaning, citedIds, meaningOf } from './match.ts';

export type Arrival = { inbox: Inbox; folder: Folder; stored: StoredMessage; uidValidity: string };

/** Take a message in. Meeting it again, in this folder or another, changes nothing but the cursor: (inbox, identity) is unique. */
export async function takeIn(ctx: Ctx, arrival: Arrival): Promise<void> {
  const message = await read(arrival.stored);
  const { inbox, folder, stored, uidValidity } = arrival;
  await inTransaction(ctx, async (ctx) => {
    if (folder.role === 'sent') await insertOnce(ctx, rowOf(ctx, arrival, message, null));
    else await takeInbound(ctx, arrival, message);
    await saveCursor(ctx, inbox, folder, { uidValidity, lastUid: stored.uid, highestModseq: null });
  });
}

async function takeInbound(ctx: Ctx, arrival: Arrival, message: InboundMessage | null): Promise<void> {
  const { inbox } = arrival;
  const own = (await addresses(ctx)).map((row) => row.email_key);
  const verdict = message ? verdictOf(message, { ownAddresses: own }) : UNREADABLE;
  const meaning = message
    ? meaningOf(message, verdict, {
        cited: await byMessageIds(ctx, citedIds(message, verdict)),
        latestToSender: await latestTo(ctx, inbox, message, verdict),
        inboxId: inbox.id,
      })
    : NOTHING;
  const row = await insertOnce(ctx, rowOf(ctx, arrival, message, { verdict, meaning }));
  if (row) await apply(ctx, row, meaning);
}

const UNREADABLE: Verdict = { kind: 'unrelated', rule: 'unreadable', because: 'It is no message that could be read.' };
const NOTHING: Meaning = { classification: 'unrelated', send: null, effect: 'none', rule: UNREADABLE.rule, because: UNREADABLE.because };

async function read({ source, truncated }: StoredMessage): Promise<InboundMessage | null> {
  try {
    return await parseMessage(source, { truncated });
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}

const REMEMBER_MS = 30 * 24 * 3_600_000;

/** The last send from this mailbox to whoever wrote, within a month: only asked when a person's mail cites nothing at all. */
async function latestTo(ctx: Ctx, inbox: Inbox, message: InboundMessage, verdict: Verdict): Promise<Candidate | null> {
  if ((verdict.kind !== 'reply' && verdict.kind !== 'auto_reply') || !message.from || citedIds(message, verdict).length > 0) return null;
  const rows = await rowsOf<Candidate>(
    ctx.db,
    `select * from sends where workspace_id = $1 and mode = $2 and inbox_id = $3 and to_email_key = $4 and dot_released_at > $5
      order by dot_released_at desc limit 1`,
    [ctx.workspaceId, ctx.mode, inbox.id, emailKey(message.from.email), new Date(ctx.now.getTime() - REMEMBER_MS)],
  );
  return rows[0] ?? null;
}

type Judged = { verdict: Verdict; meaning: Meaning } | null;

function rowOf(
  ctx: Ctx,
  { inbox, folder, stored, uidValidity }: Arrival,
  message: InboundMessage | null,
  judged: Judged,
): Omit<Message, 'workspace_id' | 'mode'> {
  const identity = message?.messageId ?? `sha256:${createHash('sha256').update(stored.source).digest('hex')}`;
  const send = judged?.meaning.send ?? null;
  const bounce = judged?.meaning.classification === 'bounce' ? judged.verdict.bounce : undefined;
  return {
    id: newId(ctx, 'msg', ctx.now),
    inbox_id: inbox.id,
    direction: judged ? 'inbound' : 'outbound',
    classification: judged?.meaning.classification ?? null,
    verdict_rule: judged?.meaning.rule ?? null,
    verdict_because: judged?.meaning.because ?? null,
    thread_id: send?.provider_thread_id ?? message?.references[0] ?? message?.inReplyTo ?? identity,
    identity,
    rfc822_message_id: message?.messageId ?? null,
    in_reply_to: message?.inReplyTo ?? null,
    from_email: message?.from?.email ?? null,
    from_name: message?.from?.name ?? null,
    to_email: message?.to[0] ?? null,
    subject: message?.subject ?? null,
    bounce_type: bounce?.type ?? null,
    bounce_status_code: bounce?.status ?? null,
    bounce_diagnostic: bounce?.diagnostic ?? null,
    matched_send_id: send?.id ?? null,
    folder: folder.path,
    uid_validity: uidValidity,
    uid: stored.uid,
    received_at: stored.internalDate ?? ctx.now,
    created_at: ctx.now,
  };
}

/** Keep how far a folder has been read. */
export async function saveCursor(ctx: Ctx, inbox: Inbox, folder: Folder, cursor: FolderCursor): Promise<void> {
  await saveFolder(ctx, {
    inbox_id: inbox.id,
    role: folder.role,
    path: folder.path,
    uid_validity: cursor.uidValidity,
    last_uid: cursor.lastUid,
    highest_modseq: cursor.highestModseq,
    updated_at: ctx.now,
  });
}
