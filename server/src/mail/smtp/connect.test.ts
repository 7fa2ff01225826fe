import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { otherHostCert } from '#testing/certs/certs.ts';
import { systemClock } from '#platform/clock.ts';
import { egress } from '#platform/egress.ts';
import type { Action, ScriptPhase } from '#testing/smtp-server/index.ts';
import { ANN, type PairOptions, smtpPair } from '#testing/smtp-server/pair.ts';
import { smtpConnector } from './index.ts';

const TOKEN = 'ya29.a-token-that-nobody-may-see_0123456789';
const only = (phase: ScriptPhase, action: Action) => (moment: { phase: ScriptPhase }) => (moment.phase === phase ? action : undefined);

async function connected(t: Parameters<typeof smtpPair>[0], options: PairOptions) {
  const pair = await smtpPair(t, options);
  const answer = await pair.connect();
  if (!('kind' in answer)) t.after(() => answer.close());
  return { server: pair.server, answer, kind: 'kind' in answer ? answer.kind : 'session' };
}

test('a password logs in by PLAIN or LOGIN, a token by XOAUTH2', async (t) => {
  for (const security of ['ssl', 'starttls'] as const) {
    for (const mechanism of ['PLAIN', 'LOGIN']) {
      assert.equal((await connected(t, { security, offers: { auth: [mechanism] } })).kind, 'session', mechanism);
    }
    const token = { username: ANN.username, accessToken: TOKEN };
    assert.equal((await connected(t, { security, users: [token], credentials: token })).kind, 'session');
  }
});

test('a name of other letters logs in', async (t) => {
  const user = { username: 'jürgen@sender.test', password: 'pässwörd 雪' };
  for (const auth of [['PLAIN'], ['LOGIN']])
    assert.equal((await connected(t, { users: [user], credentials: user, offers: { auth } })).kind, 'session');
});

test('a wrong password or token is a permanent refusal', async (t) => {
  for (const credentials of [
    { ...ANN, password: 'wrong' },
    { username: ANN.username, accessToken: TOKEN },
  ]) {
    const { answer } = await connected(t, { credentials });
    assert.deepEqual(answer, {
      kind: 'refused',
      phase: 'auth',
      permanent: true,
      reply: { code: 535, enhanced: '5.7.8', text: 'authentication failed' },
    });
  }
});

test('a server with no login that we speak is a permanent refusal', async (t) => {
  for (const auth of [[], ['CRAM-MD5'], ['XOAUTH2']]) {
    const { answer, server } = await connected(t, { offers: { auth } });
    assert.deepEqual([('phase' in answer && answer.phase) || '', 'reply' in answer && answer.reply.enhanced], ['auth', '5.5.4']);
    assert.equal(server.counters.clearLogins, 0);
  }
});

test('no STARTTLS, no credentials', async (t) => {
  const { answer, server } = await connected(t, { offers: { startTls: false } });
  assert.deepEqual([('phase' in answer && answer.phase) || '', 'fault' in answer && answer.fault], ['starttls', 'tls']);
  assert.equal(server.counters.clearLogins, 0);
});

test('words injected before the handshake end the conversation', async (t) => {
  for (const extra of ['250 AUTH PLAIN\r\n', '25', '\n', '250-localhost\r\n250 AUTH PLAIN\r\n']) {
    const { answer, server } = await connected(t, { script: only('starttls', { kind: 'accept', extra }) });
    assert.equal(JSON.stringify([('phase' in answer && answer.phase) || '', 'fault' in answer && answer.fault]), '["starttls","protocol"]', extra);
    assert.equal(server.counters.clearLogins, 0);
  }
});

test('what was offered before TLS is forgotten', async (t) => {
  const script = ({ phase, connection }: { phase: ScriptPhase; connection: { secured: boolean } }) =>
    phase === 'ehlo' && !connection.secured
      ? ({ kind: 'raw', bytes: '250-x\r\n250-STARTTLS\r\n250-SIZE 5\r\n250 AUTH PLAIN\r\n' } as const)
      : undefined;
  const { answer } = await connected(t, { script });
  assert.equal('sizeLimit' in answer && answer.sizeLimit, 35_882_577);
});

