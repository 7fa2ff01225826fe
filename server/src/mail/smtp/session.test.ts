import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#platform/clock.ts';
import type { HeldMessage, SmtpSession } from '../mail.ts';
import type { Script } from '#testing/smtp-server/index.ts';
import { smtpPair } from '#testing/smtp-server/pair.ts';
import { socketsRead, until } from '#testing/until.ts';

const ENVELOPE = { from: 'ann@sender.test', to: ['bob@there.test'] };
const message = (name = 'one') => Buffer.from(`Message-ID: <${name}@sender.test>\r\n\r\n.\r\n..\r\nHello.\r\n`);

async function hold(session: SmtpSession, bytes = message(), envelope: { from: string; to: string[] } = ENVELOPE): Promise<HeldMessage> {
  const offered = await session.offer(envelope, bytes);
  assert.equal(offered.kind, 'held', JSON.stringify(offered));
  return offered as HeldMessage;
}

test('the server has all of a held message but the dot', async (t) => {
  const { server, session } = await smtpPair(t);
  const held = await hold(await session());
  const stuffed = message().length + 2;
  await until(() => server.counters.bodyBytes === stuffed);
  await socketsRead();
  assert.deepEqual([server.counters.dots, server.counters.bodyBytes, server.ledger.length], [0, stuffed, 0]);
  assert.equal((await held.release()).kind, 'accepted');
  assert.deepEqual([server.counters.dots, server.counters.bodyBytes], [1, stuffed + 3]);
  assert.deepEqual(server.ledger[0]?.raw, message());
});

test('an aborted message is never accepted, and its handle is spent', async (t) => {
  const { server, session } = await smtpPair(t);
  const one = await session();
  const held = await hold(one);
  held.abort();
  held.abort();
  assert.equal(one.usable, false);
  assert.throws(() => held.release(), /aborted/);
  await socketsRead();
  assert.deepEqual([server.counters.dots, server.ledger.length], [0, 0]);
});

test('one connection carries message after message, and a spent handle cannot touch the next one', async (t) => {
  const { server, session } = await smtpPair(t);
  const one = await session();
  const first = await hold(one, message('first'));
  assert.equal(one.usable, false, 'one message at a time');
  await assert.rejects(one.offer(ENVELOPE, message('between')), /busy/);
  assert.equal((await first.release()).kind, 'accepted');
  const second = await hold(one, message('second'));
  assert.throws(() => first.release(), /twice/);
  first.abort();
  assert.equal((await second.release()).kind, 'accepted');
  assert.deepEqual(
    server.ledger.map((taken) => [taken.sequence, taken.connection, taken.messageId]),
    [
      [1, 1, '<first@sender.test>'],
      [2, 1, '<second@sender.test>'],
    ],
  );
});

test('an empty message and one without a last line end go through', async (t) => {
  const { server, session } = await smtpPair(t);
  const one = await session();
  for (const text of ['', 'a']) assert.equal((await (await hold(one, Buffer.from(text))).release()).kind, 'accepted');
  assert.deepEqual(
    server.ledger.map((taken) => taken.raw.toString()),
    ['', 'a\r\n'],
  );
});

for (const pipelining of [true, false]) {
  test(`one refused recipient refuses the message, and the connection goes on (${pipelining ? 'pipelined' : 'in turn'})`, async (t) => {
    const script: Script = ({ phase, recipient }) =>
      phase === 'rcpt' && recipient === 'no@there.test' ? { kind: 'reply', code: 550, text: '5.1.1 nobody' } : undefined;
    const { server, session } = await smtpPair(t, { script, offers: { pipelining } });
    const one = await session();
    for (const to of [['no@there.test'], ['no@there.test', 'yes@there.test'], ['yes@there.test', 'no@there.test']]) {
      const offered = await one.offer({ from: 'ann@sender.test', to }, message());
      const reply = { code: 550, enhanced: '5.1.1', text: 'nobody' };
      assert.deepEqual(offered, { kind: 'refused', phase: 'rcpt', permanent: true, reply, ...(to.length > 1 && { recipient: 'no@there.test' }) });
      // With pipelining the server asks for the message of a half refused envelope: then only closing is safe.
      if (!one.usable) break;
    }
    assert.equal(one.usable, !pipelining);
    const next = await session();
    assert.equal((await (await hold(next)).release()).kind, 'accepted');
    assert.deepEqual(
      server.ledger.map((taken) => taken.rcptTo),
      [['bob@there.test']],
    );
    assert.equal(server.counters.dots, 1);
  });
}

