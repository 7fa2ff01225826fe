import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Egress, egress } from '#platform/egress.ts';
import { systemClock } from '#platform/clock.ts';
import { logTo } from '#platform/log.ts';
import { otherHostCert, testCa } from '#testing/certs/certs.ts';
import { type ImapServer, type ImapServerOptions, startImapServer } from '#testing/imap-server/index.ts';
import { type Folder, type FolderCursor, MailboxError, type MailServer } from '../mail.ts';
import { mailboxOpener, type MailboxLimits } from './index.ts';

const ANN = { username: 'ann@home.test', password: 'grüße "x" \\' };
const INBOX: Folder = { role: 'inbox', path: 'INBOX' };
const since = new Date('2026-03-01T12:00:00Z');
const clock = systemClock();
const doors = { clock, log: logTo('silent'), egress: egress({ allowPrivate: true, extraCa: [testCa] }, clock) };
const raw = (n: number | string, size = 0) => `From: a@b.test\r\nMessage-ID: <${n}@b.test>\r\nSubject: ${n}\r\n\r\nText${'x'.repeat(size)}\r\n`;

type Wanted = { server?: Partial<ImapServerOptions>; limits?: Partial<MailboxLimits>; login?: Partial<MailServer>; egress?: Egress };
async function scene(t: TestContext, { server: options = {}, limits = {}, login = {}, egress: door = doors.egress }: Wanted = {}) {
  const server = await startImapServer({ security: 'ssl', users: [ANN], ...options });
  t.after(() => server.close());
  const target: MailServer = { host: 'localhost', port: server.port, security: options.security ?? 'ssl', credentials: ANN, ...login };
  const connect = () => mailboxOpener({ ...doors, egress: door, limits: { connectMs: 60_000, operationMs: 60_000, ...limits } })(target);
  const opened = async () => {
    const session = await connect();
    t.after(() => session.close());
    return session;
  };
  return { server, connect, opened };
}
const fault = (expected: MailboxError['fault'], words?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof MailboxError, String(error));
  assert.equal(error.fault, expected, error.message);
  if (words) assert.match(error.message, words);
  return true;
};
const subjects = (messages: { source: Buffer }[]) => messages.map((one) => /Subject: (\S+)/.exec(one.source.toString())?.[1]);
const fill = (server: ImapServer, ...names: (number | string)[]) => names.map((name) => server.deliver(ANN.username, 'INBOX', raw(name)));
const start = (uidValidity = '1000', lastUid = 0): FolderCursor => ({ uidValidity, lastUid });

for (const security of ['ssl', 'starttls'] as const) {
  test(`${security}: what comes after the cursor is read in order, and nothing is marked`, async (t) => {
    const { server, opened } = await scene(t, { server: { security } });
    fill(server, 'old', 'older');
    const session = await opened();
    const cursor = await session.cursorNow(INBOX);
    assert.deepEqual(cursor, start('1000', 2));
    assert.deepEqual(await session.newMessages(INBOX, cursor, { limit: 10, since }), { messages: [], cursor, reset: false, more: false });
    fill(server, 1, 2, 3);
    const first = await session.newMessages(INBOX, cursor, { limit: 2, since });
    assert.deepEqual([subjects(first.messages), first.cursor.lastUid, first.more, first.reset], [['1', '2'], 4, true, false]);
    const rest = await session.newMessages(INBOX, first.cursor, { limit: 2, since });
    assert.deepEqual([subjects(rest.messages), rest.cursor.lastUid, rest.more], [['3'], 5, false]);
    assert.equal(rest.messages[0]?.source.toString(), raw(3));
    assert.ok(rest.messages[0]?.internalDate instanceof Date);
    assert.deepEqual(
      server.messages(ANN.username, 'INBOX').flatMap((one) => one.flags),
      [],
    );
    assert.ok(
      server.log().every((line) => !/^(UID )?FETCH \d+:\*/.test(line)),
      'no open range is fetched',
    );
    await session.close();
    await assert.rejects(session.folders(), fault('closed'));
  });
}

