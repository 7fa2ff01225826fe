// What a crash or a silence left: sends in hand of a worker that is gone, and dots that were released without an answer.
import { inTransaction, isConnectionLost, rowsOf } from '#store/db.ts';
import { MailboxError, type MailServer } from '#mail/mail.ts';
import { inTime } from '#platform/deadline.ts';
import { turns } from '#platform/turns.ts';
import { record } from '#resources/events/index.ts';
import { byIds, serverOf } from '#resources/inboxes/index.ts';
import { type Send, presentSend } from '#resources/sends/index.ts';
import { stopLeads } from '#resources/campaigns/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import type { Loop } from '../loop.ts';
import { finishAll } from './finish.ts';
import { type JournalEntry, dropJournal, leftJournals } from './journal.ts';
import { RECONCILE_AFTER_MS } from './rules.ts';

export type ReconcilerOptions = { processId: string; journalFolder: string; isAlive(processId: string): boolean };

const BATCH = 100;
/** How many mailboxes are looked into side by side, and how long one may take. */
const MAILBOXES_AT_ONCE = 20;
const LOOK_MS = 20_000;
/** How long a mailbox that cannot be read keeps a verdict open. */
const GIVE_UP_MS = 24 * 3_600_000;

/** Journals of the dead first, then abandoned sends, then released ones without an outcome. */
export function reconcilerLoop(world: World, { processId, journalFolder, isAlive }: ReconcilerOptions): Loop {
  return {
    name: 'reconciler',
    idleMs: 1_000,
    async step() {
      const isGone = (id: string) => id !== processId && !isAlive(id);
      const replayed = await replayJournals(world, journalFolder, (id) => !isGone(id));
      await freeLeasesOf(world, isGone);
      const freed = await freeAbandoned(world);
      return (await settleUnknown(world, journalFolder)) || freed || replayed;
    },
  };
}

/** What dead processes of this machine had journalled but not committed is written now: `sent`, by its fence, once. */
export async function replayJournals(world: World, folder: string, isAlive: (processId: string) => boolean): Promise<boolean> {
  let found = false;
  for (const { processId, entries } of await leftJournals(folder, isAlive)) {
    if (entries.length) await finishAll(world, entries.map(asFinished)); // prettier-ignore
    await dropJournal(folder, processId);
    found ||= entries.length > 0;
  }
  return found;
}

const asFinished = ({ reply, at, ...send }: JournalEntry) => ({
  send,
  at: new Date(at),
  outcome: { kind: 'accepted' as const, reply: { code: 250, enhanced: null, text: reply } },
});

const INBOX_LEASES = [
  ['lease_holder', 'leased_until'],
  ['poll_lease_holder', 'poll_leased_until'],
] as const;

/** Leases whose holder is known to be gone need not run out. (Holders on other machines are never known to be.) */
async function freeLeasesOf(world: World, isGone: (processId: string) => boolean): Promise<void> {
  const holders = await rowsOf<{ holder: string }>(
    world.db,
    `select distinct holder from (select lease_holder as holder from inboxes where lease_holder is not null
       union select poll_lease_holder from inboxes where poll_lease_holder is not null) as held`,
    [],
  );
  const gone = holders.map((row) => row.holder).filter(isGone);
  if (gone.length === 0) return;
  const wall = world.clock.wall();
  for (const [holder, until] of INBOX_LEASES) {
    await rowsOf(
      world.db,
      `with theirs as (select workspace_id, id from inboxes where ${holder} = any($1) order by workspace_id, id for no key update)
       update inboxes set ${holder} = null, ${until} = null where (workspace_id, id) in (select workspace_id, id from theirs)`,
      [gone],
    );
  }
  await rowsOf(world.db, 'update send_attempts set leased_until = $2 where leased_until > $2 and process_id = any($1)', [
    gone,
    new Date(wall.getTime() - 1),
  ]);
}

const ABANDONED = `
  select s.workspace_id, s.id, s.fence from send_attempts a
    join sends s on s.workspace_id = a.workspace_id and s.id = a.send_id and s.fence = a.attempt
   where a.leased_until < $1 and a.dot_released_at is null and s.state = 'sending'
   order by a.leased_until limit $2 for no key update of s skip locked`;
