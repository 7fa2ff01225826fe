import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { malformed } from '#testing/persona/malformed.ts';
import { complaint, humanReply } from '#testing/persona/people.ts';
import { dsn } from '#testing/persona/servers.ts';
import { verdictOf } from '../verdict/verdict.ts';
import { field, type InboundMessage, ParseError } from './message.ts';
import { parseMessage } from './parse-message.ts';
import { plainText } from './plain-text.ts';
import { costOf } from '#testing/cost.ts';

const date = new Date('2026-03-02T10:00:00Z');
const HEAD = 'From: "Ann\x07  Lee" <Ann@Remote.test>\r\nTo: Me <ME@home.test>, group: a@b.test, c@d.test;\r\n';
const original = Buffer.from(`${HEAD}Message-ID: <one@home.test>\r\nSubject: Hello\r\n\r\nFirst line\r\n`);
const parse = (text: string) => parseMessage(Buffer.from(text));

test('a plain message', async () => {
  const message = await parse(
    `${HEAD}Message-ID: (comment) <id@remote.test>\r\nIn-Reply-To: Your mail of today <a@home.test> <b@home.test>\r\n` +
      'References: <r1@x>\r\n\t<r2@x> junk\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe=0D=0ABcc:_x?=\r\n' +
      'Date: Mon, 2 Mar 2026 10:00:00 +0100\r\n\r\nText\r\n',
  );
  assert.deepEqual(message.from, { email: 'ann@remote.test', name: 'Ann Lee' });
  assert.deepEqual(message.to, ['me@home.test', 'a@b.test', 'c@d.test']);
  assert.equal(message.messageId, '<id@remote.test>');
  assert.equal(message.inReplyTo, '<a@home.test>');
  assert.deepEqual(message.references, ['<r1@x>', '<r2@x>']);
  assert.equal(message.subject, 'Grüße Bcc: x');
  assert.equal(message.date?.toISOString(), '2026-03-02T09:00:00.000Z');
  assert.equal(message.text.trim(), 'Text');
  assert.deepEqual([message.reportType, message.deliveryStatus, message.originalHeaders, message.feedbackReport], [null, null, null, null]);
  assert.equal(message.truncated, false);
});

test('identifiers without brackets are given them, overlong ones are none', async () => {
  assert.equal((await parse(`${HEAD}Message-ID: bare@remote.test\r\n\r\n`)).messageId, '<bare@remote.test>');
  assert.equal((await parse(`${HEAD}Message-ID: not an id\r\n\r\n`)).messageId, null);
  assert.equal((await parseMessage(malformed['message-id of 10,000 letters'] ?? Buffer.alloc(0))).messageId, null);
});

test('HTML alone becomes text, without scripts and style', async () => {
  const message = await parse(
    `${HEAD}Content-Type: text/html; charset=utf-8\r\n\r\n<html><head><title>no</title></head><style>p{}</style>` +
      '<p>Yes&nbsp;&amp; no</p><script>x</script>&#252;<br>end',
  );
  assert.equal(message.text, 'Yes & no\nü\nend');
  assert.equal(plainText('<b>never <i closed'), 'never <i closed');
});

test('delivery and feedback reports keep their fields and the header they return', async () => {
  const bounce = await parseMessage(dsn({ original, recipient: 'x@y.test', date, status: '5.1.1', diagnostic: '550 5.1.1 no\r\n such user' }));
  assert.equal(bounce.reportType, 'delivery-status');
  assert.equal(field(bounce.deliveryStatus?.recipients[0] ?? null, 'diagnostic-code'), 'smtp; 550 5.1.1 no such user');
  assert.equal(field(bounce.deliveryStatus?.message ?? null, 'reporting-mta'), 'dns; mx.persona.test');
  assert.equal(field(bounce.originalHeaders, 'message-id'), '<one@home.test>');
  assert.ok(!bounce.text.includes('First line'), 'the returned message is no text of the report');
  const abuse = await parseMessage(complaint({ to: original, date }));
  assert.equal(field(abuse.feedbackReport, 'feedback-type'), 'abuse');
});

test('what cannot be followed is reduced to its header, and says so', async () => {
  for (const name of ['header of 1 MB', '100,000 header lines', '20,000 multiparts', 'depth of 150', 'a million empty lines']) {
    const message = await parseMessage(malformed[name] ?? Buffer.alloc(0));
    assert.deepEqual([message.subject, message.truncated], ['broken', true], name);
  }
});

test('what is no message is a ParseError', async () => {
  for (const text of ['', 'hello', '\r\n\r\n', '\0\0\0', 'a b\r\n\r\nFrom: x']) await assert.rejects(parse(text), ParseError, JSON.stringify(text));
});

test('every malformed message is read, quickly', async () => {
  for (const [name, raw] of Object.entries(malformed)) {
    const cost = await costOf(async () => assert.equal((await parseMessage(raw)).subject, 'broken', name));
    assert.ok(cost < 25, `${name}: ${cost}`);
  }
});

test('boundaries that are alike, times lines that might be one, stay quick', async () => {
  const alike = 'b'.repeat(100);
  const all = Array.from({ length: 5000 }, (_, n) => `--${alike}\r\nContent-Type: multipart/mixed; boundary=${alike}${n}\r\n\r\n`).join('');
  const raw = `${HEAD}Content-Type: multipart/mixed; boundary=${alike}\r\n\r\n${all}${`--${alike}x\r\n`.repeat(4900)}`;
  const cost = await costOf(async () => assert.ok((await parse(raw)).truncated));
  assert.ok(cost < 15, `${cost}`);
});

const seeds = [
  dsn({ original, recipient: 'x@y.test', date, status: '5.1.1', diagnostic: '550 no' }),
  complaint({ to: original, date }),
  humanReply({ to: original, from: 'ann@remote.test', text: 'Grüße', date }),
  ...Object.values(malformed).filter((raw) => raw.length < 5000),
];
type Edit = { at: number; cut: number; bytes: Uint8Array };
const edit = fc.record({
  at: fc.nat(4000),
  cut: fc.nat(40),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc
      .constantFrom('\r\n', '\n\n', '--b', 'boundary=b;', '=?utf-8?q?', ': ', '<', '>', '"', ';', '\0', 'Content-Type: message/rfc822\r\n\r\n')
      .map((text) => Buffer.from(text)),
  ),
});
const edited = (raw: Buffer, edits: Edit[]) =>
  edits.reduce(
    (bytes, { at, cut, bytes: put }) =>
      Buffer.concat([bytes.subarray(0, at % (bytes.length + 1)), put, bytes.subarray((at % (bytes.length + 1)) + cut)]),
    raw,
  );

test('mutated messages give a bounded message and a verdict, or a ParseError', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 12 }), async (raw, edits) => {
      let message: InboundMessage;
      try {
        message = await parseMessage(edited(raw, edits));
      } catch (error) {
        assert.ok(error instanceof ParseError, String(error));
        return;
      }
      for (const id of [message.messageId, message.inReplyTo, ...message.references]) assert.ok(id === null || /^<[^<>\s]{1,996}>$/.test(id));
      for (const line of [message.subject, message.from?.name ?? '', message.from?.email ?? '', ...message.to]) assert.doesNotMatch(line, /\p{Cc}/u);
      assert.ok(message.text.length <= 65_536 && !message.text.includes('\0'));
      assert.ok(verdictOf(message, { ownAddresses: [] }).rule);
    }),
    { numRuns: 1500, interruptAfterTimeLimit: 4000 },
  );
});
