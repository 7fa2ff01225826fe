import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mailboxOpener } from '#mail/imap/index.ts';
import { type Folder, MailboxError, type MailboxSession, type MailServer } from '#mail/mail.ts';
import { systemClock } from '#platform/clock.ts';
import { egress } from '#platform/egress.ts';
import { logTo } from '#platform/log.ts';
import { login, note, send } from './submission.ts';
import { doors, type MailWorld, startMailWorld } from './world.ts';

const INBOX: Folder = { role: 'inbox', path: 'INBOX' };
const JUNK: Folder = { role: 'junk', path: 'Spambox' };
const ALL = { limit: 500, since: new Date(0) };
let world: MailWorld;
before(async () => {
  world = await startMailWorld();
});
after(() => world?.stop());

/** A sender's mailbox, closed at the end whatever happens. Each test has a sender of its own, so that none reads another one's mail. */
async function within(index: number, work: (mailbox: MailboxSession, email: string) => Promise<void>, server?: Partial<MailServer>): Promise<void> {
  const { imap, email } = world.senders[index]!;
  const mailbox = await doors([world.ca]).openMailbox({ ...imap, ...server });
  try {
    await work(mailbox, email);
  } finally {
    await mailbox.close();
  }
}

async function deliver(to: string, ...ids: string[]): Promise<void> {
  const session = await login(world, world.senders[0]!.smtp);
  for (const id of ids) {
    await send(session, to, note(id, `This is ${id}.\r\n`, to));
    // One at a time, so that the order is ours.
    await world.postfix.settled();
  }
  await session.close();
}

const fault = (wanted: MailboxError['fault']) => (error: unknown) => error instanceof MailboxError && error.fault === wanted;
const idsOf = (messages: { source: Buffer }[]) => messages.map(({ source }) => /^Message-ID: <(.+)@sender\.test>/m.exec(source.toString())?.[1]);

test('TLS and STARTTLS, and folders by what they are for, whatever their names', async () => {
  const { tls, starttls } = world.dovecot.ports;
  for (const server of [{ port: tls }, { port: starttls, security: 'starttls' as const }, { host: '127.0.0.1' }]) {
    const sent: Folder = { role: 'sent', path: 'Outgoing' };
    await within(0, async (mailbox) => assert.deepEqual(await mailbox.folders(), [INBOX, JUNK, sent]), server);
  }
});

test('a wrong password, an unknown authority, nobody there', async () => {
  const { imap } = world.senders[0]!;
  const open = (ca: string[], server: Partial<MailServer>) => doors(ca).openMailbox({ ...imap, ...server });
  await assert.rejects(open([world.ca], { credentials: { username: 'ann@sender.test', password: 'wrong' } }), fault('authentication'));
  await assert.rejects(open([], {}), fault('tls'));
  await assert.rejects(open([], { port: world.dovecot.ports.starttls, security: 'starttls' }), fault('tls'));
  await assert.rejects(open([world.ca], { port: 1 }), fault('refused'));
});

test('what came after the cursor comes in order, in pieces, once, and stays unread', async () => {
  await within(0, async (mailbox, email) => {
    await deliver(email, 'old-1', 'old-2');
    const start = await mailbox.cursorNow(INBOX);
    assert.deepEqual((await mailbox.newMessages(INBOX, start, ALL)).messages, []);
    await deliver(email, 'new-1', 'new-2', 'new-3', 'new-4', 'new-5');
    const first = await mailbox.newMessages(INBOX, start, { ...ALL, limit: 2 });
    assert.deepEqual([idsOf(first.messages), first.more, first.reset], [['new-1', 'new-2'], true, false]);
    const rest = await mailbox.newMessages(INBOX, first.cursor, ALL);
    assert.deepEqual([idsOf(rest.messages), rest.more, rest.reset], [['new-3', 'new-4', 'new-5'], false, false]);
    assert.deepEqual((await mailbox.newMessages(INBOX, rest.cursor, ALL)).messages, []);
    assert.ok(Math.abs((rest.messages[0]?.internalDate?.getTime() ?? 0) - Date.now()) < 60_000);
    assert.match(rest.messages[2]?.source.toString() ?? '', /\r\n\r\nThis is new-5\.\r\n$/);
    const seen = await world.dovecot.doveadm('search', '-u', email, 'mailbox', 'INBOX', 'seen');
    assert.equal(seen.trim(), '');
  });
});