test('a server that wants a message although it refused the only recipient gets none', async (t) => {
  const script: Script = ({ phase }) => (phase === 'rcpt' ? { kind: 'reply', code: 450 } : phase === 'data' ? { kind: 'accept' } : undefined);
  const { server, session } = await smtpPair(t, { script });
  const one = await session();
  const offered = await one.offer(ENVELOPE, message());
  assert.deepEqual([offered.kind, 'phase' in offered && offered.phase, one.usable], ['refused', 'rcpt', false]);
  await socketsRead();
  assert.deepEqual([server.counters.dots, server.counters.bodyBytes], [0, 0]);
});

test('a reset that is refused ends the connection, and the refusal stands', async (t) => {
  const script: Script = ({ phase }) =>
    phase === 'mail' ? { kind: 'reply', code: 451 } : phase === 'rset' ? { kind: 'reply', code: 502 } : undefined;
  const { session } = await smtpPair(t, { script });
  const one = await session();
  const offered = await one.offer(ENVELOPE, message());
  assert.deepEqual([offered.kind, 'phase' in offered && offered.phase, one.usable], ['refused', 'mail', false]);
});

test('421, a close or a reset between messages makes the session unusable and harms nothing else', async (t) => {
  for (const [how, kind] of [
    ['421', 'refused'],
    ['close', 'broken'],
    ['reset', 'broken'],
    ['chatter', 'broken'],
  ] as const) {
    const { server, session } = await smtpPair(t);
    const one = await session();
    assert.equal((await (await hold(one)).release()).kind, 'accepted');
    if (how === '421') server.interject('421 4.3.2 going down\r\n');
    else if (how === 'chatter') server.interject('250 by the way\r\n');
    else server.drop(how === 'reset');
    await until(() => !one.usable);
    const offered = await one.offer(ENVELOPE, message());
    assert.deepEqual([offered.kind, 'phase' in offered && offered.phase], [kind, 'mail'], how);
    await one.close();
  }
});

test('a 421 in the packet of the last verdict does not change that verdict', async (t) => {
  const { session } = await smtpPair(t, { script: ({ phase }) => (phase === 'dot' ? { kind: 'accept', extra: '421 4.3.2 bye\r\n' } : undefined) });
  const one = await session();
  assert.equal((await (await hold(one)).release()).kind, 'accepted');
  assert.equal(one.usable, false);
});

test('a connection lost while a message is held: nothing was written, and so nothing accepted', async (t) => {
  for (const reset of [false, true]) {
    const { server, session } = await smtpPair(t);
    const held = await hold(await session());
    server.drop(reset);
    await socketsRead();
    const ending = await held.release();
    assert.equal(ending.kind, 'unwritten');
    assert.match('detail' in ending ? ending.detail : '', /before the final dot/);
    assert.equal(server.counters.dots, 0);
  }
});

test('closing while a message is held aborts it', async (t) => {
  const { server, session } = await smtpPair(t);
  const one = await session();
  const held = await hold(one);
  await one.close();
  assert.equal((await held.release()).kind, 'unwritten');
  assert.equal(server.counters.dots, 0);
});

