import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseMessage } from '#mail/parse/parse-message.ts';
import { verdictOf } from '#mail/verdict/verdict.ts';
import { login, note, send } from './submission.ts';
import { watching } from './watch.ts';
import { type MailWorld, startMailWorld } from './world.ts';

let world: MailWorld;
before(async () => {
  world = await startMailWorld();
});
after(() => world?.stop());

/** Write to somebody, and judge the one message that comes back into Ann's mailbox. */
async function comingBack(to: string, id: string) {
  const ann = world.senders[0]!;
  return watching(world, ann.imap, async ({ arrivals }) => {
    const session = await login(world, ann.smtp);
    await send(session, to, note(id, 'Hello.\r\n', to));
    await session.close();
    const [stored, ...more] = await arrivals(1);
    assert.deepEqual([stored?.truncated, more.length], [false, 0]);
    const message = await parseMessage(stored!.source);
    return { message, verdict: verdictOf(message, { ownAddresses: world.senders.map((one) => one.email) }) };
  });
}

test('Postfix’s report of an unknown user at the next server is a hard bounce of our message', async () => {
  const { message, verdict } = await comingBack('bounce-me@people.test', 'to-nobody');
  assert.equal(message.reportType, 'delivery-status');
  assert.deepEqual([verdict.kind, verdict.rule], ['bounce', 'dsn.failed']);
  assert.deepEqual([verdict.bounce?.type, verdict.bounce?.status], ['hard', '5.1.1']);
  assert.deepEqual(verdict.bounce?.recipients, ['bounce-me@people.test']);
  assert.equal(verdict.bounce?.originalMessageId, '<to-nobody@sender.test>');
  assert.match(verdict.bounce?.diagnostic ?? '', /550 5\.1\.1 .*User unknown/);
});

test('a full mailbox at the next server is a bounce, and no hard one', async () => {
  const { verdict } = await comingBack('full-box@people.test', 'to-the-full');
  assert.deepEqual([verdict.kind, verdict.bounce?.status, verdict.bounce?.originalMessageId], ['bounce', '5.2.2', '<to-the-full@sender.test>']);
  assert.equal(verdict.bounce?.type, 'soft');
});

test('Sieve’s answer for somebody who is away is an automatic one to our message', async () => {
  const { message, verdict } = await comingBack('away@people.test', 'to-the-absent');
  assert.deepEqual([verdict.kind, verdict.rule], ['auto_reply', 'auto.header']);
  assert.deepEqual([message.from?.email, message.inReplyTo], ['away@people.test', '<to-the-absent@sender.test>']);
  assert.match(message.text, /away and read nothing before Monday/);
});

test('what a person answers is a reply, and comes from the person', async () => {
  const bob = world.senders[1]!;
  await watching(world, bob.imap, async ({ arrivals }) => {
    const head = 'From: Sam Okafor <sam@people.test>\r\nTo: bob@sender.test\r\nSubject: Re: Hello\r\nMessage-ID: <answer@people.test>';
    const answer = `${head}\r\nIn-Reply-To: <first@sender.test>\r\nReferences: <first@sender.test>\r\n\r\nYes, Thursday.\r\n`;
    await world.answerAs('sam@people.test', bob.email, Buffer.from(answer));
    const [stored] = await arrivals(1);
    const message = await parseMessage(stored!.source);
    assert.equal(verdictOf(message, { ownAddresses: [bob.email] }).kind, 'reply');
    assert.deepEqual([message.messageId, message.inReplyTo, message.from?.name], ['<answer@people.test>', '<first@sender.test>', 'Sam Okafor']);
  });
});
