import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BodyReader } from '#testing/smtp-server/body.ts';
import { wireBody } from './dot-stuffing.ts';

const byte = fc.integer({ min: 0, max: 255 }).filter((value) => value !== 10 && value !== 13);
// Dots are what it is about, so most bytes are one.
const line = fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(46) }, { weight: 1, arbitrary: byte }), { maxLength: 6 });
const CRLF = Buffer.from('\r\n');

/** The message of these lines, each with its line end. */
const messageOf = (lines: number[][]) => Buffer.concat(lines.flatMap((one) => [Buffer.from(one), CRLF]));

test('any lines come out of the wire as they went in, and only the final dot ends them', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 6 }), (lines, cuts) => {
      const message = messageOf(lines);
      const { bytes, eightBit } = wireBody(message);
      assert.equal(
        eightBit,
        message.some((value) => value > 127),
      );
      const wire = Buffer.concat([bytes, Buffer.from('.\r\nNOOP\r\n')]);
      const edges = [0, ...cuts.map((cut) => cut % bytes.length || 0).sort((a, b) => a - b), bytes.length];
      const reader = new BodyReader();
      for (const [index, end] of edges.slice(1).entries()) assert.equal(reader.push(wire.subarray(edges[index], end)), null);
      const found = reader.push(wire.subarray(bytes.length));
      assert.deepEqual(found && { raw: found.raw.toString('hex'), rest: found.rest.toString() }, { raw: message.toString('hex'), rest: 'NOOP\r\n' });
    }),
  );
});

test('a last line without end gets one', () => {
  assert.equal(wireBody(Buffer.from('a\r\n.b')).bytes.toString(), 'a\r\n..b\r\n');
  assert.equal(wireBody(Buffer.from('a')).bytes.toString(), 'a\r\n');
});

test('a message without dots is not copied', () => {
  const message = Buffer.from('a.b\r\nc.\r\n');
  assert.equal(wireBody(message).bytes, message);
});

test('a CR or LF that stands alone is a bug upstream, and never sent', () => {
  for (const text of ['\n', 'a\n.\r\nb', 'a\rb\r\n', 'a\r', 'a\r\r\n', '\r', 'x\r\n\n', '\n.\n']) {
    assert.throws(() => wireBody(Buffer.from(text)), /bare CR/, JSON.stringify(text));
  }
});
