// One incoming message: read, judged, matched, and told to everybody whom it concerns, in one commit with the cursor behind it.
import { emailKey } from '#platform/email-address.ts';
import { newId } from '#platform/ids.ts';
import type { Folder, FolderCursor, StoredMessage } from '#mail/mail.ts';
import { type InboundMessage, ParseError } from '#mail/parse/message.ts';
import { parseMessage } from '#mail/parse/parse-message.ts';
import { autoReplySign } from '#mail/verdict/auto-reply.ts';
import { type Verdict, verdictOf } from '#mail/verdict/verdict.ts';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Inbox, addresses, saveFolder } from '#resources/inboxes/index.ts';
import { type Message, insertOnce } from '#resources/messages/index.ts';
import { byMessageIds, copiedAmong } from '#resources/sends/index.ts';
import { isAboutWarmup, takeWarmup } from '#resources/warmup/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { apply } from './apply.ts';
import { identityOf } from './identity.ts';
import { type Candidate, type Meaning, citedIds, meaningOf } from './match.ts';

export type Arrival = { inbox: Inbox; folder: Folder; stored: StoredMessage; uidValidity: string };

/** Take a message in. Meeting it again, in this folder or another, changes nothing but the cursor: (inbox, identity) is unique. */
export async function takeIn(ctx: Ctx, arrival: Arrival, { movesCursor = true }: { movesCursor?: boolean } = {}): Promise<void> {
  const message = await read(arrival.stored);
  const { inbox, folder, stored, uidValidity } = arrival;
  await inTransaction(ctx, async (ctx) => {
    const isWarmup = message !== null && (await takeWarmup(ctx, { inbox, folder, message, at: { uidValidity, uid: stored.uid } }));
    if (isWarmup) ctx.log.debug({ inbox: inbox.id, folder: folder.path }, 'a mail of the warm-up was met');
    else if (folder.role === 'sent') await insertOnce(ctx, rowOf(ctx, arrival, message, null));
    else await takeInbound(ctx, arrival, message);
    if (movesCursor) await saveCursor(ctx, inbox, folder, { uidValidity, lastUid: stored.uid });
  });
}

async function takeInbound(ctx: Ctx, arrival: Arrival, message: InboundMessage | null): Promise<void> {
  const { inbox } = arrival;
  const own = (await addresses(ctx)).map((row) => row.email_key);
  const verdict = message ? verdictOf(message, { ownAddresses: own }) : UNREADABLE;
  const cited = message ? await byMessageIds(ctx, citedIds(message, verdict)) : [];
  // Reports and automatic answers about the warm-up concern nobody.
  const isAutomatic = (one: InboundMessage) => verdict.kind === 'bounce' || autoReplySign(one) !== null;
  if (message && isAutomatic(message) && (await isAboutWarmup(ctx, inbox, message, citedIds(message, verdict)))) return;
  const named = (verdict.bounce?.recipients ?? []).map(emailKey);
  const meaning = message
    ? meaningOf(message, verdict, {
        cited,
        copies: await copiedAmong(ctx, cited.map((one) => one.id), named), // prettier-ignore
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
    `select s.* from sends s
       join send_attempts a on a.workspace_id = s.workspace_id and a.send_id = s.id and a.attempt = s.fence
      where s.workspace_id = $1 and s.mode = $2 and s.inbox_id = $3 and s.to_email_key = $4 and a.dot_released_at > $5
        and (a.outcome is null or a.outcome in ('accepted', 'unknown'))
      order by a.dot_released_at desc limit 1`,
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
  const isOwn = folder.role === 'sent' || (message?.from?.email !== undefined && emailKey(message.from.email) === inbox.email_key);
  const identity = identityOf(message, stored.source, isOwn);
  const send = judged?.meaning.send ?? null;
  const bounce = judged?.meaning.classification === 'bounce' ? judged.verdict.bounce : undefined;
  return {
    id: newId(ctx, 'msg', ctx.now),
    inbox_id: inbox.id,
    direction: judged ? 'inbound' : 'outbound',
    classification: judged?.meaning.classification ?? null,
    verdict_rule: judged?.meaning.rule ?? null,
    verdict_because: judged?.meaning.because ?? null,
    thread_id: send?.provider_thread_id ?? message?.references[0] ?? message?.inReplyTo ?? message?.messageId ?? identity,
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
    updated_at: ctx.now,
  });
}
