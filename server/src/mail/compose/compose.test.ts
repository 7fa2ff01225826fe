import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import PostalMime, { type Email } from 'postal-mime';
import { BadLetter } from './bad-letter.ts';
import { compose, type Letter } from './compose.ts';
import { encodeText } from './transfer.ts';

const BASE: Letter = {
  messageId: '<1@northwind.example>',
  date: new Date('2026-01-02T03:04:05Z'),
  from: { email: 'dana@northwind.example' },
  to: [{ email: 'sam@contoso.example' }],
  subject: 'Hello',
  text: 'Hi',
  html: null,
  seed: 'seed',
};

const ODD = [
  'é',
  'ß',
  '漢',
  '字',
  'ツ',
  '😀',
  '👩‍👩‍👧',
  'ש',
  'ل',
  '\u202e',
  'e\u0301',
  '\u00a0',
  '=?UTF-8?Q?x?=',
  '=',
  '?',
  '_',
  '"',
  '\\',
  ',',
  ';',
  '<',
  '>',
  '@',
  '(',
  ')',
  ':',
  '.',
  "'",
];
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD) },
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }).map((text) => text.replace(/[\p{Cc}\ufeff]/gu, 'c')) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(80), 'y'.repeat(1100), ' ', '  ', 'Ü'.repeat(70)) },
);
const line = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
/** Without what looks like an encoded-word: nodemailer lets it pass, and postal-mime reads one even in a file name. */
const unencoded = line.filter((text) => !text.includes('=?'));
const bodyText = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: line },
      { weight: 2, arbitrary: fc.constantFrom('\n', '\r\n', '\n\n', '.', '..', 'From x', ' \n', '\t\n', '.\n', '\nFrom me\n') },
    ),
    { maxLength: 10 },
  )
  .map((pieces) => pieces.join(''));

async function read(message: Buffer): Promise<Email> {
  return PostalMime.parse(message, { attachmentEncoding: 'base64' });
}

function assertWireSafe(message: Buffer, width = 998): void {
  const text = message.toString('latin1');
  assert.doesNotMatch(text, /[\x80-\xff]/);
  assert.ok(text.endsWith('\r\n'));
  assert.doesNotMatch(text, /[^\r]\n|\r[^\n]/);
  for (const one of text.split('\r\n')) assert.ok(one.length <= width, `${one.length}: ${one}`);
}

