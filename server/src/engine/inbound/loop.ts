// The reading loop: leases mailboxes that are due to be read and reads each on its own, so that a slow one delays only itself.
import { sleep } from '#platform/clock.ts';
import { MailboxError } from '#mail/mail.ts';
import { rowsOf } from '#store/db.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { World } from '#world/ctx.ts';
import { type CrashHook, noCrash } from '../crash.ts';
import type { Loop } from '../loop.ts';
import { READ_WHEN, keptMailboxes } from './kept-mailboxes.ts';
import { notePolled, noteUnread } from './note.ts';

export type InboundOptions = { processId: string; pollEveryMs?: number; maxMailboxes?: number; crash?: CrashHook };
export type Inbound = Loop & { /** Every mailbox under way has been read. */ idle(): Promise<void> };

const POLL_EVERY_MS = 60_000;
const LEASE_MS = 120_000;

/** The reading loop of one process. */
export function inboundLoop(world: World, { processId, pollEveryMs = POLL_EVERY_MS, maxMailboxes = 20, crash = noCrash }: InboundOptions): Inbound {
  const reading = new Map<string, Promise<void>>();
  const { poll, forget, sweep, closeAll } = keptMailboxes(world, crash);

  const read = async (inbox: Inbox): Promise<void> => {
    try {
      const more = await poll(inbox);
      await notePolled(world, inbox, more ? 0 : pollEveryMs);
    } catch (error) {
      await forget(inbox.id);
      if (!(error instanceof MailboxError)) world.log.error({ inbox: inbox.id, err: error }, 'a mailbox could not be taken in');
      await noteUnread(world, inbox, error, pollEveryMs);
    }
  };

  return {
    name: 'inbound',
    idleMs: 250,
    async step() {
      const inboxes = await claimDue(world, { holder: processId, limit: maxMailboxes - reading.size, busy: [...reading.keys()] });
      for (const inbox of inboxes) {
        const work = read(inbox)
          .catch((error: unknown) => world.log.warn({ inbox: inbox.id, err: (error as Error).message }, 'a poll was left to its lease'))
          .finally(() => reading.delete(inbox.id));
        reading.set(inbox.id, work);
      }
      await sweep((id) => reading.has(id));
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

type Claim = { holder: string; limit: number; /** Being read here at this moment: they may be due again after a reconnection. */ busy: string[] };

function claimDue(world: World, { holder, limit, busy }: Claim): Promise<Inbox[]> {
  if (limit <= 0) return Promise.resolve([]);
  const wall = world.clock.wall();
  return rowsOf<Inbox>(
    world.db,
    // Who holds an inbox at this moment is passed by: whoever locks many rows at once in an order of his own must not wait for any.
    `with due as (
       select workspace_id, id from inboxes
        where next_poll_at <= $1 and (poll_leased_until is null or poll_leased_until <= $2) and status = any($6::text[]) and id <> all($7::text[])
        order by next_poll_at, id limit $4 for no key update skip locked
     )
     update inboxes i set poll_leased_until = $3, poll_lease_holder = $5 from due where i.workspace_id = due.workspace_id and i.id = due.id
     returning i.*`,
    [world.clock.now(), wall, new Date(wall.getTime() + LEASE_MS), limit, holder, READ_WHEN, busy],
  );
}
