import assert from 'node:assert/strict';
import { test } from 'node:test';
import nodemailer from 'nodemailer';
import { testCa } from '../certs/certs.ts';
import { type AcceptedMessage, type SmtpServerOptions, startSmtpServer } from './index.ts';

const ANN = { username: 'ann@sender.test', password: 'correct horse 42' };

async function mailer(options: Partial<SmtpServerOptions>, auth = { user: ANN.username, pass: ANN.password }) {
  const server = await startSmtpServer({ security: 'starttls', users: [ANN], ...options });
  const secure = options.security === 'ssl';
  const transport = nodemailer.createTransport({ host: 'localhost', port: server.port, secure, requireTLS: !secure, auth, tls: { ca: [testCa] } });
  return { server, transport };
}

// The oracle: a client that was not written by us is content with the server, and the server reads what that client meant.
for (const security of ['ssl', 'starttls'] as const) {
  for (const auth of ['PLAIN', 'LOGIN']) {
    test(`nodemailer sends over ${security} with AUTH ${auth}`, async () => {
      const seen: AcceptedMessage[] = [];
      const { server, transport } = await mailer({ security, offers: { auth: [auth] }, onAccepted: (message) => void seen.push(message) });
      const text = `.\n..dots\n.\n\nGrüße ${'x'.repeat(300)}\n`;
      const info = await transport.sendMail({ from: 'ann@sender.test', to: ['bob@there.test', 'cy@there.test'], subject: 'Hi', text });
      transport.close();
      await server.close();
      assert.deepEqual(info.accepted, ['bob@there.test', 'cy@there.test']);
      const [taken] = server.ledger;
      assert.deepEqual([taken?.login, taken?.mailFrom, taken?.rcptTo], [ANN.username, 'ann@sender.test', ['bob@there.test', 'cy@there.test']]);
      assert.equal(taken?.messageId, info.messageId);
      assert.match(taken?.raw.toString() ?? '', /\r\n\r\n\.\r\n\.\.dots\r\n\.\r\n/);
      assert.deepEqual(seen, server.ledger);
      assert.deepEqual([server.counters.connections, server.counters.dots, server.counters.clearLogins], [1, 1, 0]);
    });
  }
}

test('nodemailer sees a wrong password, a refused recipient and a dot that stays unanswered', async () => {
  const wrong = await mailer({}, { user: ANN.username, pass: 'wrong' });
  await assert.rejects(wrong.transport.verify(), { responseCode: 535 });
  await wrong.server.close();

  const { server, transport } = await mailer({
    script: ({ phase, recipient }) => {
      if (phase === 'rcpt' && recipient === 'no@there.test') return { kind: 'reply', code: 550, text: '5.1.1 nobody' };
      return phase === 'dot' ? { kind: 'drop', accepted: true } : undefined;
    },
  });
  await assert.rejects(transport.sendMail({ from: 'a@b.test', to: 'no@there.test', text: 'x' }), { responseCode: 550 });
  assert.equal(server.ledger.length, 0);
  await assert.rejects(transport.sendMail({ from: 'a@b.test', to: 'yes@there.test', text: 'x' }));
  assert.equal(server.ledger.length, 1);
  await server.close();
});

test('a script can be exchanged, and the ledger can leave the bytes out', async () => {
  const { server, transport } = await mailer({ keepRaw: false, script: () => ({ kind: 'reply', code: 421, text: 'later' }) });
  await assert.rejects(transport.sendMail({ from: 'a@b.test', to: 'c@d.test', text: 'x' }));
  server.follow(undefined);
  await transport.sendMail({ from: 'a@b.test', to: 'c@d.test', text: 'x', messageId: '<kept@b.test>' });
  assert.deepEqual([server.ledger.length, server.ledger[0]?.raw.length, server.ledger[0]?.messageId], [1, 0, '<kept@b.test>']);
  transport.close();
  await server.close();
});
