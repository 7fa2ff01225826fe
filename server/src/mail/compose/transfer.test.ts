import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { encodedWords } from './encoded-word.ts';
import { encodeText, quotedPrintable } from './transfer.ts';

/** RFC 2045 section 6.7, read as plainly as it is written. */
function decodeQuoted(text: string): string {
  const bytes = text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const canonical = (text: string) => text.toWellFormed().replace(/\r\n|\r|\n/g, '\r\n');
const rough = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom('From ', '\nFrom ', ' ', '\t', '\r', '\n', '=', 'a'.repeat(74), 'é', '😀', '漢'.repeat(12), '\ud800'),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''));

describe('quoted-printable', () => {
  test('is text again when decoded, in lines that every mail system leaves alone', () => {
    fc.assert(
      fc.property(rough, (text) => {
        const encoded = quotedPrintable(Buffer.from(text)).toString('latin1');
        assert.equal(decodeQuoted(encoded), canonical(text));
        for (const line of encoded.split('\r\n')) {
          assert.ok(line.length <= 76, line);
          assert.match(line, /^[\t -~]*$/);
          assert.doesNotMatch(line, /[ \t]$|^From /);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('no soft break splits a character', () => {
    fc.assert(
      fc.property(rough, (text) => {
        const lines = quotedPrintable(Buffer.from(text))
          .toString('latin1')
          .split(/=?\r\n/);
        const characters = lines.map((line) => [...decodeQuoted(line)].length);
        // A split character would be read as more than one.
        assert.equal(
          characters.reduce((sum, count) => sum + count, 0),
          [...canonical(text).replaceAll('\r\n', '')].length,
        );
      }),
    );
  });

  test('a full line of 76 needs no soft break, one of 77 does', () => {
    assert.equal(quotedPrintable(Buffer.from(`${'a'.repeat(76)}\nb`)).toString(), `${'a'.repeat(76)}\r\nb`);
    assert.equal(quotedPrintable(Buffer.from('a'.repeat(77))).toString(), `${'a'.repeat(75)}=\r\naa`);
  });

  test('base64 where it is shorter', () => {
    assert.equal(encodeText('Plain words, one é.').encoding, 'quoted-printable');
    const packed = encodeText('漢字\n'.repeat(30));
    assert.equal(packed.encoding, 'base64');
    assert.equal(Buffer.from(packed.body.toString(), 'base64').toString(), '漢字\r\n'.repeat(30));
  });
});

describe('encoded-words', () => {
  test('are at most 75 characters, the first as long as it may be, and each decodes alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 120 }), fc.integer({ min: 24, max: 75 }), (text, room) => {
        const words = encodedWords(text, room);
        assert.ok((words[0] as string).length <= room);
        const decoded = words.map((word) => {
          assert.ok(word.length <= 75, word);
          const [, kind, body] = /^=\?UTF-8\?([BQ])\?([!->@-~]*)\?=$/.exec(word) as unknown as [string, string, string];
          return kind === 'B'
            ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(body, 'base64'))
            : decodeQuoted(body.replaceAll('_', ' '));
        });
        assert.equal(decoded.join(''), text.toWellFormed());
      }),
    );
  });

  test('B or Q, whichever is shorter', () => {
    assert.match(encodedWords('Mostly plain, but é')[0] as string, /\?Q\?/);
    assert.match(encodedWords('Привет')[0] as string, /\?B\?/);
  });
});
