// The body of a message, fetched from the mailbox at the moment of the call. Nothing of it is kept.
import { inTime } from '#platform/deadline.ts';
import { Refusal, found } from '#platform/refusal.ts';
import { LineTooLong, turns } from '#platform/turns.ts';
import { type Mail, MailboxError, type MailboxSession, type MailServer, type Place, type StoredMessage } from '#mail/mail.ts';
import { BODY_BYTES, type Body, bodyOf } from '#mail/parse/body.ts';
import { cleanBody } from '#mail/text/clean-body.ts';
import { byIds, serverOf } from '#resources/inboxes/index.ts';
import type { Ctx, World } from '#world/ctx.ts';
import * as store from './store.ts';

/** How long a mailbox may take, from dialling to the last byte. */
const PATIENCE_MS = 20_000;
/** Providers count connections: few of one inbox, and only so many bodies in memory at a time. */
const LIMITS = { each: 2, all: 20, line: 6 };
const RETRY_AFTER_SECONDS = 5;

/** One set of turns for each world, that is for each process. */
const TURNS = new WeakMap<Mail, ReturnType<typeof turns>>();
function turnsOf({ mail }: World): ReturnType<typeof turns> {
  const known = TURNS.get(mail) ?? turns(LIMITS);
  TURNS.set(mail, known);
  return known;
}

/**
 * The text and the cleaned HTML of a message. Both null in sandbox inboxes. Refuses with `body_unavailable`, in words that tell nothing of servers
 * and logins, when the mailbox does not hand it out; with `rate_limit_exceeded` when too many of one inbox are asked for at once.
 */
export async function messageBody(ctx: Ctx, id: string): Promise<Body> {
  const message = found(await store.byId(ctx, id), 'message');
  const [inbox] = await byIds(ctx, [message.inbox_id]);
  if (message.mode === 'test' || inbox?.provider === 'sandbox') return { html: null, text: null, truncated: false };
  const server = inbox && inbox.status !== 'revoked' ? serverOf(ctx, inbox, 'imap') : null;
  if (!server) throw unavailable('The inbox is disconnected.');
  const stored = await atItsTurn(ctx, message.inbox_id, () => fetched(ctx, server, message));
  if (!stored) throw unavailable('The mailbox does not hold this message any more.');
  const body = await bodyOf(stored.source, stored);
  if (!body) throw unavailable('The message cannot be read.');
  if (body.html === null) return body;
  const clean = cleanBody(body.html);
  return { html: clean.html, text: body.text, truncated: body.truncated || clean.truncated };
}

const unavailable = (why: string) => new Refusal('body_unavailable', `The body cannot be had. ${why}`);

async function atItsTurn<T>(ctx: Ctx, inboxId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await turnsOf(ctx)(inboxId, work);
  } catch (error) {
    if (error instanceof LineTooLong) {
      const message = 'Too many bodies of this inbox are being fetched.';
      throw new Refusal('rate_limit_exceeded', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    if (!(error instanceof MailboxError)) throw error;
    ctx.log.info({ inbox: inboxId, fault: error.fault }, 'the body of a message could not be fetched');
    throw unavailable(error.fault === 'authentication' ? 'The mailbox refused the login.' : 'The mailbox could not be read.');
  }
}

async function fetched(world: World, server: MailServer, message: store.Row): Promise<StoredMessage | null> {
  let session: MailboxSession | undefined;
  let late = false;
  const look = async () => {
    session = await world.mail.openMailbox(server, { messageBytes: BODY_BYTES });
    try {
      return { stored: late ? null : await lookedUp(session, message) };
    } finally {
      await session.close();
    }
  };
  const looked = await inTime(world.clock, PATIENCE_MS, look());
  if (looked) return looked.stored;
  late = true;
  // What it is still waiting for comes to nothing.
  void session?.close();
  throw new MailboxError('timeout', 'The mailbox took too long.');
}

/** Where it was met; else wherever its Message-ID is found: it may have been moved, and what we sent was met nowhere. */
async function lookedUp(mailbox: MailboxSession, message: store.Row): Promise<StoredMessage | null> {
  const { folder, uid, uid_validity: uidValidity, rfc822_message_id: messageId, direction } = message;
  if (folder !== null && uid !== null && uidValidity !== null) {
    const there = await ifThere(() => mailbox.messageAt({ path: folder }, { uidValidity, uid }));
    if (there) return there;
  }
  if (messageId === null) return null;
  const watched = await mailbox.folders();
  const likely = watched.filter(({ role }) => (role === 'sent') === (direction === 'outbound'));
  const places: Place[] = [...likely, ...watched.filter((one) => !likely.includes(one)), ...(await mailbox.putAway())];
  for (const place of places) {
    const there = await ifThere(() => mailbox.findByMessageId(place, messageId));
    if (there) return there;
  }
  return null;
}

/** A folder that is gone holds nothing. */
async function ifThere(look: () => Promise<StoredMessage | null>): Promise<StoredMessage | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof MailboxError && error.fault === 'missing') return null;
    throw error;
  }
}
