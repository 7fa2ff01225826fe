import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { MailServer } from '#mail/mail.ts';
import { parseMessage } from '#mail/parse/parse-message.ts';
import { verdictOf } from '#mail/verdict/verdict.ts';
import { EXIM_SIZE_LIMIT, type Exim, startExim } from './servers/exim.ts';
import { hold, login, note, send } from './submission.ts';
import { watching } from './watch.ts';
import { doors, type MailWorld, startMailWorld } from './world.ts';

let world: MailWorld;
let exim: Exim;
before(async () => {
  world = await startMailWorld();
  const { hop, inbound } = world.postfix.ports;
  exim = await startExim({
    folder: world.place.subfolder('exim'),
    certificates: world.certificates,
    account: world.senders[0]!,
    next: { hop, inbound },
  });
});
after(async () => {
  await exim?.stop();
  await world?.stop();
});

const target = (security: MailServer['security']): MailServer => ({
  ...world.senders[0]!.smtp,
  security,
  port: security === 'ssl' ? exim.ports.tls : exim.ports.starttls,
});
const copies = (id: string) => exim.messages().filter((raw) => raw.includes(`<${id}@sender.test>`));

/** Exim delivers in the background: wait for it, for a minute at most. */
async function arrived(id: string): Promise<Buffer[]> {
  for (let tries = 0; tries < 1200 && copies(id).length === 0; tries++) await pause(50);
  return copies(id);
}

test('both kinds of TLS, and a body that arrives as it was', async () => {
  const body = ['.', '..', '.hidden', '', 'ä€😀', 'x'.repeat(990), '.', ''].join('\r\n');
  for (const security of ['ssl', 'starttls'] as const) {
    const session = await login(world, target(security));
    assert.equal(session.sizeLimit, EXIM_SIZE_LIMIT);
    await send(session, 'sam@people.test', note(`body-${security}`, body));
    await session.close();
    const [raw = Buffer.alloc(0), ...more] = await arrived(`body-${security}`);
    assert.equal(more.length, 0);
    assert.ok(raw.toString('utf8').endsWith(`\n\n${body.replaceAll('\r\n', '\n')}`), raw.toString('utf8'));
  }
});

test('a wrong password is refused for good', async () => {
  const answer = await doors([world.ca]).connectSmtp({ ...target('starttls'), credentials: { username: 'ann@sender.test', password: 'wrong' } });
  assert.ok('kind' in answer && answer.kind === 'refused', JSON.stringify(answer));
  assert.deepEqual([answer.phase, answer.permanent, answer.reply.code], ['auth', true, 535]);
});

test('an unknown recipient is refused, and the connection goes on', async () => {
  const session = await login(world, target('starttls'));
  const gone = await session.offer({ from: 'ann@sender.test', to: ['unknown@people.test'] }, note('gone'));
  assert.ok(gone.kind === 'refused', JSON.stringify(gone));
  assert.deepEqual([gone.phase, gone.permanent, gone.reply.code], ['rcpt', true, 550]);
  assert.equal(session.usable, true);
  await send(session, 'sam@people.test', note('after-gone'));
  await session.close();
  assert.deepEqual([(await arrived('after-gone')).length, copies('gone').length], [1, 0]);
});

test('a message over SIZE is refused, and the connection goes on', async () => {
  const session = await login(world, target('starttls'));
  const offered = await session.offer({ from: 'ann@sender.test', to: ['sam@people.test'] }, note('large', `${'x'.repeat(98)}\r\n`.repeat(2100)));
  assert.deepEqual([offered.kind, offered.kind === 'refused' && offered.reply.enhanced, session.usable], ['refused', '5.3.4', true]);
  await session.close();
});

test('what is held is not delivered, what is released is, and what is aborted never', async () => {
  const [keeping, giving] = await Promise.all([login(world, target('ssl')), login(world, target('starttls'))]);
  const kept = await hold(keeping, 'sam@people.test', note('held'));
  const aborted = await hold(giving, 'sam@people.test', note('aborted'));
  await pause(300);
  assert.deepEqual([copies('held').length, copies('aborted').length], [0, 0]);
  aborted.abort();
  assert.equal((await kept.release()).kind, 'accepted');
  await keeping.close();
  assert.equal((await arrived('held')).length, 1);
  await pause(300);
  assert.deepEqual([copies('held').length, copies('aborted').length], [1, 0]);
});

test('a server that says goodbye after so many messages is taken at its word', async (t) => {
  let session = await login(world, target('ssl'));
  let connections = 1;
  const started = performance.now();
  for (let index = 0; index < 80; index++) {
    const offered = await session.offer({ from: 'ann@sender.test', to: [`p${index}@people.test`] }, note(`many-${index}-of-80`));
    if (offered.kind === 'held') {
      assert.equal((await offered.release()).kind, 'accepted');
      continue;
    }
    assert.ok(offered.kind === 'refused' && !offered.permanent, JSON.stringify(offered));
    assert.equal(session.usable, false);
    await session.close();
    session = await login(world, target('ssl'));
    connections += 1;
    index -= 1;
  }
  t.diagnostic(`80 messages over ${connections} connections: ${Math.round(performance.now() - started)} ms`);
  await session.close();
  assert.equal(connections, 2);
  for (let index = 0; index < 80; index++) assert.equal((await arrived(`many-${index}-of-80`)).length, 1, `message ${index}`);
});

test('Exim’s own report of a refusal by the next server is a hard bounce of our message', async () => {
  const ann = world.senders[0]!;
  await watching(world, ann.imap, async ({ arrivals }) => {
    const session = await login(world, target('starttls'));
    await send(session, 'bounce-exim@people.test', note('bounced-by-exim'));
    await session.close();
    const [report] = await arrivals(1);
    const { kind, bounce } = verdictOf(await parseMessage(report!.source), { ownAddresses: [ann.email] });
    assert.deepEqual([kind, bounce?.type, bounce?.status, bounce?.recipients], ['bounce', 'hard', '5.1.1', ['bounce-exim@people.test']]);
    assert.equal(bounce?.originalMessageId, '<bounced-by-exim@sender.test>');
  });
});
