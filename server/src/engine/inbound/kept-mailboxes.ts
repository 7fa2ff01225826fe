// Connections to mailboxes, kept from one poll to the next.
import { MailboxError, type MailboxSession } from '#mail/mail.ts';
import { rowsOf } from '#store/db.ts';
import { type Inbox, serverOf } from '#resources/inboxes/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import type { CrashHook } from '../crash.ts';
import { pollMailbox } from './poll.ts';

/** How a connection that the server ended between two polls is met. */
const LOST: readonly MailboxError['fault'][] = ['closed', 'reset'];
const SWEEP_MS = 5_000;
/** Longer than the usual wait between two polls; a mailbox that another process reads by now is not held open here as well. */
const IDLE_MS = 150_000;

type Kept = { session: MailboxSession; login: string; inbox: Pick<Inbox, 'workspace_id' | 'id'>; usedAt: number };

/** What the connection was opened with: another server or another password makes it another. (Each sealing of a password gives another text.) */
const loginOf = (inbox: Inbox) => [inbox.imap_host, inbox.imap_port, inbox.imap_security, inbox.imap_username, inbox.imap_password_sealed].join(' ');

/** Polls over kept connections. `sweep` closes those of inboxes that are read no more, or by somebody else; `busy` ones are left alone. */
export function keptMailboxes(world: World, crash: CrashHook) {
  const sessions = new Map<string, Kept>();
  let sweptAt = world.clock.monotonic();

  const forget = async (inboxId: string): Promise<void> => {
    const kept = sessions.get(inboxId);
    sessions.delete(inboxId);
    await kept?.session.close();
  };

  const opened = async (inbox: Inbox): Promise<MailboxSession> => {
    const server = serverOf(world, inbox, 'imap');
    if (!server) throw new MailboxError('missing', 'The inbox has no mailbox to read.');
    const session = await world.mail.openMailbox(server);
    sessions.set(inbox.id, { session, login: loginOf(inbox), inbox, usedAt: world.clock.monotonic() });
    return session;
  };

  const poll = async (inbox: Inbox): Promise<boolean> => {
    const ctx = actingFor(world, inbox.workspace_id, inbox.mode);
    if (sessions.has(inbox.id) && sessions.get(inbox.id)?.login !== loginOf(inbox)) await forget(inbox.id);
    const kept = sessions.get(inbox.id);
    if (!kept) return pollMailbox(ctx, inbox, await opened(inbox), crash);
    kept.usedAt = world.clock.monotonic();
    try {
      return await pollMailbox(ctx, inbox, kept.session, crash);
    } catch (error) {
      if (!(error instanceof MailboxError) || !LOST.includes(error.fault)) throw error;
      // A server may end a connection that was idle: that alone says nothing against the mailbox.
      await forget(inbox.id);
      return pollMailbox(ctx, inbox, await opened(inbox), crash);
    }
  };

  const sweep = async (busy: (inboxId: string) => boolean): Promise<void> => {
    const now = world.clock.monotonic();
    if (now - sweptAt < SWEEP_MS || sessions.size === 0) return;
    sweptAt = now;
    const all = [...sessions.values()];
    const logins = await loginsOf(world, all.map((one) => one.inbox)); // prettier-ignore
    const stale = all.filter((one) => !busy(one.inbox.id) && (logins.get(one.inbox.id) !== one.login || now - one.usedAt > IDLE_MS));
    // Whoever does not say goodbye in time is not waited for.
    for (const one of stale) void forget(one.inbox.id);
  };

  const closeAll = () => Promise.all([...sessions.keys()].map((id) => forget(id)));
  return { poll, forget, sweep, closeAll };
}

/** The logins of those that are to be read, as they stand now. */
async function loginsOf(world: World, inboxes: readonly Kept['inbox'][]): Promise<Map<string, string>> {
  const rows = await rowsOf<Inbox>(
    world.db,
    `select i.* from unnest($1::text[], $2::text[]) as kept (workspace_id, id)
       join inboxes i on i.workspace_id = kept.workspace_id and i.id = kept.id where i.status = any($3::text[])`,
    [inboxes.map((one) => one.workspace_id), inboxes.map((one) => one.id), READ_WHEN],
  );
  return new Map(rows.map((inbox) => [inbox.id, loginOf(inbox)]));
}

/** Paused inboxes and those at their cap are read all the same: answers do not wait. */
export const READ_WHEN = ['active', 'over_quota_today', 'paused', 'unhealthy'] as const satisfies readonly Inbox['status'][];
