// The death of a worker at each numbered point of a send, and what its successor makes of what it left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, rowsOf } from '#store/db.ts';
import { databaseProxy } from '#testing/database-proxy.ts';
import { type Stage, mortal, stage } from '#testing/stage.ts';
import { socketsRead, until } from '#testing/until.ts';
import type { CrashPoint } from '../crash.ts';
import { LEASE_MS } from './claim.ts';
import { type Sending, reconcilerLoop, sendingLoop } from './index.ts';
import { leftJournals } from './journal.ts';

const MINUTE = 60_000;
/** Loops of dead processes, held fast: the garbage collector would close the file of a journal that nobody holds, and complain. */
const graves: Sending[] = [];

/** A worker of its own, that dies where told while it carries the first step of a campaign with two. Its connections die with it. */
async function killedAt(point: CrashPoint, filesSent = true) {
  const s = await stage({ filesSent });
  const { id: campaignId } = await s.campaign(['one@people.test'], { steps: 2 });
  await s.h.campaigns.step();
  const { world, crash, died } = mortal(s.h.world, point);
  const first = await sendingLoop(world, { processId: 'dead.1.1', journalFolder: s.h.journalFolder, crash });
  graves.push(first);
  await first.step();
  await died;
  s.office.smtp.drop(true);
  await socketsRead();
  const [send] = (await s.api.sends.list()).data;
  return { s, campaignId, send: send! };
}

/** A reconciler that cannot know who is dead, as on another machine: it has nothing but leases to go by. */
const stranger = (s: Stage) => reconcilerLoop(s.h.world, { processId: 'house.1.1', journalFolder: s.h.journalFolder, isAlive: () => true });

const countOf = (types: readonly string[], type: string) => types.filter((one) => one === type).length;
const attemptsOf = async (s: Stage, id: string) => {
  const rows = await rowsOf<{ outcome: string | null }>(s.h.db, 'select outcome from send_attempts where send_id = $1 order by attempt', [id]);
  return rows.map((one) => one.outcome);
};

type End = { state: string; reason: string | null; delivered: number; attempts: (string | null)[]; filesSent?: boolean };
const SENT = { state: 'sent', reason: null, delivered: 1 };
const UNKNOWN = { state: 'failed', reason: 'outcome_unknown', attempts: ['unknown'] };
const ends: [CrashPoint, End][] = [
  ['CP4 claimed', { ...SENT, attempts: ['abandoned', 'accepted'] }],
  // Claimed after the connection was made: nothing was in hand yet.
  ['CP6 connected', { ...SENT, attempts: ['accepted'] }],
  ['CP8 body written', { ...SENT, attempts: ['abandoned', 'accepted'] }],
  ['CP9 released', { ...UNKNOWN, delivered: 0 }],
  ['CP11 accepted', { ...SENT, attempts: ['accepted'] }],
  ['CP11 accepted', { ...UNKNOWN, delivered: 1, filesSent: false }],
  ['CP12 journalled', { ...SENT, attempts: ['accepted'], filesSent: false }],
  ['CP13 committed', { ...SENT, attempts: ['accepted'], filesSent: false }],
];
for (const [point, { state, reason, delivered, attempts, filesSent = true }] of ends) {
  test(`killed at ${point}${filesSent ? '' : ', no copy in Sent'}: ${reason ?? state}, delivered ${delivered}, never twice`, async () => {
    const { s, send, campaignId } = await killedAt(point, filesSent);
    await using _ = s;
    const first = () => s.office.deliveries.filter((one) => one.messageId === send.rfc822_message_id).length;
    for (let minute = 0; minute < 15; minute++) {
      await s.h.run(MINUTE);
      assert.ok(first() <= 1);
    }
    const now = await s.api.sends.retrieve(send.id);
    assert.deepEqual([now.state, now.failure_reason, first()], [state, reason, delivered]);
    assert.deepEqual(await attemptsOf(s, send.id), attempts);
    await s.h.run(45 * MINUTE);
    assert.equal(first(), delivered);
    const events = await s.events(send.id);
    assert.deepEqual([countOf(events, 'send.sent'), countOf(events, 'send.failed')], state === 'sent' ? [1, 0] : [0, 1]);
    // The next step follows once, or not at all where nobody knows of the first.
    const all = (await s.api.sends.list({ limit: 10 })).data;
    assert.deepEqual(all.map((one) => one.state).sort(), state === 'sent' ? ['sent', 'sent'] : ['failed']);
    assert.equal(s.office.deliveries.length, state === 'sent' ? 2 : delivered);
    assert.deepEqual(await s.statuses(campaignId), { one: state === 'sent' ? 'finished' : 'failed' });
    assert.equal(countOf(await s.events(), 'campaign.contact.advanced'), state === 'sent' ? 2 : 0);
    assert.deepEqual(await leftJournals(s.h.journalFolder, (id) => id === 'house.1.1'), []);
  });
}