test('folders: by SPECIAL-USE, else by usual names, else INBOX alone', async (t) => {
  const named = async (folders: [string, string | null][]) => {
    const { opened } = await scene(t, { server: { users: [{ ...ANN, folders }] } });
    return Object.fromEntries((await (await opened()).folders()).map(({ role, path }) => [role, path]));
  };
  const gmail: [string, string | null][] = [
    ['INBOX', null],
    ['Spam', null],
    ['[Gmail]/Gesendet', '\\Sent'],
    ['[Gmail]/Spam', '\\Junk'],
  ];
  assert.deepEqual(await named(gmail), { inbox: 'INBOX', junk: '[Gmail]/Spam', sent: '[Gmail]/Gesendet' });
  assert.deepEqual(
    await named([
      ['INBOX', null],
      ['Junk E-mail', null],
      ['Sent Items', null],
    ]),
    { inbox: 'INBOX', junk: 'Junk E-mail', sent: 'Sent Items' },
  );
  assert.deepEqual(
    await named([
      ['INBOX', null],
      ['INBOX/Sent', null],
      ['Bulk Mail', null],
    ]),
    { inbox: 'INBOX', junk: 'Bulk Mail', sent: 'INBOX/Sent' },
  );
  assert.deepEqual(
    await named([
      ['INBOX', null],
      ['Projects', null],
    ]),
    { inbox: 'INBOX' },
  );
});

test('a new UIDVALIDITY: what the server dates since then, and only that', async (t) => {
  const { server, opened } = await scene(t);
  for (const day of ['2026-02-01', '2026-03-01', '2026-03-02', '2026-03-03']) {
    server.deliver(ANN.username, 'INBOX', raw(day), { internalDate: new Date(`${day}T09:00:00Z`) });
  }
  const session = await opened();
  const cursor = await session.cursorNow(INBOX);
  server.resetUidValidity(ANN.username, 'INBOX', 77);
  const one = await session.newMessages(INBOX, cursor, { limit: 2, since });
  assert.deepEqual([subjects(one.messages), one.reset, one.more], [['2026-03-02'], true, true]);
  assert.deepEqual(one.cursor, start('77', 3));
  const two = await session.newMessages(INBOX, one.cursor, { limit: 2, since });
  assert.deepEqual([subjects(two.messages), two.reset, two.more, two.cursor], [['2026-03-03'], false, false, start('77', 4)]);
});

test('no UIDVALIDITY is a fault, a cursor beyond UIDNEXT reads nothing and stays', async (t) => {
  const { server, opened } = await scene(t);
  fill(server, 1);
  const session = await opened();
  const ahead = await session.newMessages(INBOX, start('1000', 500), { limit: 5, since });
  assert.deepEqual([ahead.messages, ahead.cursor.lastUid, ahead.more], [[], 500, false]);
  server.resetUidValidity(ANN.username, 'INBOX', 0);
  await assert.rejects(session.cursorNow(INBOX), fault('protocol', /UIDVALIDITY/));
});

test('a message that vanishes between search and fetch is skipped', async (t) => {
  const { server, opened } = await scene(t);
  const [, second = 0] = fill(server, 1, 2, 3);
  server.follow(({ command }) => (command === 'UID FETCH' ? { first: () => server.expunge(ANN.username, 'INBOX', second) } : undefined));
  const read = await (await opened()).newMessages(INBOX, start(), { limit: 10, since });
  assert.deepEqual([subjects(read.messages), read.cursor.lastUid, read.more], [['1', '3'], 3, false]);
});

test('a garbled answer is asked for once more, then the message is passed over', async (t) => {
  const { server, opened } = await scene(t);
  fill(server, 1, 2);
  const garble = (times: number) => {
    let left = times;
    server.follow(({ command }) => (command === 'UID FETCH' && left-- > 0 ? { raw: '* 1 FETCH (UID (((\r\n{tag} OK\r\n' } : undefined));
  };
  const session = await opened();
  garble(1);
  assert.deepEqual(subjects((await session.newMessages(INBOX, start(), { limit: 10, since })).messages), ['1', '2']);
  garble(2);
  const read = await session.newMessages(INBOX, start(), { limit: 10, since });
  assert.deepEqual([read.messages, read.cursor.lastUid], [[], 2]);
});

test('messages that were not asked for, and doubled ones, are not read', async (t) => {
  const { server, opened } = await scene(t);
  fill(server, 1, 2);
  const stray = '* 2 FETCH (UID 9 FLAGS () RFC822.SIZE 1 BODY[]<0> {1}\r\nX)\r\n';
  server.follow(({ command }) =>
    command === 'UID FETCH' ? { before: stray } : command === 'UID SEARCH' ? { before: '* SEARCH 900 2 2\r\n' } : undefined,
  );
  const read = await (await opened()).newMessages(INBOX, start('1000', 1), { limit: 10, since });
  assert.deepEqual(subjects(read.messages), ['2']);
});

