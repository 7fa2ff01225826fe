import type { FetchMessageObject, ImapFlow, MailboxObject } from 'imapflow';
import { type FolderCursor, MailboxError, type Place, type StoredMessage } from '../mail.ts';
import type { MailboxLimits } from './limits.ts';

const DAY_MS = 86_400_000;
/** UIDs that one SEARCH covers: a folder with a million new messages is asked for in pieces, none of them long. */
const FIRST_WINDOW = 4096;
const LAST_WINDOW = 262_144;
const MAX_WINDOWS = 64;
/** Messages that one FETCH asks for, so that a batch can end when it is large enough. */
const FETCH_CHUNK = 8;
const MAX_CANDIDATES = 20;

type NewMessages = { messages: StoredMessage[]; cursor: FolderCursor; reset: boolean; more: boolean };
type Reading = { limit: number; since: Date; bounds: Pick<MailboxLimits, 'messageBytes' | 'batchBytes'>; onUnreadable(uid: number): void };
type Opened = { uidValidity: string; uidNext: number };

/** Open a folder, unless asked otherwise to read it only. UIDVALIDITY is what a cursor hangs on: a server that gives none cannot be followed. */
export async function open(client: ImapFlow, folder: Place, { readOnly = true } = {}): Promise<Opened> {
  // The declared type promises what a server may leave out.
  const { uidValidity, uidNext }: Partial<MailboxObject> = await client.mailboxOpen(folder.path, { readOnly });
  if (!uidValidity) throw new MailboxError('protocol', 'The server names no UIDVALIDITY for the folder.');
  if (!uidNext) throw new MailboxError('protocol', 'The server names no UIDNEXT for the folder.');
  return { uidValidity: String(uidValidity), uidNext };
}

export const cursorAt = ({ uidValidity }: Opened, lastUid: number): FolderCursor => ({ uidValidity, lastUid });

/** `MailboxSession.newMessages`. `onUnreadable` hears of messages that the server lists but does not hand out; they are passed over. */
export async function newMessages(client: ImapFlow, folder: Place, cursor: FolderCursor, reading: Reading): Promise<NewMessages> {
  const { limit, since } = reading;
  const opened = await open(client, folder);
  const reset = opened.uidValidity !== cursor.uidValidity;
  const { uids, upTo } = reset ? await uidsSince(client, opened, since) : await uidsAfter(client, opened, cursor.lastUid, limit);
  const wanted = uids.slice(0, limit);
  const { messages, reached } = await fetchAll(client, wanted, reading);
  const complete = reached === wanted.length && wanted.length === uids.length;
  const last = complete ? upTo : (wanted[reached - 1] ?? cursor.lastUid);
  return {
    // SINCE knows days only, and each server its own (RFC 3501, section 6.4.4): one day more was asked for.
    messages: reset ? messages.filter((one) => one.internalDate === null || one.internalDate >= since) : messages,
    cursor: cursorAt(opened, last),
    reset,
    more: !complete || upTo < opened.uidNext - 1,
  };
}

/** UIDs above the cursor, ascending, and up to where they are known. */
async function uidsAfter(client: ImapFlow, { uidNext }: Opened, lastUid: number, limit: number): Promise<{ uids: number[]; upTo: number }> {
  // A cursor beyond UIDNEXT stays: going back would read again what was read.
  let upTo = lastUid;
  let window = FIRST_WINDOW;
  let uids: number[] = [];
  for (let count = 0; count < MAX_WINDOWS && uids.length < limit && upTo < uidNext - 1; count++) {
    const end = Math.min(upTo + window, uidNext - 1);
    uids = uids.concat(await searchUids(client, { uid: `${upTo + 1}:${end}` }, upTo + 1, end));
    upTo = end;
    window = Math.min(window * 2, LAST_WINDOW);
  }
  return { uids, upTo };
}

async function uidsSince(client: ImapFlow, { uidNext }: Opened, since: Date): Promise<{ uids: number[]; upTo: number }> {
  return { uids: await searchUids(client, { since: new Date(since.getTime() - DAY_MS) }, 1, uidNext - 1), upTo: uidNext - 1 };
}

/** Ascending. `5:*` and careless servers also answer with what lies outside: it is left out. */
export async function searchUids(client: ImapFlow, query: object, from: number, to: number): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  if (!Array.isArray(found) && !client.usable) throw new MailboxError('closed', 'The connection was lost during a search.');
  if (!Array.isArray(found)) throw new MailboxError('protocol', 'The server refused to search the folder.');
  return found.filter((uid) => uid >= from && uid <= to);
}

