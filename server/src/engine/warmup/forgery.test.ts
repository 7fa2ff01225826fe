// What others write that looks like a mail of the warm-up, and what is about one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEADER } from '#resources/warmup/index.ts';
import { humanReply, outOfOffice } from '#testing/persona/people.ts';
import { dsn } from '#testing/persona/servers.ts';
import { ANN, BOB, CAT, HOUR, MINUTE, NOTHING_SHOWN, type Pool, pool } from './pool.fixture.ts';

/** A mail of Ann to Bob that has left and arrived. */
async function arrived(sorts: () => 'INBOX' | 'Junk' = () => 'INBOX') {
  const s = await pool({ sorts });
  await s.exchange();
  await s.settle();
  await s.readMail();
  const raw = s.office.deliveries[0]!.raw;
  return { s, raw, token: new RegExp(`^${HEADER}: (\\S+)`, 'm').exec(raw.toString())![1]! };
}
const subjects = async (s: Pool) => (await s.api.messages.list({ limit: 50 })).data.map((one) => one.subject).sort();
const letter = (from: string, subject: string, more: string) =>
  `From: ${from}\r\nTo: ${BOB}\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@else.test>\r\n${more}\r\nBuy!\r\n`;

test('a mark that is made up, copied by a stranger, or met in another mailbox hides nothing', async () => {
  const { s, raw, token } = await arrived();
  await using _ = s;
  assert.deepEqual(await s.shown(), NOTHING_SHOWN);
  s.office.imap.deliver(BOB, 'INBOX', letter('mallory@else.test', 'made-up', `${HEADER}: ${'A'.repeat(64)}\r\n`));
  s.office.imap.deliver(BOB, 'INBOX', letter('mallory@else.test', 'copied', `${HEADER}: ${token}\r\n`));
  s.office.imap.deliver(BOB, 'INBOX', letter(ANN, 'in-her-name', `${HEADER}: ${token}\r\n`));
  s.office.imap.deliver(CAT, 'INBOX', letter(ANN, 'elsewhere', `${HEADER}: ${token}\r\n`));
  await s.readMail();
  assert.deepEqual(await subjects(s), ['copied', 'elsewhere', 'in-her-name', 'made-up']);
  // The very mail again, wherever: nothing.
  s.office.imap.deliver(BOB, 'Junk', raw);
  await s.readMail();
  assert.equal((await subjects(s)).length, 4);
  assert.equal((await s.api.inboxes.warmup(s.inboxes[1]!.id)).totals.received, 1);
});

test('before the true mail has come, a stranger with its mark is a stranger', async () => {
  await using s = await pool({ sorts: undefined as never });
  await s.exchange();
  await s.settle();
  const raw = s.office.deliveries[0]!.raw;
  const token = new RegExp(`^${HEADER}: (\\S+)`, 'm').exec(raw.toString())![1]!;
  s.office.imap.deliver(BOB, 'INBOX', letter('mallory@else.test', 'copied', `${HEADER}: ${token}\r\n`));
  await s.readMail();
  assert.deepEqual(await subjects(s), ['copied']);
  s.office.imap.deliver(BOB, 'INBOX', raw);
  await s.readMail();
  assert.deepEqual(await subjects(s), ['copied']);
  assert.equal((await s.api.inboxes.warmup(s.inboxes[0]!.id)).totals.landed_in_inbox, 1);
});

test('reports and automatic answers about the warm-up are nobody’s; a person’s answer is shown', async () => {
  const { s, raw } = await arrived();
  await using _ = s;
  const date = s.h.now();
  for (const variant of ['postfix', 'exim', 'qmail'] as const)
    s.office.imap.deliver(ANN, 'INBOX', dsn({ original: raw, recipient: BOB, date, status: '5.1.1', diagnostic: '550 5.1.1 User unknown', variant }));
  s.office.imap.deliver(ANN, 'INBOX', outOfOffice({ to: raw, from: BOB, date }));
  await s.readMail();
  assert.deepEqual(await s.shown(), NOTHING_SHOWN);
  s.office.imap.deliver(ANN, 'INBOX', humanReply({ to: raw, from: BOB, date, text: 'Who are you?' }));
  await s.readMail();
  const [message] = (await s.api.messages.list()).data;
  assert.deepEqual([message!.classification, (await s.api.suppressions.list()).data], ['unrelated', []]);
});

test('what is found in Junk is put back with its flags, read, and met again without a trace', async () => {
  const { s } = await arrived(() => 'Junk');
  await using _ = s;
  const id = s.inboxes[0]!.id;
  assert.equal((await s.api.inboxes.warmup(id)).totals.landed_in_junk, 1);
  s.office.imap.deliver(BOB, 'Junk', letter('mallory@else.test', 'real-junk', ''), { flags: ['\\Deleted'] });
  await s.pass(100 * MINUTE);
  assert.deepEqual(s.office.imap.messages(BOB, 'Junk').map((one) => one.flags), [['\\Deleted']]); // prettier-ignore
  assert.deepEqual(s.office.imap.messages(BOB, 'INBOX').map((one) => one.flags.includes('\\Seen')), [true]); // prettier-ignore
  const { totals } = await s.api.inboxes.warmup(id);
  assert.deepEqual([totals.landed_in_junk, totals.landed_in_inbox, totals.rescued], [1, 0, 1]);
  assert.deepEqual(await subjects(s), ['real-junk']);
});

test('a mailbox out of reach is looked into later, and in the end left alone; one that is paused at once', async () => {
  const { s } = await arrived(() => 'Junk');
  await using _ = s;
  s.office.imap.follow(({ command }) => (command === 'UID MOVE' ? 'drop' : undefined));
  await s.pass(3 * HOUR);
  const [failing] = await s.mails();
  assert.ok(failing!.tend_failures >= 2 && failing!.tend_at !== null && failing!.tended_at === null, JSON.stringify(failing));
  s.office.imap.follow(undefined);
  await s.pass(5 * HOUR);
  const [tended] = await s.mails();
  assert.deepEqual([tended!.rescued_at !== null, s.office.imap.messages(BOB, 'INBOX').length], [true, 1]);

  const { s: other } = await arrived(() => 'Junk');
  await using __ = other;
  await other.api.inboxes.update(other.inboxes[1]!.id, { status: 'paused' });
  await other.pass(12 * HOUR, HOUR);
  const [left] = await other.mails();
  assert.deepEqual([left!.tend_at, left!.tended_at, other.office.imap.messages(BOB, 'Junk').length], [null, null, 1]);
});