test('a large message is cut, a full batch ends early', async (t) => {
  const { server, opened } = await scene(t, { limits: { messageBytes: 1000, batchBytes: 5000 } });
  server.deliver(ANN.username, 'INBOX', raw('large', 5000));
  server.deliver(ANN.username, 'INBOX', raw('exact').padEnd(1000, 'x'));
  for (let n = 0; n < 30; n++) server.deliver(ANN.username, 'INBOX', raw(n, 900));
  const read = await (await opened()).newMessages(INBOX, start(), { limit: 50, since });
  assert.deepEqual(
    read.messages.slice(0, 3).map(({ truncated, source }) => [truncated, source.length]),
    [
      [true, 1000],
      [false, 1000],
      [false, raw(0, 900).length],
    ],
  );
  assert.deepEqual([read.messages.length, read.cursor.lastUid, read.more], [8, 8, true]);
});

test('a message is found by its exact Message-ID only', async (t) => {
  const { server, opened } = await scene(t);
  fill(server, '1', '11', 'x<1');
  server.deliver(ANN.username, 'INBOX', 'Subject: folded\r\nMessage-ID:\r\n <f"olded@b.test>\r\n\r\n.\r\n');
  const session = await opened();
  assert.equal((await session.findByMessageId(INBOX, '<1@b.test>'))?.uid, 1);
  assert.equal((await session.findByMessageId(INBOX, '<f"olded@b.test>'))?.uid, 4);
  for (const absent of ['<@b.test>', '<b.test>', '<none@b.test>', '1@b.test', '<a@b>\r\nx', ''])
    assert.equal(await session.findByMessageId(INBOX, absent), null, absent);
});

test('a folder that is gone is missing, and the session goes on', async (t) => {
  const { opened } = await scene(t);
  const session = await opened();
  await assert.rejects(session.cursorNow({ role: 'junk', path: 'Nowhere' }), fault('missing'));
  assert.equal((await session.cursorNow(INBOX)).lastUid, 0);
});

test('calls of one session do not cross', async (t) => {
  const { server, opened } = await scene(t);
  fill(server, 1);
  const session = await opened();
  const both = await Promise.all([session.newMessages(INBOX, start(), { limit: 5, since }), session.cursorNow({ role: 'sent', path: 'Sent' })]);
  assert.deepEqual([both[0].messages.length, both[1].uidValidity], [1, '1001']);
});

test('logins: a wrong password is not a lost connection, and neither is a busy server', async (t) => {
  const wrong = await scene(t, { login: { credentials: { username: ANN.username, password: 'wrong' } } });
  await assert.rejects(wrong.connect(), fault('authentication', /wrong name or password/));
  const busy = await scene(t, { server: { script: ({ command }) => (command === 'AUTHENTICATE' ? { no: '[UNAVAILABLE] not now' } : undefined) } });
  await assert.rejects(busy.connect(), fault('refused'));
  const dropped = await scene(t, { server: { script: ({ command }) => (command === 'AUTHENTICATE' ? 'drop' : undefined) } });
  await assert.rejects(dropped.connect(), fault('closed'));
  const gone = await scene(t);
  const session = await gone.opened();
  gone.server.removeUser(ANN.username);
  await assert.rejects(session.cursorNow(INBOX), fault('closed'));
  await assert.rejects(gone.connect(), fault('authentication'));
});

test('access tokens log in as passwords do', async (t) => {
  const login = (accessToken: string) => ({ login: { credentials: { username: ANN.username, accessToken } } });
  assert.equal((await (await (await scene(t, login(ANN.password))).opened()).folders()).length, 3);
  await assert.rejects((await scene(t, login('stale'))).connect(), fault('authentication'));
});

test('TLS: an unknown authority, another host, no STARTTLS and PREAUTH are refused before any login', async (t) => {
  const strangers = egress({ allowPrivate: true, extraCa: [] }, clock);
  const untrusted = await scene(t, { egress: strangers });
  await assert.rejects(untrusted.connect(), fault('tls'));
  const upgrade = await scene(t, { egress: strangers, server: { security: 'starttls' } });
  await assert.rejects(upgrade.connect(), fault('tls'));
  const other = await scene(t, { server: { certificate: otherHostCert } });
  await assert.rejects(other.connect(), fault('tls'));
  const clear = await scene(t, { server: { security: 'starttls' } });
  clear.server.follow(({ command }) => (command === 'STARTTLS' ? { no: 'no' } : undefined));
  await assert.rejects(clear.connect(), fault('tls'));
  clear.server.follow(({ command }) => (command === 'STARTTLS' ? { raw: '{tag} OK go\r\n* OK injected\r\n' } : undefined));
  await assert.rejects(clear.connect(), fault('tls'));
  clear.server.follow(({ command }) => (command === 'GREETING' ? { raw: '* PREAUTH [CAPABILITY IMAP4rev1] hello\r\n' } : undefined));
  await assert.rejects(clear.connect(), fault('tls'));
  const preauth = await scene(t, {
    server: { script: ({ command }) => (command === 'GREETING' ? { raw: '* PREAUTH [CAPABILITY IMAP4rev1] hi\r\n' } : undefined) },
  });
  await assert.rejects(preauth.connect(), fault('protocol', /PREAUTH/));
  for (const { server } of [untrusted, upgrade, other, clear, preauth]) assert.ok(server.log().every((line) => !/^(LOGIN|AUTHENTICATE)/.test(line)));
});

