// The reading loop: leases mailboxes that are due to be read and reads each on its own, so that a slow one delays only itself.
import { sleep } from '#platform/clock.ts';
import { MailboxError, type MailboxSession } from '#mail/mail.ts';
import { rowsOf } from '#store/db.ts';
import { type Inbox, serverOf } from '#resources/inboxes/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { type CrashHook, noCrash } from '../crash.ts';
import type { Loop } from '../loop.ts';
import { pollMailbox } from './poll.ts';

export type InboundOptions = { processId: string; pollEveryMs?: number; maxMailboxes?: number; crash?: CrashHook };
export type Inbound = Loop & { /** Every mailbox under way has been read. */ idle(): Promise<void> };

const POLL_EVERY_MS = 60_000;
const LEASE_MS = 120_000;
const MAX_BACK_OFF_MS = 30 * 60_000;
/** How a connection that the server ended between two polls is met. */
const LOST: readonly MailboxError['fault'][] = ['closed', 'reset'];
/** What this loop says of an inbox begins so; what others said is not its to overwrite or take back. */
const UNREAD = 'Its mail could not be read: ';

/** The reading loop of one process. */
export function inboundLoop(world: World, { processId, pollEveryMs = POLL_EVERY_MS, maxMailboxes = 20, crash = noCrash }: InboundOptions): Inbound {
  const reading = new Map<string, Promise<void>>();
  const { poll, forget, closeAll } = keptMailboxes(world, crash);

  const read = async (inbox: Inbox): Promise<void> => {
    try {
      const more = await poll(inbox);
      await notePolled(world, inbox, more ? 0 : pollEveryMs);
    } catch (error) {
      await forget(inbox);
      if (!(error instanceof MailboxError)) world.log.error({ inbox: inbox.id, err: error }, 'a mailbox could not be taken in');
      await noteUnread(world, inbox, error, pollEveryMs);
    }
  };

  return {
    name: 'inbound',
    idleMs: 250,
    async step() {
      const inboxes = await claimDue(world, processId, maxMailboxes - reading.size);
      for (const inbox of inboxes.filter((one) => !reading.has(one.id))) {
        const work = read(inbox)
          .catch((error: unknown) => world.log.warn({ inbox: inbox.id, err: (error as Error).message }, 'a poll was left to its lease'))
          .finally(() => reading.delete(inbox.id));
        reading.set(inbox.id, work);
      }
      return false;
    },
    async idle() {
      while (reading.size > 0) await sleep(world.clock, 1);
    },
    async close() {
      await Promise.all(reading.values());
      await closeAll();
    },
  };
}

/** Polls over connections that are kept from one to the next. */
function keptMailboxes(world: World, crash: CrashHook) {
  const sessions = new Map<string, MailboxSession>();

  const forget = async (inbox: Inbox): Promise<void> => {
    const kept = sessions.get(inbox.id);
    sessions.delete(inbox.id);
    await kept?.close();
  };

  const opened = async (inbox: Inbox): Promise<MailboxSession> => {
    const server = serverOf(world, inbox, 'imap');
    if (!server) throw new MailboxError('missing', 'The inbox has no mailbox to read.');
    const fresh = await world.mail.openMailbox(server);
    sessions.set(inbox.id, fresh);
    return fresh;
  };

  const poll = async (inbox: Inbox): Promise<boolean> => {
    const ctx = actingFor(world, inbox.workspace_id, inbox.mode);
    const kept = sessions.get(inbox.id);
    if (!kept) return pollMailbox(ctx, inbox, await opened(inbox), crash);
    try {
      return await pollMailbox(ctx, inbox, kept, crash);
    } catch (error) {
      if (!(error instanceof MailboxError) || !LOST.includes(error.fault)) throw error;
      // A server may end a connection that was idle: that alone says nothing against the mailbox.
      await forget(inbox);
      return pollMailbox(ctx, inbox, await opened(inbox), crash);
    }
  };

  const closeAll = () => Promise.all([...sessions.values()].map((one) => one.close()));
  return { poll, forget, closeAll };
}

// Paused inboxes and those at their cap are read all the same: answers do not wait.
function claimDue(world: World, holder: string, limit: number): Promise<Inbox[]> {
  if (limit <= 0) return Promise.resolve([]);
  const wall = world.clock.wall();
  return rowsOf<Inbox>(
    world.db,
    `with due as (
       select workspace_id, id from inboxes
        where next_poll_at <= $1 and (poll_leased_until is null or poll_leased_until <= $2)
          and status in ('active', 'over_quota_today', 'paused', 'unhealthy')
        order by next_poll_at, id limit $4
     )
     update inboxes i set poll_leased_until = $3, poll_lease_holder = $5 from due
      where i.workspace_id = due.workspace_id and i.id = due.id and (i.poll_leased_until is null or i.poll_leased_until <= $2)
     returning i.*`,
    [world.clock.now(), wall, new Date(wall.getTime() + LEASE_MS), limit, holder],
  );
}

async function notePolled(world: World, inbox: Inbox, waitMs: number): Promise<void> {
  const now = world.clock.now();
  await rowsOf(
    world.db,
    `update inboxes set next_poll_at = $3, poll_leased_until = null, poll_lease_holder = null, poll_failures = 0, last_poll_at = $4,
            status_reason = case when starts_with(status_reason, $5) then null else status_reason end
      where workspace_id = $1 and id = $2`,
    [inbox.workspace_id, inbox.id, new Date(now.getTime() + waitMs), now, UNREAD],
  );
}

/** Try again later, each time later, and say on the inbox what is wrong. */
async function noteUnread(world: World, inbox: Inbox, error: unknown, pollEveryMs: number): Promise<void> {
  const wait = Math.min(MAX_BACK_OFF_MS, pollEveryMs * 2 ** Math.min(10, inbox.poll_failures));
  const reason = UNREAD + (error instanceof MailboxError ? `the mailbox is out of reach (${error.fault}).` : 'a message could not be taken in.');
  await rowsOf(
    world.db,
    `update inboxes set next_poll_at = $3, poll_leased_until = null, poll_lease_holder = null, poll_failures = poll_failures + 1,
            status_reason = case when status_reason is null or starts_with(status_reason, $5) then $4 else status_reason end
      where workspace_id = $1 and id = $2`,
    [inbox.workspace_id, inbox.id, new Date(world.clock.now().getTime() + wait), reason, UNREAD],
  );
}