for (const point of ['CP4 claimed', 'CP8 body written'] as const) {
  test(`killed at ${point} on another machine: nobody touches the send before its lease has run out`, async () => {
    const { s, send } = await killedAt(point);
    await using _ = s;
    const reconciler = stranger(s);
    s.h.tick(LEASE_MS - 1);
    await reconciler.step();
    await s.h.sending.step();
    await s.h.sending.idle();
    assert.deepEqual([(await s.row(send.id)).state, s.office.smtp.counters.dots], ['sending', 0]);
    s.h.tick(2);
    await reconciler.step();
    await s.h.sending.step();
    await s.h.sending.idle();
    assert.deepEqual([(await s.row(send.id)).state, s.office.smtp.counters.dots], ['sent', 1]);
  });
}

/** The house's own lane halts at the point until `wake`; a successor, to whom it seems dead, takes over meanwhile. */
async function halted(s: Stage, point: CrashPoint, processId = 'zombie.1.1') {
  const there = Promise.withResolvers<void>();
  const sleeping = Promise.withResolvers<void>();
  const skipped = { ms: 0 };
  const clock = { ...s.h.world.clock, monotonic: () => s.h.world.clock.monotonic() + skipped.ms };
  const crash = (reached: CrashPoint) => {
    if (reached !== point) return undefined;
    there.resolve();
    return sleeping.promise;
  };
  const zombie = await sendingLoop({ ...s.h.world, clock }, { processId, journalFolder: s.h.journalFolder, crash });
  await zombie.step();
  await there.promise;
  const wake = async (afterMs: number) => {
    skipped.ms += afterMs;
    sleeping.resolve();
    await zombie.idle();
    await zombie.close?.();
  };
  return { wake };
}

test('a worker that was halted with the body written and wakes past its lease is not let go on: its send was taken over', async () => {
  await using s = await stage();
  const send = await s.send('one@people.test');
  const { wake } = await halted(s, 'CP8 body written');
  s.h.tick(LEASE_MS + 1);
  await stranger(s).step();
  await s.h.sending.step();
  await s.h.sending.idle();
  assert.deepEqual([(await s.row(send.id)).state, s.office.deliveries.length], ['sent', 1]);
  await wake(0);
  assert.deepEqual([(await s.row(send.id)).state, s.office.deliveries.length, s.office.smtp.counters.dots], ['sent', 1, 1]);
  assert.deepEqual(await attemptsOf(s, send.id), ['denied', 'accepted']);
  assert.equal(countOf(await s.events(send.id), 'send.sent'), 1);
});

