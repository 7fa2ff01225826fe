import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ReplyParser, printable, refused, replyOf } from './replies.ts';

function parse(text: string | Buffer, cuts: number[] = []) {
  const parser = new ReplyParser();
  const bytes = Buffer.from(text);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const replies = edges.slice(1).flatMap((end, index) => parser.push(bytes.subarray(edges[index], end)));
  return { replies, problem: parser.problem, settled: parser.settled };
}

test('replies are found however the stream is cut', () => {
  const line = fc.string({ unit: fc.constantFrom('a', ' ', 'é', '-', '2', '雪'), maxLength: 12 });
  const reply = fc.record(
    { code: fc.integer({ min: 200, max: 599 }), lines: fc.array(line, { minLength: 1, maxLength: 4 }) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 8 }), fc.constantFrom('\r\n', '\n'), (wanted, cuts, newline) => {
      const text = wanted
        .map(({ code, lines }) => lines.map((one, index) => `${code}${index < lines.length - 1 ? '-' : ' '}${one}${newline}`).join(''))
        .join('');
      assert.deepEqual(parse(text, cuts), { replies: wanted, problem: null, settled: true });
    }),
  );
});

test('a code alone is a reply, and half a reply is not settled', () => {
  assert.deepEqual(parse('250\r\n').replies, [{ code: 250, lines: [''] }]);
  for (const half of ['2', '250-one\r\n', '250 one']) assert.equal(parse(half).settled, false, half);
});

test('what is no reply is a problem, and what came before it stands', () => {
  for (const text of ['HTTP/1.1 400\r\n', '\r\n', '25 ok\r\n', '250ok\r\n', '650 no\r\n', '150 no\r\n', '250-a\r\n251 b\r\n', '\x16\x03\x01\n']) {
    const { replies, problem } = parse(`220 hi\r\n${text}220 more\r\n`);
    assert.equal(replies.length, 1, JSON.stringify(text));
    assert.notEqual(problem, null, JSON.stringify(text));
  }
});

test('lines and replies are bounded, with and without an end in sight', () => {
  assert.equal(parse(`250 ${'x'.repeat(4091)}\r\n`).problem, null);
  assert.match(parse(`250 ${'x'.repeat(4100)}\r\n`).problem ?? '', /longer than 4096/);
  assert.match(parse(`250 ${'x'.repeat(4100)}`, [100, 2000]).problem ?? '', /longer than 4096/);
  assert.match(parse(`250-${'x'.repeat(1000)}\r\n`.repeat(70)).problem ?? '', /longer than 65536/);
  assert.equal(parse(`250-${'x'.repeat(1000)}\r\n`.repeat(60)).problem, null);
});

test('an enhanced status is taken out when its class agrees with the code', () => {
  assert.deepEqual(replyOf({ code: 550, lines: ['5.1.1 No such', '5.1.1 person'] }), { code: 550, enhanced: '5.1.1', text: 'No such person' });
  assert.deepEqual(replyOf({ code: 250, lines: ['5.1.1 odd'] }), { code: 250, enhanced: null, text: '5.1.1 odd' });
  assert.deepEqual(replyOf({ code: 450, lines: ['4.2.1'] }), { code: 450, enhanced: '4.2.1', text: '' });
  assert.equal(replyOf({ code: 550, lines: ['5.1.1234 x'] }).enhanced, null);
});

test('a server cannot put control characters or endless words into our rows', () => {
  assert.equal(printable('a\x1b[31mb\0\u202ec\u0085\r\n'), 'a[31mbc');
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 800 }), (text) => {
      const clean = printable(text);
      assert.ok(clean.length <= 500 && clean.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(clean));
    }),
  );
});

test('redaction comes before the cut, so that no half of a secret survives it', () => {
  const secret = 'sesame'.repeat(4);
  const { reply } = refused('auth', { code: 535, lines: [`${'x'.repeat(490)}${secret}`] }, (line) => line.replace(secret, '*'));
  assert.equal(reply.text, `${'x'.repeat(490)}*`);
});