// In a statement of its own, after the locks: a release that was committed meanwhile is seen.
const CLOSE_ABANDONED = `
  update send_attempts a set outcome = 'abandoned', ended_at = $4, leased_until = null
    from unnest($1::text[], $2::text[], $3::int[]) as t (workspace_id, send_id, attempt)
   where a.workspace_id = t.workspace_id and a.send_id = t.send_id and a.attempt = t.attempt
     and a.leased_until < $5 and a.dot_released_at is null and a.ended_at is null
  returning a.workspace_id, a.send_id`;
const FREE = `
  update sends s set state = 'scheduled', due_at = $3 from unnest($1::text[], $2::text[]) as t (workspace_id, id)
   where s.workspace_id = t.workspace_id and s.id = t.id and s.state = 'sending'`;

/** Claimed, no dot released, and the worker has gone silent: nothing left, so anybody may take it up again. */
export function freeAbandoned(world: World): Promise<boolean> {
  return inTransaction(world, async ({ db, clock }) => {
    const wall = clock.wall();
    const gone = await rowsOf<Pick<Send, 'workspace_id' | 'id' | 'fence'>>(db, ABANDONED, [wall, BATCH]);
    if (gone.length === 0) return false;
    const closed = await rowsOf<{ workspace_id: string; send_id: string }>(db, CLOSE_ABANDONED, [
      gone.map((one) => one.workspace_id),
      gone.map((one) => one.id),
      gone.map((one) => one.fence),
      clock.now(),
      wall,
    ]);
    await rowsOf(db, FREE, [closed.map((one) => one.workspace_id), closed.map((one) => one.send_id), clock.now()]);
    return closed.length > 0;
  });
}

/** A send whose dot was released and that has no outcome. */
type Silent = Send & { dot_released_at: Date };

/** Released, no outcome, and time enough has passed: look for evidence, and only then decide. Never sends again. */
export async function settleUnknown(world: World, journalFolder: string): Promise<boolean> {
  const sends = await rowsOf<Silent>(
    world.db,
    `select s.*, a.dot_released_at from send_attempts a
       join sends s on s.workspace_id = a.workspace_id and s.id = a.send_id and s.fence = a.attempt
      where a.leased_until < $2 and a.dot_released_at is not null and a.reconcile_at <= $1 and s.state = 'sending'
      order by a.reconcile_at limit $3`,
    [world.clock.now(), world.clock.wall(), BATCH],
  );
  if (sends.length === 0) return false;
  // Of the living too: while the database was away, outcomes have waited there, and their writer may only now be about to try again.
  const accepted = new Map<string, JournalEntry>();
  for (const { entries } of await leftJournals(journalFolder, () => false)) for (const entry of entries) accepted.set(attemptOf(entry), entry);
  // Mailboxes side by side, each once at a time: a slow one delays its own sends.
  const turn = turns({ each: 1, all: MAILBOXES_AT_ONCE, line: BATCH });
  const outOfReach = new Map<string, Evidence>();
  const settleOne = async (send: Silent) => {
    const entry = accepted.get(attemptOf(send));
    try {
      await (entry ? finishAll(world, [asFinished(entry)]) : settle(world, send, outOfReach));
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      // Its own trouble: those behind it do not wait for it.
      world.log.error({ send: send.id, err: error }, 'a silent send could not be settled');
      await lookAgain(world, send);
    }
  };
  const settled = await Promise.allSettled(sends.map((send) => turn(send.inbox_id, () => settleOne(send))));
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return true;
}

const attemptOf = ({ workspace_id, id, fence }: Pick<Send, 'workspace_id' | 'id' | 'fence'>) => `${workspace_id} ${id} ${fence}`;

type Evidence = { found: string } | { absent: string } | { unreadable: string };

/** `outOfReach`: mailboxes that did not answer a moment ago are not asked again for each of their sends. */
async function settle(world: World, send: Silent, outOfReach: Map<string, Evidence>): Promise<void> {
  const evidence = (await citedBy(world, send)) ?? outOfReach.get(send.inbox_id) ?? (await inSentFolder(world, send));
  if ('unreadable' in evidence) outOfReach.set(send.inbox_id, evidence);
  if ('found' in evidence) {
    world.log.info({ send: send.id, evidence: evidence.found }, 'a silent send was accepted after all');
    const reply = { code: 250, enhanced: null, text: `No answer was read; evidence: ${evidence.found}` };
    return finishAll(world, [{ send, outcome: { kind: 'accepted', reply }, at: send.dot_released_at }]);
  }
  const now = world.clock.now().getTime();
  if ('unreadable' in evidence && now - send.dot_released_at.getTime() < GIVE_UP_MS) {
    return lookAgain(world, send);
  }
  await declareUnknown(world, send, 'absent' in evidence ? evidence.absent : evidence.unreadable);
}