test('a message is found by its whole Message-ID, in the folder where it lies', async () => {
  await within(1, async (mailbox, email) => {
    await deliver(email, 'find-me', 'find-me-too');
    await world.dovecot.doveadm('move', '-u', email, 'Spambox', 'mailbox', 'INBOX', 'header', 'message-id', 'find-me-too');
    const found = await mailbox.findByMessageId(INBOX, '<find-me@sender.test>');
    assert.deepEqual(idsOf(found ? [found] : []), ['find-me']);
    for (const id of ['<find-me>', '<ind-me@sender.test>', '<find-me@sender.tes>', '<find-me-too@sender.test>']) {
      assert.equal(await mailbox.findByMessageId(INBOX, id), null, id);
    }
    assert.deepEqual(idsOf([(await mailbox.findByMessageId(JUNK, '<find-me-too@sender.test>'))!]), ['find-me-too']);
  });
});

test('a folder that was made anew is read again from a date on', async () => {
  const { doveadm } = world.dovecot;
  await within(2, async (mailbox, email) => {
    await deliver(email, 'before-1', 'before-2');
    await doveadm('move', '-u', email, 'Spambox', 'mailbox', 'INBOX', 'all');
    const before = await mailbox.cursorNow(JUNK);
    assert.equal(before.lastUid, 2);
    await doveadm('mailbox', 'delete', '-u', email, '-s', 'Spambox');
    await doveadm('mailbox', 'create', '-u', email, '-s', 'Spambox');
    await deliver(email, 'after-1');
    await doveadm('move', '-u', email, 'Spambox', 'mailbox', 'INBOX', 'all');
    const again = await mailbox.newMessages(JUNK, before, { limit: 10, since: new Date(Date.now() - 3_600_000) });
    assert.deepEqual([idsOf(again.messages), again.reset], [['after-1'], true]);
    assert.notEqual(again.cursor.uidValidity, before.uidValidity);
    const next = await mailbox.newMessages(JUNK, again.cursor, ALL);
    assert.deepEqual([next.messages.length, next.reset], [0, false]);
    const later = await mailbox.newMessages(JUNK, before, { limit: 10, since: new Date(Date.now() + 3_600_000) });
    assert.deepEqual([later.messages.length, later.reset], [0, true]);
  });
});

test('a folder that is gone is missing, and the session goes on', async () => {
  const { doveadm } = world.dovecot;
  await within(2, async (mailbox, email) => {
    const old: Folder = { role: 'sent', path: 'Alt & Größe' };
    await doveadm('mailbox', 'create', '-u', email, old.path);
    const cursor = await mailbox.cursorNow(old);
    await mailbox.cursorNow(INBOX);
    await doveadm('mailbox', 'delete', '-u', email, old.path);
    await assert.rejects(mailbox.newMessages(old, cursor, ALL), fault('missing'));
    assert.ok((await mailbox.cursorNow(INBOX)).uidValidity);
  });
});

test('a folder that is deleted while it is open ends in nothing worse than a MailboxError', async (t) => {
  const { doveadm } = world.dovecot;
  await within(2, async (mailbox, email) => {
    const open: Folder = { role: 'sent', path: 'Open' };
    await doveadm('mailbox', 'create', '-u', email, open.path);
    const cursor = await mailbox.cursorNow(open);
    await doveadm('mailbox', 'delete', '-u', email, open.path);
    await assert.rejects(mailbox.newMessages(open, cursor, ALL), (error: unknown) => {
      t.diagnostic(`deleted while open: ${error instanceof MailboxError ? `${error.fault}: ${error.message}` : String(error)}`);
      return error instanceof MailboxError;
    });
  });
});

test('of a large message only its beginning is read, and it says so', async () => {
  const clock = systemClock();
  const limits = { messageBytes: 10_000 };
  const open = mailboxOpener({ egress: egress({ allowPrivate: true, extraCa: [world.ca] }, clock), clock, log: logTo('silent'), limits });
  const { imap, email } = world.senders[1]!;
  const mailbox = await open(imap);
  try {
    const start = await mailbox.cursorNow(INBOX);
    const session = await login(world, world.senders[0]!.smtp);
    await send(session, email, note('large', `${'x'.repeat(98)}\r\n`.repeat(5000)));
    await session.close();
    await world.postfix.settled();
    const { messages, cursor } = await mailbox.newMessages(INBOX, start, ALL);
    assert.deepEqual(
      messages.map((one) => [one.source.length, one.truncated]),
      [[10_000, true]],
    );
    assert.deepEqual((await mailbox.newMessages(INBOX, cursor, ALL)).messages, []);
  } finally {
    await mailbox.close();
  }
});

test('a server that ends takes the session with it', async () => {
  const { imap } = world.senders[0]!;
  const mailbox = await doors([world.ca]).openMailbox(imap);
  await mailbox.cursorNow(INBOX);
  await world.dovecot.stop();
  await assert.rejects(mailbox.cursorNow(INBOX), fault('closed'));
  await mailbox.close();
  await assert.rejects(doors([world.ca]).openMailbox(imap), fault('refused'));
});