test('a worker that was halted with the body written and wakes within the gap of a mail that another sent meanwhile waits for its end', async () => {
  await using s = await stage();
  const send = await s.send('one@people.test');
  const { wake } = await halted(s, 'CP8 body written');
  await s.api.inboxes.update(s.inbox.id, { min_gap_seconds: 600, max_gap_seconds: 600 });
  const other = await s.send('two@people.test');
  s.h.tick(LEASE_MS + 1);
  await s.h.sending.step();
  await s.h.sending.idle();
  assert.deepEqual([(await s.row(other.id)).state, s.office.smtp.counters.dots], ['sent', 1]);
  await wake(0);
  assert.deepEqual([(await s.row(send.id)).state, s.office.smtp.counters.dots], ['scheduled', 1]);
  await s.h.run(9 * MINUTE);
  assert.equal(s.office.smtp.counters.dots, 1);
  await s.h.run(2 * MINUTE);
  assert.deepEqual([(await s.row(send.id)).state, s.office.smtp.counters.dots], ['sent', 2]);
});

test('of two workers that hold the same send with its body written, the one with the older fence is refused', async () => {
  await using s = await stage();
  const send = await s.send('one@people.test');
  const older = await halted(s, 'CP8 body written');
  s.h.tick(LEASE_MS + 1);
  await stranger(s).step();
  const younger = await halted(s, 'CP8 body written', 'zombie.1.2');
  await older.wake(0);
  assert.deepEqual([(await s.row(send.id)).state, s.office.smtp.counters.dots], ['sending', 0]);
  await younger.wake(0);
  assert.deepEqual([(await s.row(send.id)).state, s.office.smtp.counters.dots], ['sent', 1]);
});

test('a permission to release that has grown old is not used: the send was declared unknown meanwhile and stays so', async () => {
  await using s = await stage();
  const send = await s.send('one@people.test');
  const { wake } = await halted(s, 'CP9 released');
  s.h.tick(11 * MINUTE);
  const reconciler = stranger(s);
  while (await reconciler.step());
  assert.equal((await s.row(send.id)).failure_reason, 'outcome_unknown');
  await wake(11 * MINUTE);
  await s.h.run(5 * MINUTE);
  assert.deepEqual([(await s.row(send.id)).failure_reason, s.office.smtp.counters.dots], ['outcome_unknown', 0]);
});

test('an acceptance that waits in the journal of a living process is evidence: it is not declared unknown', async () => {
  await using s = await stage({ filesSent: false });
  const send = await s.send('one@people.test');
  const { wake } = await halted(s, 'CP12 journalled');
  s.h.tick(11 * MINUTE);
  const reconciler = stranger(s);
  while (await reconciler.step());
  assert.deepEqual([(await s.row(send.id)).state, (await s.row(send.id)).failure_reason], ['sent', null]);
  await wake(0);
  const events = await s.events(send.id);
  assert.deepEqual([countOf(events, 'send.sent'), countOf(events, 'send.failed'), s.office.deliveries.length], [1, 0, 1]);
});

test('an acceptance is on disk before the database is asked: a successor knows of it when the worker dies with the database away', async () => {
  await using s = await stage({ filesSent: false });
  const send = await s.send('one@people.test');
  await using proxy = await databaseProxy(s.h.databaseUrl);
  const db = connect(proxy.url, { log: s.h.world.log, max: 3 });
  const crash = (point: CrashPoint) => (point === 'CP11 accepted' ? proxy.cut() : undefined);
  const first = await sendingLoop({ ...s.h.world, db }, { processId: 'dead.1.1', journalFolder: s.h.journalFolder, crash });
  await first.step();
  const written = async () => (await leftJournals(s.h.journalFolder, (id) => id !== 'dead.1.1'))[0]?.entries.length ?? 0;
  await until(async () => (await written()) > 0);
  assert.deepEqual([await written(), (await s.row(send.id)).state], [1, 'sending']);
  await s.h.settle();
  assert.equal((await s.row(send.id)).state, 'sent');
  // It was not dead after all; what it then writes changes nothing.
  proxy.restore();
  await first.idle();
  await first.close?.();
  await db.destroy();
  const events = await s.events(send.id);
  assert.deepEqual([(await s.row(send.id)).state, countOf(events, 'send.sent'), s.office.deliveries.length], ['sent', 1, 1]);
});