describe('compose, read back by postal-mime', () => {
  test('keeps bodies, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(bodyText, bodyText, async (text, html) => {
        const message = compose({ ...BASE, text, html });
        assertWireSafe(message, 78);
        const email = await read(message);
        // The reader adds a line end to a quoted-printable text, not to a base64 one.
        const asRead = (body: string) => lines(body) + (encodeText(body).encoding === 'base64' ? '' : '\n');
        assert.equal(lines(email.text ?? ''), asRead(text));
        assert.equal(lines(email.html ?? ''), asRead(html));
      }),
      { numRuns: 400 },
    );
  });

  test('keeps subjects and names, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(line, line, line, async (subject, name, other) => {
        const message = compose({
          ...BASE,
          subject,
          from: { email: 'dana@northwind.example', name },
          to: [
            { email: 'a@b.example', name: other },
            { email: 'c@d.example', name },
          ],
        });
        assertWireSafe(message, 76);
        const email = await read(message);
        assert.equal(email.subject ?? '', subject.toWellFormed());
        const shown = (text: string) => (text.trim() === '' ? '' : text.toWellFormed().trim());
        assert.equal(email.from?.name.trim(), shown(name));
        assert.deepEqual(
          email.to?.map(({ name: read, address }) => [read.trim(), address]),
          [
            [shown(other), 'a@b.example'],
            [shown(name), 'c@d.example'],
          ],
        );
      }),
      { numRuns: 500 },
    );
  });

  test('agrees with nodemailer', async () => {
    await fc.assert(
      fc.asyncProperty(unencoded, unencoded, bodyText, bodyText, async (subject, name, text, html) => {
        const mine = await read(compose({ ...BASE, subject, from: { email: 'dana@northwind.example', name }, text, html: `<p>${html}` }));
        const { date, messageId } = BASE;
        const composer = new MailComposer({
          date,
          messageId,
          from: { address: 'dana@northwind.example', name },
          to: 'sam@contoso.example',
          subject,
          text: text || ' ',
          html: `<p>${html}`,
        });
        const theirs = await read(await composer.compile().build());
        assert.equal(loose(mine.subject), loose(theirs.subject));
        assert.equal(loose(mine.from?.name), loose(theirs.from?.name));
        assert.deepEqual([mine.from?.address, mine.to, mine.messageId, mine.date], [theirs.from?.address, theirs.to, theirs.messageId, theirs.date]);
        assert.equal(loose(mine.text), loose(theirs.text));
        assert.equal(loose(mine.html), loose(theirs.html));
      }),
      { numRuns: 200 },
    );
  });

  test('keeps attachments and their names', async () => {
    const file = fc.record({ filename: unencoded.filter((name) => name.trim() === name && name !== ''), content: fc.uint8Array({ maxLength: 300 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async (files) => {
        const attachments = files.map(({ filename, content }) => ({
          filename,
          contentType: 'application/octet-stream',
          content: Buffer.from(content),
        }));
        const message = compose({ ...BASE, attachments });
        assertWireSafe(message, 76);
        const email = await read(message);
        assert.deepEqual(
          email.attachments.map(({ filename, content }) => [filename, content]),
          attachments.map(({ filename, content }) => [filename.toWellFormed(), content.toString('base64')]),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('puts an embedded image beside the HTML that cites it', async () => {
    const attachments = [
      { filename: 'logo.png', contentType: 'image/png', content: Buffer.from('png'), contentId: 'logo@x' },
      { filename: 'terms.pdf', contentType: 'application/pdf', content: Buffer.from('pdf') },
    ];
    const message = compose({ ...BASE, html: '<img src="cid:logo@x">', attachments });
    const types = message.toString().match(/multipart\/\w+|text\/\w+|image\/\w+|application\/\w+/g);
    assert.deepEqual(types, [
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'multipart/related',
      'text/html',
      'text/html',
      'image/png',
      'application/pdf',
    ]);
    const email = await read(message);
    assert.deepEqual(
      email.attachments.map((one) => one.contentId),
      ['<logo@x>', undefined],
    );
  });

  test('threads by In-Reply-To and folded References', async () => {
    const references = Array.from({ length: 30 }, (_, i) => `<${'r'.repeat(i * 4)}${i}@contoso.example>`);
    const message = compose({ ...BASE, inReplyTo: '<29@contoso.example>', references });
    const email = await read(message);
    assert.equal(email.inReplyTo, '<29@contoso.example>');
    assert.equal(email.references, references.join(' '));
    assert.ok(!message.includes('References:\r\n'));
  });
});

/** As every reader shows it: line feeds alone, lone surrogates replaced. */
const lines = (text: string) => text.toWellFormed().replace(/\r\n|\r/g, '\n');
const loose = (text: string | undefined) => (text ?? '').toWellFormed().replace(/\s+/g, ' ').trim();

describe('compose', () => {
  test('the same letter gives the same bytes, another seed another boundary', () => {
    const letter = { ...BASE, html: '<p>Hi</p>' };
    assert.deepEqual(compose(letter), compose(structuredClone(letter)));
    assert.notDeepEqual(compose(letter), compose({ ...letter, seed: 'other' }));
  });

  test('never writes Bcc, not even as a further header', () => {
    const letter = { ...BASE, bcc: [{ email: 'hidden@contoso.example' }] };
    assert.ok(!compose(letter).includes('hidden'));
    for (const name of ['Bcc', 'bcc', 'Resent-Bcc', 'To', 'Content-Type', 'X-Bad:', 'X Bad', '']) {
      assert.throws(() => compose({ ...BASE, headers: [{ name, value: 'x' }] }), BadLetter, name);
    }
  });

  test('control characters in a header throw', () => {
    const controls = ['\r\nBcc: x@y.example', '\n', '\r', '\0', '\t', '\x1b', '\x7f', '\x85'];
    for (const bad of controls.flatMap((control) => [control, `a${control}`, `${control}é`, `"${control}"`])) {
      const letters: Partial<Letter>[] = [
        { subject: bad },
        { from: { email: 'a@b.example', name: bad } },
        { from: { email: `a${bad}@b.example` } },
        { to: [{ email: `a@b.example${bad}` }] },
        { cc: [{ email: 'a@b.example', name: bad }] },
        { replyTo: { email: 'a@b.example', name: bad } },
        { messageId: `<a${bad}@b>` },
        { inReplyTo: `<a@b>${bad}` },
        { references: ['<a@b>', bad] },
        { headers: [{ name: 'X-A', value: bad }] },
        { headers: [{ name: 'List-Id', value: bad }] },
        { headers: [{ name: `X-A${bad}`, value: 'a' }] },
        { attachments: [{ filename: bad, contentType: 'text/plain', content: Buffer.alloc(0) }] },
        { attachments: [{ filename: 'a', contentType: `text/plain${bad}`, content: Buffer.alloc(0) }] },
        { attachments: [{ filename: 'a', contentType: 'text/plain', content: Buffer.alloc(0), contentId: `a${bad}` }], html: '' },
      ];
      for (const letter of letters) assert.throws(() => compose({ ...BASE, ...letter }), BadLetter, JSON.stringify(letter));
    }
  });

  test('addresses: IDNA domains, UTF-8 local parts, nothing that is two things', async () => {
    const to = (email: string) => compose({ ...BASE, to: [{ email }] }).toString();
    assert.match(to('info@bücher.example'), /^To: info@xn--bcher-kva\.example\r$/m);
    assert.match(to('rené@bücher.example'), /^To: rené@xn--bcher-kva\.example\r$/m);
    assert.match(to('"a b"@contoso.example'), /^To: "a b"@contoso\.example\r$/m);
    for (const bad of [
      '',
      '@',
      'a',
      'a@',
      '@b',
      'a@b@c',
      'a b@c.d',
      'a@b c',
      'a@b,c@d',
      '<a@b>',
      'a@b>',
      'a..b@c',
      '.a@b',
      'a@-',
      'a@b..c',
      'a@b.',
      '"a"b@c',
      'a@[1.2.3.4]',
      '\ud800@b',
    ]) {
      assert.throws(() => to(bad), BadLetter, bad);
    }
  });

  test('further headers keep a long address whole and refuse a line that no server takes', () => {
    const value = `<https://northwind.example/${'u'.repeat(200)}>`;
    assert.ok(compose({ ...BASE, headers: [{ name: 'List-Unsubscribe', value }] }).includes(`List-Unsubscribe: ${value}\r\n`));
    assert.throws(() => compose({ ...BASE, headers: [{ name: 'List-Unsubscribe', value: 'u'.repeat(1000) }] }), BadLetter);
    assert.throws(() => compose({ ...BASE, headers: [{ name: 'List-Id', value: 'é <a.b>' }] }), BadLetter);
    assert.ok(compose({ ...BASE, headers: [{ name: 'X-Note', value: 'é' }] }).includes('X-Note: =?UTF-8?'));
  });

  test('what cannot be written throws', () => {
    assert.throws(() => compose({ ...BASE, to: [] }), BadLetter);
    assert.throws(() => compose({ ...BASE, date: new Date(Number.NaN) }), BadLetter);
    for (const contentType of ['', 'text', 'text/', 'message/rfc822', 'multipart/mixed', 'text/plain; x', 'text/plain;\r\n x=y']) {
      assert.throws(() => compose({ ...BASE, attachments: [{ filename: 'a', contentType, content: Buffer.alloc(0) }] }), BadLetter, contentType);
    }
  });

  test('writes the date of RFC 5322 and a stable order', () => {
    const names = compose({
      ...BASE,
      cc: BASE.to,
      replyTo: BASE.from,
      inReplyTo: '<a@b>',
      references: ['<a@b>'],
      headers: [{ name: 'X-A', value: 'b' }],
    })
      .toString()
      .match(/^[\w-]+(?=:)/gm);
    assert.deepEqual(names, [
      'Date',
      'From',
      'Reply-To',
      'To',
      'Cc',
      'Subject',
      'Message-ID',
      'In-Reply-To',
      'References',
      'X-A',
      'MIME-Version',
      'Content-Type',
      'Content-Transfer-Encoding',
    ]);
    assert.ok(compose(BASE).includes('Date: Fri, 02 Jan 2026 03:04:05 +0000\r\n'));
  });
});
