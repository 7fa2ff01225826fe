// One leased inbox at work: one connection, its due sends one after the other.
import { sleep } from '#platform/clock.ts';
import type { HeldMessage, SmtpSession } from '#mail/mail.ts';
import { type Inbox, capLeft, serverOf } from '#resources/inboxes/index.ts';
import type { Letter as Send } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';
import type { CrashHook } from '../crash.ts';
import { RELEASE_VALID_MS } from '../held-dot.ts';
import type { ClaimWish } from './claim.ts';
import { letterOf } from './letter.ts';
import type { Finished, Outcome } from './outcome.ts';
import type { ReleaseWish, Verdict } from './release.ts';
import { sandboxOffer } from './sandbox.ts';
import type { Sessions } from './sessions.ts';
import { noteTrouble, postponeToNextDay } from './trouble.ts';

export type LaneMeans = {
  world: World;
  sessions: Sessions;
  claim(wish: ClaimWish): Promise<Send[]>;
  release(wish: ReleaseWish): Promise<Verdict>;
  finish(finished: Finished): Promise<void>;
  /** The sends that this process holds, so that their leases are renewed. */
  inHand: Set<Send>;
  /** Whether the lease of this inbox is still ours and the process goes on. */
  mayGoOn(inbox: Inbox): boolean;
  crash: CrashHook;
};

/** A gap this short is waited for with the lease in hand. */
const SHORT_GAP_MS = 10_000;
const NAP_MS = 25;
const MAX_BATCH = 25;

/** Send what is due from this inbox until nothing is, its gap is long, its cap is reached, or its connection fails. */
export async function runLane(means: LaneMeans, inbox: Inbox): Promise<void> {
  const { world } = means;
  let batch = 1;
  const pace: Pace = { nextSendAt: inbox.next_send_at, capLeft: capLeft(inbox, world.clock.now()) };
  while (means.mayGoOn(inbox)) {
    if (!(await waited(means, inbox, pace.nextSendAt))) return;
    // Whatever is then still due is a reply, which no cap holds back.
    if (pace.capLeft <= 0) await postponeToNextDay(world, inbox);
    const session = inbox.provider === 'sandbox' ? null : await connection(means, inbox);
    if (session === 'failed') return;
    const sends = await means.claim({ inbox, limit: inbox.max_gap_seconds > 0 ? 1 : Math.min(batch, Math.max(1, pace.capLeft)) });
    if (sends.length === 0) return;
    await means.crash('CP4 claimed');
    for (const send of sends) means.inHand.add(send);
    const started = world.clock.monotonic();
    await sendAll(means, inbox, { sends, pace });
    // As many as take about a quarter of a second: few rows wait behind a slow server, and a fast one is not slowed by claims.
    const each = Math.max(1, (world.clock.monotonic() - started) / sends.length);
    batch = Math.max(1, Math.min(MAX_BATCH, batch * 2, Math.floor(250 / each)));
  }
}

async function waited({ world, mayGoOn }: LaneMeans, inbox: Inbox, until: Date): Promise<boolean> {
  if (until.getTime() - world.clock.now().getTime() > SHORT_GAP_MS) return false;
  // In naps, because the calendar may run faster than the machine's clock.
  while (world.clock.now() < until) {
    if (!mayGoOn(inbox)) return false;
    await sleep(world.clock, NAP_MS);
  }
  return true;
}

/** What a connection is opened with: an inbox that was connected anew gets another. (Each sealing of a password gives another text.) */
const loginOf = (inbox: Inbox) => [inbox.smtp_host, inbox.smtp_port, inbox.smtp_security, inbox.smtp_username, inbox.smtp_password_sealed].join(' ');

async function connection({ world, sessions, crash }: LaneMeans, inbox: Inbox): Promise<SmtpSession | 'failed'> {
  const login = loginOf(inbox);
  const kept = sessions.usable(inbox.id, login);
  if (kept) return kept;
  const server = serverOf(world, inbox, 'smtp');
  const session = server
    ? await world.mail.connectSmtp(server)
    : ({ kind: 'broken', phase: 'connect', fault: 'protocol', detail: 'The inbox has no sending server.' } as const);
  if ('kind' in session) {
    await noteTrouble(world, inbox, session);
    return 'failed';
  }
  sessions.keep(inbox.id, login, session);
  await crash('CP6 connected');
  return session;
}

/** When the inbox may send next, and how much of its day's cap is left. */
type Pace = { nextSendAt: Date; capLeft: number };

/** One after the other. What a fault leaves undone is let go of: its lease runs out, and anybody may take it up. */
async function sendAll(means: LaneMeans, inbox: Inbox, { sends, pace }: { sends: readonly Send[]; pace: Pace }): Promise<void> {
  for (const [i, send] of sends.entries()) {
    try {
      Object.assign(pace, await sendOne(means, inbox, send));
    } catch (error) {
      for (const undone of sends.slice(i)) means.inHand.delete(undone);
      throw error;
    }
  }
}

/** Carry one claimed send to its outcome. Answers the inbox's pace after it; null when nothing was released. */
async function sendOne(means: LaneMeans, inbox: Inbox, send: Send): Promise<Pace | null> {
  const { world, finish, inHand } = means;
  const end = (outcome: Outcome) => {
    // The commit is shared with other lanes: the next send need not wait for it.
    void finish({ send, outcome, at: world.clock.now() }).finally(() => inHand.delete(send));
  };
  const held = await offered(means, inbox, send);
  if (held.kind !== 'held') {
    end(held);
    return null;
  }
  await means.crash('CP8 body written');
  const asked = world.clock.monotonic();
  let verdict: Verdict;
  try {
    verdict = await means.release(send);
  } catch (error) {
    // Whether the release was committed is not known, but the dot is ours to withhold.
    held.abort();
    end({ kind: 'unwritten', detail: `No release: ${(error as Error).message}` });
    return null;
  }
  if (verdict.kind !== 'granted') {
    held.abort();
    end({ kind: 'denied', denial: verdict });
    return null;
  }
  const { nextSendAt, capLeft: left } = verdict;
  const pace = { nextSendAt, capLeft: left };
  await means.crash('CP9 released');
  if (world.clock.monotonic() - asked > RELEASE_VALID_MS) {
    held.abort();
    end({ kind: 'unwritten', detail: 'The release had grown old.' });
    return pace;
  }
  const outcome = await held.release();
  await means.crash('CP11 accepted');
  if (outcome.kind === 'unknown') {
    // Never sent again by a machine: the reconciler looks for evidence.
    world.log.warn({ send: send.id, fault: outcome.fault, detail: outcome.detail }, 'a message may or may not have been accepted');
    inHand.delete(send);
  } else end(outcome);
  return pace;
}

type Offered = HeldMessage | Extract<Outcome, { kind: 'refused' | 'broken' }>;

async function offered(means: LaneMeans, inbox: Inbox, send: Send): Promise<Offered> {
  if (inbox.provider === 'sandbox') return sandboxOffer(means.world, send);
  const { envelope, message } = await letterOf(means.world, send, inbox);
  for (let attempt = 1; ; attempt++) {
    const session = await connection(means, inbox);
    if (session === 'failed') return { kind: 'broken', phase: 'connect', fault: 'closed', detail: 'The connection was lost and did not come back.' };
    const outcome = await session.offer(envelope, message);
    // A connection that the server had closed, or has had enough of, says nothing about this message: one fresh try.
    const isStale = outcome.kind === 'broken' ? outcome.phase === 'mail' : outcome.kind === 'refused' && !outcome.permanent && !session.usable;
    if (!isStale || attempt > 1) return outcome;
  }
}
