// The death of a worker at each point of a warm-up mail, and what its successor makes of what it left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import type { WarmupMail } from '#resources/warmup/index.ts';
import { mortal } from '#testing/stage.ts';
import { socketsRead } from '#testing/until.ts';
import type { CrashPoint } from '../crash.ts';
import { warmupLoop } from './index.ts';
import { BOB, HOUR, MINUTE, NOTHING_SHOWN, type Pool, pool } from './pool.fixture.ts';

/** A worker that dies where told, at its first step. */
async function die(s: Pool, point: CrashPoint): Promise<void> {
  const { world, crash, died } = mortal(s.h.world, point);
  await warmupLoop(world, { processId: 'dead.1.1', crash }).step();
  await died;
  s.office.smtp.drop(true);
  await socketsRead();
}

const ends: [CrashPoint, { delivered: number; state: WarmupMail['state'] }][] = [
  ['CP4 claimed', { delivered: 1, state: 'sent' }],
  ['CP8 body written', { delivered: 1, state: 'sent' }],
  ['CP9 released', { delivered: 0, state: 'unknown' }],
  ['CP11 accepted', { delivered: 1, state: 'sent' }],
];
for (const [point, { delivered, state }] of ends) {
  test(`killed at ${point}: ${state}, delivered ${delivered}, never twice`, async () => {
    await using s = await pool();
    const { id, rfc822_message_id: messageId } = await s.exchange();
    await die(s, point);
    await s.h.reconciler.step();
    await s.pass(3 * HOUR);
    const mail = (await s.mails(`id = '${id}'`))[0]!;
    const first = s.office.deliveries.filter((one) => one.messageId === messageId).length;
    assert.deepEqual([mail.state, first], [state, delivered]);
    const { totals } = await s.api.inboxes.warmup(s.inboxes[0]!.id);
    assert.deepEqual([totals.sent >= delivered, totals.landed_in_inbox >= delivered], [true, true]);
    assert.deepEqual([totals.sent, (await s.mails(`inbox_id = '${mail.inbox_id}' and state = 'sent'`)).length], [totals.sent, totals.sent]);
    assert.deepEqual(await s.shown(), NOTHING_SHOWN);
    // One unit for each release, and no more.
    assert.equal(
      (await s.api.inboxes.budget(s.inboxes[0]!.id)).used,
      (await s.mails(`inbox_id = '${mail.inbox_id}' and dot_released_at is not null`)).length,
    );
  });
}

test('accepted, killed, and no trace anywhere: unknown, until the mail is met', async () => {
  await using s = await pool({ sorts: undefined as never, filesSent: false });
  const { id } = await s.exchange();
  await die(s, 'CP11 accepted');
  await s.pass(2 * HOUR);
  const mail = async () => (await s.mails(`id = '${id}'`))[0]!;
  assert.deepEqual([(await mail()).state, (await s.api.inboxes.warmup(s.inboxes[0]!.id)).totals.sent], ['unknown', 0]);
  s.office.imap.deliver(BOB, 'INBOX', s.office.deliveries[0]!.raw);
  await s.pass(10 * MINUTE);
  const { totals } = await s.api.inboxes.warmup(s.inboxes[0]!.id);
  assert.deepEqual([(await mail()).state, totals.sent, totals.landed_in_inbox], ['sent', 1, 1]);
});

test('met before its server answers, which then never does: it was sent', async () => {
  await using s = await pool();
  const { id } = await s.exchange();
  s.office.follow(({ phase }) => (phase === 'dot' ? { kind: 'drop', accepted: true } : undefined));
  s.at('CP11 accepted', async () => {
    await rowsOf(s.h.db, 'update inboxes set next_poll_at = $1', [s.h.now()]);
    await s.h.inbound.step();
    await s.h.inbound.idle();
  });
  await s.settle();
  const mail = (await s.mails(`id = '${id}'`))[0]!;
  const { totals } = await s.api.inboxes.warmup(s.inboxes[0]!.id);
  assert.deepEqual([mail.state, mail.because, totals.sent, totals.landed_in_inbox], ['sent', null, 1, 1]);
});

test('killed between the rescue and its commit: rescued once, counted once, answered at most once', async () => {
  await using s = await pool({ sorts: () => 'Junk' });
  await s.exchange();
  await s.settle();
  await s.readMail();
  s.h.tick(100 * MINUTE);
  await die(s, 'CP17 put back');
  assert.deepEqual([s.office.imap.messages(BOB, 'Junk').length, s.office.imap.messages(BOB, 'INBOX').length], [0, 1]);
  assert.equal((await s.api.inboxes.warmup(s.inboxes[0]!.id)).totals.rescued, 0);
  await s.pass(30 * MINUTE);
  assert.equal((await s.api.inboxes.warmup(s.inboxes[0]!.id)).totals.rescued, 1);
  assert.ok((await s.mails('place = 1')).length <= 1);
  assert.equal((await s.mails('place = 0'))[0]!.tended_at !== null, true);
});

test('two workers at once send a mail once', async () => {
  await using s = await pool();
  await s.exchange();
  const other = warmupLoop(s.h.world, { processId: 'other.1.1' });
  await Promise.all([s.h.warmup.step(), other.step()]);
  await Promise.all([s.h.warmup.idle(), other.idle()]);
  assert.equal(s.office.deliveries.length, 1);
});
