import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { MailServer } from '#mail/mail.ts';
import { POSTFIX_SIZE_LIMIT } from './servers/postfix.ts';
import { socketsRead } from '#testing/until.ts';
import { hold, login, note, send } from './submission.ts';
import { doors, type MailWorld, startMailWorld } from './world.ts';

let world: MailWorld;
let ann: MailServer;
before(async () => {
  world = await startMailWorld();
  ann = world.senders[0]!.smtp;
});
after(() => world?.stop());

const at = (port: number, security: MailServer['security'] = 'starttls'): MailServer => ({ ...ann, port, security });
const delivered = (id: string) => world.readRecipientMail().filter((mail) => mail.messageId === `<${id}@sender.test>`);
const bodyOf = (raw: Buffer) => raw.toString('utf8').slice(raw.toString('utf8').indexOf('\n\n') + 2);

test('every sender logs in by STARTTLS and TLS, with PLAIN and, where there is nothing else, with LOGIN', async () => {
  const { starttls, tls, login: loginOnly, bare } = world.postfix.ports;
  for (const [index, { smtp, email }] of world.senders.entries()) {
    for (const server of [at(starttls), at(tls, 'ssl'), at(loginOnly), at(bare)]) {
      const session = await login(world, { ...server, credentials: smtp.credentials });
      await send(session, 'sam@people.test', note(`login-${index}-${server.port}`), email);
      await session.close();
    }
    await world.postfix.settled();
    for (const port of [starttls, tls, loginOnly, bare]) assert.equal(delivered(`login-${index}-${port}`).length, 1, `${email} at ${port}`);
  }
});

test('a wrong password is refused for good', async () => {
  for (const server of [at(world.postfix.ports.starttls), at(world.postfix.ports.tls, 'ssl'), at(world.postfix.ports.login)]) {
    const answer = await doors([world.ca]).connectSmtp({ ...server, credentials: { username: 'ann@sender.test', password: 'wrong' } });
    assert.ok('kind' in answer && answer.kind === 'refused', JSON.stringify(answer));
    assert.deepEqual([answer.phase, answer.permanent, answer.reply.code, answer.reply.enhanced], ['auth', true, 535, '5.7.8']);
  }
});

test('a certificate of an unknown authority is not taken', async () => {
  const fault = async (server: MailServer) => {
    const answer = await doors([]).connectSmtp(server);
    return 'fault' in answer ? [answer.phase, answer.fault] : answer;
  };
  assert.deepEqual(await fault(at(world.postfix.ports.starttls)), ['starttls', 'tls']);
  assert.deepEqual(await fault(at(world.postfix.ports.tls, 'ssl')), ['connect', 'tls']);
});

for (const listener of ['starttls', 'bare'] as const) {
  test(`no to a recipient leaves the connection fit for the next message (${listener})`, async () => {
    const session = await login(world, at(world.postfix.ports[listener]));
    const offer = (...to: string[]) => session.offer({ from: 'ann@sender.test', to }, note('refused'));
    const gone = await offer('unknown-one@people.test');
    assert.ok(gone.kind === 'refused', JSON.stringify(gone));
    assert.deepEqual([gone.phase, gone.permanent, gone.reply.code, gone.reply.enhanced], ['rcpt', true, 550, '5.1.1']);
    assert.match(gone.reply.text, /User unknown/);
    const later = await offer('later-one@people.test');
    assert.ok(later.kind === 'refused', JSON.stringify(later));
    assert.deepEqual([later.phase, later.permanent, later.reply.code, later.reply.enhanced], ['rcpt', false, 451, '4.7.1']);
    assert.equal(session.usable, true);
    await send(session, 'sam@people.test', note(`after-no-${listener}`));
    const half = await offer('sam@people.test', 'unknown-two@people.test');
    assert.deepEqual([half.kind, half.kind === 'refused' && half.phase], ['refused', 'rcpt']);
    // Said all at once, DATA was already answered with 354.
    assert.equal(session.usable, listener === 'bare');
    await session.close();
    await world.postfix.settled();
    assert.deepEqual([delivered(`after-no-${listener}`).length, delivered('refused').length], [1, 0]);
  });
}