async function lookAgain(world: World, { workspace_id: workspaceId, id, fence }: Send): Promise<void> {
  const at = new Date(world.clock.now().getTime() + RECONCILE_AFTER_MS);
  const text = 'update send_attempts set reconcile_at = $4 where workspace_id = $1 and send_id = $2 and attempt = $3 and ended_at is null';
  await rowsOf(world.db, text, [workspaceId, id, fence, at]);
}

/**
 * A message that answers or reports our Message-ID proves that it left. An answer that cites nothing was matched by its address alone, and that
 * proves nothing.
 */
async function citedBy(world: World, send: Send): Promise<Evidence | null> {
  const [message] = await rowsOf<{ id: string; direction: string }>(
    world.db,
    `select id, direction from messages
      where workspace_id = $1 and mode = $2 and (
        (matched_send_id = $3 and matched_send_id > '' and (in_reply_to = $5 or classification not in ('reply', 'auto_reply')))
        or (inbox_id = $4 and (identity = $5 or (direction = 'inbound' and rfc822_message_id = $5))))
      order by created_at limit 1`,
    [send.workspace_id, send.mode, send.id, send.inbox_id, send.rfc822_message_id],
  );
  return message ? { found: message.direction === 'inbound' ? `the answer ${message.id}` : `its copy ${message.id}` } : null;
}

async function inSentFolder(world: World, send: Send): Promise<Evidence> {
  const [inbox] = await byIds(actingFor(world, send.workspace_id, send.mode), [send.inbox_id]);
  const server = inbox && serverOf(world, inbox, 'imap');
  if (!server) return { absent: 'There is no mailbox to look into.' };
  try {
    return (await inTime(world.clock, LOOK_MS, copyIn(world, server, send))) ?? { unreadable: 'The mailbox could not be read (timeout).' };
  } catch (error) {
    if (!(error instanceof MailboxError)) throw error;
    return { unreadable: `The mailbox could not be read (${error.fault}).` };
  }
}

async function copyIn(world: World, server: MailServer, send: Send): Promise<Evidence> {
  const mailbox = await world.mail.openMailbox(server);
  try {
    const folder = (await mailbox.folders()).find((one) => one.role === 'sent');
    const copy = folder && (await mailbox.findByMessageId(folder, send.rfc822_message_id));
    if (copy) return { found: `a copy in ${folder.path}` };
    return { absent: folder ? `No copy in ${folder.path}.` : 'The mailbox has no Sent folder.' };
  } finally {
    await mailbox.close();
  }
}

/** No evidence: say so, visibly, for a person to decide. */
async function declareUnknown(world: World, send: Send, detail: string): Promise<void> {
  const ctx = actingFor(world, send.workspace_id, send.mode);
  await inTransaction(ctx, async (ctx) => {
    if (send.enrollment_id !== null && send.campaign_id !== null) {
      await stopLeads(ctx, [{ id: send.enrollment_id, campaign_id: send.campaign_id }], 'failed');
    }
    const [row] = await rowsOf<Send>(
      ctx.db,
      `update sends set state = 'failed', failure_reason = 'outcome_unknown', failure_detail = $4, due_at = null
        where workspace_id = $1 and id = $2 and fence = $3 and state = 'sending' returning *`,
      [send.workspace_id, send.id, send.fence, `The server did not answer after the message was handed over. ${detail}`],
    );
    if (!row) return;
    await rowsOf(
      ctx.db,
      `update send_attempts set outcome = 'unknown', ended_at = $4, leased_until = null, reply_text = $5
        where workspace_id = $1 and send_id = $2 and attempt = $3`,
      [send.workspace_id, send.id, send.fence, ctx.now, detail],
    );
    record(ctx, { type: 'send.failed', resourceId: row.id, data: presentSend(row), metadata: row.metadata as object | null });
  });
}