test('closing says QUIT, waits briefly, and never throws', async (t) => {
  const phases: string[] = [];
  const script: Script = ({ phase }) => {
    phases.push(phase);
    return phase === 'quit' ? { kind: 'hang' } : undefined;
  };
  const { session } = await smtpPair(t, { script, deadlines: { quit: 50 } });
  const one = await session();
  await one.close();
  await one.close();
  await until(() => phases.includes('quit'));
  await socketsRead();
  assert.equal(phases.filter((phase) => phase === 'quit').length, 1);
  assert.equal(one.usable, false);
});

test('a message over SIZE is refused without a word to the server', async (t) => {
  const asked: string[] = [];
  const { session } = await smtpPair(t, { offers: { size: 100 }, script: ({ phase }) => void asked.push(phase) });
  const one = await session();
  assert.equal(one.sizeLimit, 100);
  const offered = await one.offer(ENVELOPE, Buffer.from(`${'x'.repeat(99)}\r\n`));
  assert.deepEqual([offered.kind, 'reply' in offered && offered.reply.enhanced, one.usable], ['refused', '5.3.4', true]);
  assert.ok(!asked.includes('mail'));
  assert.equal((await (await hold(one, Buffer.from(`${'x'.repeat(98)}\r\n`))).release()).kind, 'accepted');
});

test('no SIZE, no limit', async (t) => {
  for (const size of [null, 0]) assert.equal((await (await smtpPair(t, { offers: { size } })).session()).sizeLimit, null);
});

test('an address that is not ASCII needs SMTPUTF8', async (t) => {
  const envelope = { from: 'ann@sender.test', to: ['jürgen@there.test'] };
  const plain = await (await smtpPair(t, { offers: { smtpUtf8: false } })).session();
  const offered = await plain.offer(envelope, message());
  assert.deepEqual([offered.kind, 'reply' in offered && offered.reply.enhanced, plain.usable], ['refused', '5.6.7', true]);
  const { server, session } = await smtpPair(t);
  assert.equal((await (await hold(await session(), message(), envelope)).release()).kind, 'accepted');
  assert.deepEqual(server.ledger[0]?.rcptTo, ['jürgen@there.test']);
});

test('an address that would leave its brackets is never written', async (t) => {
  const asked: string[] = [];
  const { session } = await smtpPair(t, { script: ({ phase }) => void asked.push(phase) });
  const one = await session();
  for (const bad of ['a\r\nRCPT TO:<x@y.test>', 'a\nb', 'a\0b', 'a> SIZE=1', '<a', 'a b@c.test', '\x7f']) {
    await assert.rejects(one.offer({ from: bad, to: ['b@c.test'] }, message()), /address/, bad);
    await assert.rejects(one.offer({ from: 'a@b.test', to: ['b@c.test', bad] }, message()), /address/, bad);
  }
  await assert.rejects(one.offer({ from: 'a@b.test', to: [] }, message()), /recipient/);
  await assert.rejects(one.offer(ENVELOPE, Buffer.from('a\n.\nb')), /bare/);
  assert.ok(!asked.includes('mail'));
  assert.equal(one.usable, true);
});

test('the total deadline cuts a server that is slow at every step', async (t) => {
  for (const pipelining of [true, false]) {
    // Each answer comes within its own deadline, and with each there passes a time that is told, not waited for.
    let passed = 0;
    const real = systemClock();
    const clock = { ...real, monotonic: () => real.monotonic() + passed };
    const script: Script = ({ phase }) => {
      if (phase !== 'rcpt') return undefined;
      passed += 10_000;
      return { kind: 'accept', delayMs: 1 };
    };
    const { session } = await smtpPair(t, { script, offers: { pipelining }, clientClock: clock, deadlines: { total: 300_000 } });
    const one = await session();
    const to = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@there.test`);
    const soonEnough = await hold(one, message(), { from: 'ann@sender.test', to: to(20) });
    assert.equal((await soonEnough.release()).kind, 'accepted');
    const offered = await one.offer({ from: 'ann@sender.test', to: to(50) }, message());
    assert.deepEqual([offered.kind, 'fault' in offered && offered.fault], ['broken', 'timeout']);
  }
});
