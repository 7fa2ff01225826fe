import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { systemClock } from '#platform/clock.ts';
import { egress } from '#platform/egress.ts';
import { testCa } from '../certs/certs.ts';
import { startImapServer } from './index.ts';

const ANN = { username: 'ann@home.test', password: 'secret' };
const raw = 'From: a@b.test\r\nSubject: one\r\n two\r\nTo: c@d.test\r\n\r\nBody\r\n';

/** A client that sends lines and gathers what comes until a tagged answer or a given line. */
async function scene(t: TestContext) {
  const server = await startImapServer({ security: 'ssl', users: [ANN] });
  t.after(() => server.close());
  const door = egress({ allowPrivate: true, extraCa: [testCa] }, systemClock());
  const socket = await door.open({ host: 'localhost', port: server.port, tls: true, timeoutMs: 60_000 });
  t.after(() => socket.destroy());
  let gathered = '';
  socket.on('data', (bytes: Buffer) => (gathered += bytes.toString()));
  const until = async (pattern: RegExp) => {
    while (!pattern.test(gathered)) await once(socket, 'data');
    const all = gathered;
    gathered = '';
    return all;
  };
  await until(/ready\r\n/);
  const say = (line: string, pattern = /^x (OK|NO|BAD)/m) => {
    socket.write(`${line}\r\n`);
    return until(pattern);
  };
  return { server, say, until };
}

test('a client that works by hand: login, folders, flags, search, sections', async (t) => {
  const { server, say } = await scene(t);
  assert.match(await say('x SELECT INBOX'), /BAD log in first/);
  assert.match(await say('x LOGIN ann@home.test wrong'), /NO \[AUTHENTICATIONFAILED\]/);
  assert.match(await say('x LOGIN {13}', /^\+/m), /^\+ /);
  assert.match(await say('ann@home.test "secret"'), /^x OK/m);
  assert.match(await say('x LIST "" "*"'), /\* LIST \(\\HasNoChildren \\Sent\) "\/" "Sent"/);
  assert.doesNotMatch(await say('x LSUB "" "J%"'), /INBOX/);
  server.deliver(ANN.username, 'INBOX', raw, { internalDate: new Date('2026-03-02T10:00:00Z') });
  assert.match(await say('x STATUS inbox (MESSAGES UNSEEN UIDNEXT)'), /"INBOX" \(MESSAGES 1 UNSEEN 1 UIDNEXT 2\)/);
  assert.match(await say('x SELECT inbox'), /\* 1 EXISTS[\s\S]*UIDVALIDITY 1000[\s\S]*x OK \[READ-WRITE\]/);
  assert.match(
    await say('x FETCH 1:* (UID BODY.PEEK[HEADER.FIELDS (SUBJECT)])'),
    /UID 1 BODY\[HEADER.FIELDS \(SUBJECT\)\] \{22\}\r\nSubject: one\r\n two\r\n\r\n\)/,
  );
  assert.match(await say('x UID FETCH 7:* BODY.PEEK[TEXT]<1.3>'), /\(UID 1 BODY\[TEXT\]<1> \{3\}\r\nody\)/, '7:* holds the last message');
  assert.match(await say('x UID FETCH 1 (FLAGS INTERNALDATE RFC822.SIZE)'), /FLAGS \(\) INTERNALDATE " 2-Mar-2026 10:00:00 \+0000" RFC822.SIZE 58/);
  assert.match(await say('x UID FETCH 1 BODY[]'), /x OK/);
  assert.match(await say('x UID STORE 1 +FLAGS (\\Answered)'), /FLAGS \(\\Seen \\Answered\)/);
  assert.match(await say('x SEARCH SINCE 2-Mar-2026 NOT UNSEEN HEADER Subject "ONE"'), /\* SEARCH 1\r\n/);
  assert.match(await say('x UID SEARCH SINCE 3-Mar-2026'), /\* SEARCH\r\n/);
  assert.match(await say('x UID SEARCH NONSENSE'), /x BAD/);
  assert.match(await say('x SELECT Nowhere'), /NO \[NONEXISTENT\]/);
  assert.match(await say('x LOGOUT'), /\* BYE/);
});

test('news reach an idling client; an appended message is kept byte by byte', async (t) => {
  const { server, say, until } = await scene(t);
  await say('x LOGIN ann@home.test secret');
  await say('x SELECT INBOX');
  await say('x IDLE', /^\+ idling/m);
  server.deliver(ANN.username, 'INBOX', raw);
  assert.match(await until(/EXISTS/), /\* 1 EXISTS/);
  server.expunge(ANN.username, 'INBOX', 1);
  assert.match(await until(/EXPUNGE/), /\* 1 EXPUNGE/);
  await say('DONE');
  assert.match(await say(`x APPEND Sent (\\Seen) {${raw.length}+}\r\n${raw}`), /x OK \[APPENDUID 1001 1\]/);
  assert.deepEqual(
    server.messages(ANN.username, 'Sent').map((one) => [one.raw.toString(), one.flags]),
    [[raw, ['\\Seen']]],
  );
});