test('a message over SIZE is refused by us, and by a server that names none at the dot', async () => {
  const large = note('large', `${'x'.repeat(98)}\r\n`.repeat(POSTFIX_SIZE_LIMIT / 100 + 1));
  for (const listener of ['starttls', 'bare'] as const) {
    const session = await login(world, at(world.postfix.ports[listener]));
    assert.equal(session.sizeLimit, listener === 'bare' ? null : POSTFIX_SIZE_LIMIT);
    const offered = await session.offer({ from: 'ann@sender.test', to: ['sam@people.test'] }, large);
    const ending = offered.kind === 'held' ? await offered.release() : offered;
    assert.ok(ending.kind === 'refused', JSON.stringify(ending));
    assert.deepEqual([ending.phase, ending.reply.code, ending.reply.enhanced], [listener === 'bare' ? 'dot' : 'mail', 552, '5.3.4']);
    assert.equal(session.usable, true);
    await send(session, 'sam@people.test', note(`after-large-${listener}`, `${'x'.repeat(98)}\r\n`.repeat(9000)));
    await session.close();
  }
  await world.postfix.settled();
  assert.deepEqual(
    ['large', 'after-large-starttls', 'after-large-bare'].map((id) => delivered(id).length),
    [0, 1, 1],
  );
});

test('200 messages on one connection all arrive, once', async (t) => {
  const session = await login(world, ann);
  const started = performance.now();
  for (let index = 0; index < 200; index++) await send(session, `p${index}@people.test`, note(`many-${index}`));
  const ms = performance.now() - started;
  t.diagnostic(`200 messages over one connection: ${Math.round(ms)} ms`);
  await session.close();
  await world.postfix.settled();
  const ids = world
    .readRecipientMail()
    .filter((mail) => mail.messageId?.startsWith('<many-'))
    .map((mail) => `${mail.messageId} ${mail.recipient}`);
  const expected = Array.from({ length: 200 }, (_, index) => `<many-${index}@sender.test> p${index}@people.test`);
  assert.deepEqual(ids.toSorted(), expected.toSorted());
});

test('what is held is not delivered, what is released is, and what is aborted never', async () => {
  for (const listener of ['starttls', 'tls', 'bare'] as const) {
    const server = at(world.postfix.ports[listener], listener === 'tls' ? 'ssl' : 'starttls');
    const [keeping, giving] = await Promise.all([login(world, server), login(world, server)]);
    const kept = await hold(keeping, 'sam@people.test', note(`held-${listener}`));
    const aborted = await hold(giving, 'sam@people.test', note(`aborted-${listener}`));
    await pause(300);
    assert.deepEqual(
      ['held', 'aborted'].map((name) => delivered(`${name}-${listener}`).length),
      [0, 0],
    );
    aborted.abort();
    assert.equal(giving.usable, false);
    assert.equal((await kept.release()).kind, 'accepted');
    await keeping.close();
    await pause(200);
    await world.postfix.settled();
    assert.deepEqual(
      ['held', 'aborted'].map((name) => delivered(`${name}-${listener}`).length),
      [1, 0],
    );
  }
});

test('dots, long lines and bytes above 127 arrive as they were', async () => {
  const body = ['.', '..', '...', '.hidden', 'a.', '', '. ', 'ä€😀', 'x'.repeat(990), '.', ''].join('\r\n');
  for (const listener of ['starttls', 'bare'] as const) {
    const session = await login(world, at(world.postfix.ports[listener]));
    await send(session, 'sam@people.test', note(`dots-${listener}`, body));
    await session.close();
    await world.postfix.settled();
    assert.equal(bodyOf(delivered(`dots-${listener}`)[0]!.raw), body.replaceAll('\r\n', '\n'));
  }
});

test('an address beyond ASCII goes by SMTPUTF8, and nowhere without it', async () => {
  const session = await login(world, ann);
  await send(session, 'jürgen@people.test', note('utf8'));
  await session.close();
  await world.postfix.settled();
  assert.deepEqual(
    delivered('utf8').map((mail) => mail.recipient),
    ['jürgen@people.test'],
  );
  const plain = await login(world, at(world.postfix.ports.bare));
  const offered = await plain.offer({ from: 'ann@sender.test', to: ['jürgen@people.test'] }, note('utf8-bare'));
  assert.deepEqual([offered.kind, offered.kind === 'refused' && offered.reply.enhanced], ['refused', '5.6.7']);
  await plain.close();
});

test('a server that ends while it holds a message: nothing was written, not delivered, and nobody there afterwards', async () => {
  const session = await login(world, ann);
  const held = await hold(session, 'sam@people.test', note('orphan'));
  await world.postfix.stop();
  await socketsRead();
  const ending = await held.release();
  assert.equal(ending.kind, 'unwritten', JSON.stringify(ending));
  assert.equal(session.usable, false);
  assert.equal(delivered('orphan').length, 0);
  const answer = await doors([world.ca]).connectSmtp(ann);
  assert.deepEqual('fault' in answer && [answer.phase, answer.fault], ['connect', 'refused']);
});