/** The messages of these UIDs in their order, and how many of the UIDs were asked for before the batch was full. A UID that is gone is skipped. */
async function fetchAll(
  client: ImapFlow,
  uids: readonly number[],
  { bounds, onUnreadable }: Reading,
): Promise<{ messages: StoredMessage[]; reached: number }> {
  const messages: StoredMessage[] = [];
  let bytes = 0;
  let reached = 0;
  while (reached < uids.length && bytes < bounds.batchBytes) {
    const chunk = uids.slice(reached, reached + FETCH_CHUNK);
    const fetched = await fetchChunk(client, chunk, bounds.messageBytes);
    const absent = chunk.filter((uid) => !fetched.some((one) => one.uid === uid));
    if (absent.length > 0) fetched.push(...(await fetchListed(client, absent, bounds.messageBytes, onUnreadable)));
    messages.push(...fetched.toSorted((a, b) => a.uid - b.uid));
    bytes += fetched.reduce((sum, one) => sum + one.source.length, 0);
    reached += chunk.length;
  }
  return { messages, reached };
}

/** A second try for what did not come: most of it was expunged meanwhile, but an answer may also have been garbled. */
async function fetchListed(
  client: ImapFlow,
  uids: readonly number[],
  messageBytes: number,
  onUnreadable: Reading['onUnreadable'],
): Promise<StoredMessage[]> {
  const listed = await searchUids(client, { uid: uids.join(',') }, uids[0] ?? 1, uids.at(-1) ?? 1);
  if (listed.length === 0) return [];
  const fetched = await fetchChunk(client, listed, messageBytes);
  for (const uid of listed) if (!fetched.some((one) => one.uid === uid)) onUnreadable(uid);
  return fetched;
}

async function fetchChunk(client: ImapFlow, uids: readonly number[], messageBytes: number): Promise<StoredMessage[]> {
  const found = new Map<number, StoredMessage>();
  const query = { uid: true, flags: true, internalDate: true, size: true, source: { maxLength: messageBytes } };
  for await (const one of client.fetch(uids.join(','), query, { uid: true })) {
    if (one.source && uids.includes(one.uid) && !found.has(one.uid)) found.set(one.uid, storedMessage(one, one.source, messageBytes));
  }
  return [...found.values()];
}

function storedMessage({ uid, size, internalDate, flags }: FetchMessageObject, source: Buffer, messageBytes: number): StoredMessage {
  const date = internalDate === undefined ? null : new Date(internalDate);
  return {
    uid,
    source: source.subarray(0, messageBytes),
    truncated: source.length > messageBytes || (size === undefined ? source.length === messageBytes : source.length < size),
    internalDate: date && !Number.isNaN(date.getTime()) ? date : null,
    flags: [...(flags ?? [])],
  };
}

/** `MailboxSession.messageAt`. */
export async function messageAt(
  client: ImapFlow,
  folder: Place,
  { uidValidity, uid }: { uidValidity: string; uid: number },
  messageBytes: number,
): Promise<StoredMessage | null> {
  const opened = await open(client, folder);
  return opened.uidValidity === uidValidity ? ((await fetchChunk(client, [uid], messageBytes))[0] ?? null) : null;
}

/** Servers search headers by substring, some by word: what they find is compared. */
export async function findByMessageId(client: ImapFlow, folder: Place, messageId: string, messageBytes: number): Promise<StoredMessage | null> {
  const { uidNext } = await open(client, folder);
  const found = await searchUids(client, { header: { 'message-id': messageId } }, 1, uidNext - 1);
  const candidates = found.slice(-MAX_CANDIDATES);
  if (candidates.length === 0) return null;
  let match: number | null = null;
  for await (const one of client.fetch(candidates.join(','), { uid: true, headers: ['message-id'] }, { uid: true })) {
    const value = (one.headers?.toString('latin1') ?? '').replace(/\r?\n[ \t]+/g, ' ');
    if (candidates.includes(one.uid) && /^message-id:[ \t]*(\S+)[ \t]*$/im.exec(value)?.[1] === messageId) match = one.uid;
  }
  return match === null ? null : ((await fetchChunk(client, [match], messageBytes))[0] ?? null);
}