test('egress decides where to dial', async (t) => {
  const { connect, server } = await scene(t, { egress: egress({ allowPrivate: false, extraCa: [testCa] }, clock) });
  await assert.rejects(connect(), fault('blocked_address'));
  assert.equal(server.connections(), 0);
  // A name that only this egress knows: dialled is the address that it gave, and the certificate is judged by the name.
  const named = await scene(t, {
    egress: { ...doors.egress, resolve: async () => '127.0.0.1' },
    login: { host: 'other-host.test' },
    server: { certificate: otherHostCert },
  });
  assert.equal((await (await named.opened()).folders()).length, 3);
  const nobody = await scene(t, { login: { port: 1 } });
  await assert.rejects(nobody.connect(), fault('refused'));
});

test('a server that says nothing runs into the deadline, wherever it stops', async (t) => {
  for (const where of ['GREETING', 'ID', 'AUTHENTICATE', 'NAMESPACE']) {
    const { connect } = await scene(t, { limits: { connectMs: 150 }, server: { script: ({ command }) => (command === where ? 'hang' : undefined) } });
    await assert.rejects(connect(), (error) => fault('timeout')(error), where);
  }
  for (const where of ['EXAMINE', 'UID SEARCH', 'UID FETCH']) {
    const { server, opened } = await scene(t, {
      limits: { operationMs: 150 },
      server: { script: ({ command }) => (command === where ? 'hang' : undefined) },
    });
    fill(server, 1);
    await assert.rejects((await opened()).newMessages(INBOX, start(), { limit: 5, since }), fault('timeout'), where);
  }
});

test('a connection that ends in mid-work is closed, never an empty answer', async (t) => {
  for (const where of ['LIST', 'EXAMINE', 'UID SEARCH', 'UID FETCH']) {
    const { server, opened } = await scene(t);
    fill(server, 1);
    const session = await opened();
    server.follow(({ command }) => (command === where ? 'drop' : undefined));
    await assert.rejects(session.newMessages(INBOX, start(), { limit: 5, since }), fault('closed'), where);
  }
});

test('garbage and refusals are protocol faults, a huge literal is not waited for', async (t) => {
  const answers = {
    'UID SEARCH': ['{tag} NO sorry\r\n', '{tag} BAD what\r\n'],
    'UID FETCH': [
      '* 1 FETCH (UID 1 BODY[]<0> {9999999999}\r\n',
      '* 1 FETCH (UID 1 BODY[]<0> {5000000}\r\nabc',
      '* (((\r\nX OK\r\n+\r\n{tag} what\r\n',
      '{tag} NO sorry\r\n',
    ],
  };
  for (const [where, replies] of Object.entries(answers)) {
    for (const reply of replies) {
      const { server, opened } = await scene(t, { server: { script: ({ command }) => (command === where ? { raw: reply } : undefined) } });
      fill(server, 1);
      await assert.rejects((await opened()).newMessages(INBOX, start(), { limit: 5, since }), fault('protocol'), reply);
    }
  }
});

test('a server that never stops talking is cut off by bytes', async (t) => {
  const flood = '* LIST () "/" "a folder with a rather long name"\r\n'.repeat(10_000);
  const { opened } = await scene(t, {
    limits: { receivedBytes: 100_000 },
    server: { script: ({ command }) => (command === 'LIST' ? { raw: flood } : undefined) },
  });
  await assert.rejects((await opened()).folders(), fault('protocol', /more than was asked/));
});

test('ten thousand messages are read in batches', async (t) => {
  const { server, opened } = await scene(t);
  for (let n = 0; n < 10_000; n++) server.deliver(ANN.username, 'INBOX', raw(n));
  const session = await opened();
  let cursor = start('1000', 9000);
  const seen: (string | undefined)[] = [];
  for (let more = true; more;) {
    const read = await session.newMessages(INBOX, cursor, { limit: 200, since });
    seen.push(...subjects(read.messages));
    ({ cursor, more } = read);
  }
  assert.deepEqual([seen.length, seen[0], seen.at(-1), cursor.lastUid], [1000, '9000', '9999', 10_000]);
});