test('a certificate of a stranger, or for another host, is not taken', async (t) => {
  for (const security of ['ssl', 'starttls'] as const) {
    for (const wrong of [{ trusted: [] }, { certificate: otherHostCert }, { host: '127.0.0.1', certificate: otherHostCert }]) {
      const { answer, server } = await connected(t, { security, ...wrong });
      const phase = security === 'ssl' ? 'connect' : 'starttls';
      assert.deepEqual([('phase' in answer && answer.phase) || '', 'fault' in answer && answer.fault], [phase, 'tls']);
      assert.equal(server.counters.clearLogins, 0);
    }
    assert.equal((await connected(t, { security, host: '127.0.0.1' })).kind, 'session');
  }
});

test('a server that repeats our login does not get it into what we keep', async (t) => {
  const token = { username: ANN.username, accessToken: TOKEN };
  for (const [credentials, auth] of [
    [ANN, ['PLAIN']],
    [ANN, ['LOGIN']],
    [token, ['XOAUTH2']],
  ] as const) {
    const secret = 'password' in credentials ? credentials.password : credentials.accessToken;
    const line = 'password' in credentials ? `\0${credentials.username}\0${secret}` : `user=${credentials.username}\x01auth=Bearer ${secret}\x01\x01`;
    const spellings = [secret, Buffer.from(secret).toString('base64'), Buffer.from(line).toString('base64')];
    for (const cut of [0, 1, 2, 5]) {
      // A shortened echo can only be of what was on the wire, and that is base64.
      const sent = cut ? spellings.slice(1) : spellings;
      const echoes = [...sent, ...sent.map((one) => one.toUpperCase())].map((one) => one.slice(0, one.length - cut));
      for (const echo of cut ? echoes.filter((one) => one.length > 30) : echoes) {
        const script = only('auth', { kind: 'reply', code: 535, text: `5.7.8 no: AUTH ${echo} is bad` });
        const { answer } = await connected(t, { security: 'ssl', credentials, offers: { auth }, script });
        assert.equal(JSON.stringify(answer).toLowerCase().includes(echo.slice(0, 24).toLowerCase()), false, JSON.stringify(answer));
        assert.match(JSON.stringify(answer), /is bad/);
      }
    }
  }
});

test('credentials and names that would end a line are a bug, and no connection is made', async (t) => {
  const bad = [
    { ...ANN, username: 'a\r\nb' },
    { ...ANN, password: 'a\nb' },
    { ...ANN, password: 'a\0b' },
    { username: 'a', accessToken: 'b\x01c' },
  ];
  for (const credentials of bad) {
    const { server, connect } = await smtpPair(t, { credentials });
    await assert.rejects(connect(), /control character/);
    assert.equal(server.counters.connections, 0);
  }
  const clock = systemClock();
  assert.throws(() => smtpConnector({ egress: egress({ allowPrivate: true, extraCa: [] }, clock), clock, clientName: 'a\r\nb' }), /client name/);
});

test('nobody there, a forbidden address, a server that says nothing', async () => {
  const clock = systemClock();
  const silent = createServer((socket) => socket.on('error', () => undefined).resume());
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  // Short where nothing will come, patient elsewhere: a busy machine is no silent server.
  const fault = async (allowPrivate: boolean, security: 'ssl' | 'starttls', hasty: 'connect' | 'banner' | null = null) => {
    const open = smtpConnector({
      egress: egress({ allowPrivate, extraCa: [] }, clock),
      clock,
      clientName: 'x',
      deadlines: hasty === null ? {} : { [hasty]: 60 },
    });
    const answer = await open({ host: '127.0.0.1', port, security, credentials: ANN });
    return 'fault' in answer ? [answer.phase, answer.fault] : answer;
  };
  assert.deepEqual(await fault(false, 'ssl'), ['connect', 'blocked_address']);
  assert.deepEqual(await fault(true, 'ssl', 'connect'), ['connect', 'timeout']);
  assert.deepEqual(await fault(true, 'starttls', 'banner'), ['banner', 'timeout']);
  await new Promise((resolve) => silent.close(resolve));
  assert.deepEqual(await fault(true, 'starttls'), ['connect', 'refused']);
});
