import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '#platform/clock.ts';
import { egress } from '#platform/egress.ts';
import { logTo } from '#platform/log.ts';
import { testCa } from '#testing/certs/certs.ts';
import { type ImapServerOptions, startImapServer } from '#testing/imap-server/index.ts';
import { MailboxError } from '../mail.ts';
import { mailboxOpener } from './index.ts';

const ANN = { username: 'ann@home.test', password: 'secret' };
const [INBOX, JUNK] = [{ path: 'INBOX' }, { path: 'Junk' }];
const clock = systemClock();
const doors = { clock, log: logTo('silent'), egress: egress({ allowPrivate: true, extraCa: [testCa] }, clock) };
const raw = (name: string) => `From: a@b.test\r\nMessage-ID: <${name}@b.test>\r\nSubject: ${name}\r\n\r\nText\r\n`;

async function scene(t: TestContext, options: Partial<ImapServerOptions> = {}) {
  const server = await startImapServer({ security: 'ssl', users: [ANN], ...options });
  t.after(() => server.close());
  const target = { host: 'localhost', port: server.port, security: 'ssl' as const, credentials: ANN };
  const session = await mailboxOpener({ ...doors, limits: { connectMs: 60_000, operationMs: 60_000 } })(target);
  t.after(() => session.close());
  const uid = server.deliver(ANN.username, 'Junk', raw('wanted'));
  server.deliver(ANN.username, 'Junk', raw('other'), { flags: ['\\Deleted'] });
  const seen = (folder: string) => server.messages(ANN.username, folder).map((one) => [/Subject: (\S+)/.exec(one.raw.toString())?.[1], ...one.flags]);
  return { server, session, seen, at: { uidValidity: '1003', uid } };
}

test('a message is flagged and moved, others stay as they are', async (t) => {
  const { session, seen, at } = await scene(t);
  assert.equal(await session.addFlags(JUNK, at, ['\\Seen', '\\Flagged']), true);
  assert.deepEqual(seen('Junk'), [['wanted', '\\Seen', '\\Flagged'], ['other', '\\Deleted']]); // prettier-ignore
  assert.equal(await session.move(JUNK, at, INBOX), true);
  assert.deepEqual([seen('Junk'), seen('INBOX')], [[['other', '\\Deleted']], [['wanted', '\\Seen', '\\Flagged']]]);
});

test('what is there no more is left alone: another UID, another UIDVALIDITY, moved before', async (t) => {
  const { session, seen, at } = await scene(t);
  for (const elsewhere of [
    { ...at, uid: 77 },
    { ...at, uidValidity: '9' },
  ]) {
    assert.equal(await session.addFlags(JUNK, elsewhere, ['\\Seen']), false);
    assert.equal(await session.move(JUNK, elsewhere, INBOX), false);
  }
  assert.deepEqual([seen('Junk'), seen('INBOX')], [[['wanted'], ['other', '\\Deleted']], []]);
  assert.equal(await session.move(JUNK, at, INBOX), true);
  assert.equal(await session.move(JUNK, at, INBOX), false);
});

test('a server that could move only by expunging everything is asked for nothing', async (t) => {
  const { session, seen, at, server } = await scene(t, { without: ['MOVE'] });
  assert.equal(await session.move(JUNK, at, INBOX), false);
  assert.deepEqual([seen('Junk'), seen('INBOX')], [[['wanted'], ['other', '\\Deleted']], []]);
  assert.ok(!server.log().some((line) => /EXPUNGE|COPY|STORE/.test(line)));
});

test('a refusal, and a connection that ends, are faults', async (t) => {
  const { session, at, server } = await scene(t);
  server.follow(({ command }) => (command === 'UID MOVE' ? { no: 'not today' } : undefined));
  await assert.rejects(session.move(JUNK, at, INBOX), (error: unknown) => error instanceof MailboxError && error.fault === 'protocol');
  const second = await scene(t);
  second.server.follow(({ command }) => (command === 'UID STORE' ? 'drop' : undefined));
  await assert.rejects(
    second.session.addFlags(JUNK, second.at, ['\\Seen']),
    (error: unknown) => error instanceof MailboxError && error.fault === 'closed',
  );
});
