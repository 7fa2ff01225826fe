import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemRandom } from './random.ts';
import { secretBox } from './secretbox.ts';

const keyOf = (id: string, fill: number) => ({ id, key: Buffer.alloc(32, fill) });
const box = secretBox([keyOf('k1', 1)], systemRandom);
const CONTEXT = ['wsp_1', 'inb_1', 'smtp_password'];

test('what was sealed opens, in its own context, and shows nothing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => text.isWellFormed()),
      fc.array(fc.string()),
      (plain, context) => {
        const sealed = box.seal(plain, context);
        assert.equal(box.open(sealed, context), plain);
        assert.notEqual(sealed, box.seal(plain, context));
        if (plain.length > 8) assert.ok(!sealed.includes(plain));
      },
    ),
  );
});

test('moved to another row or field it does not open', () => {
  const sealed = box.seal('secret', CONTEXT);
  const others = [
    ['wsp_1', 'inb_1', 'imap_password'],
    ['wsp_1', 'inb_2', 'smtp_password'],
    ['wsp_2', 'inb_1', 'smtp_password'],
    ['wsp_1', 'smtp_password', 'inb_1'],
    ['wsp_1inb_1', 'smtp_password'],
    [...CONTEXT, ''],
    [],
  ];
  for (const context of others) assert.throws(() => box.open(sealed, context), /./, context.join());
});

test('whatever is changed in a sealed text, it does not open', () => {
  const sealed = box.seal('a password of some length', CONTEXT);
  const flipped = (text: string, at: number) => `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
  const parts = sealed.split('.');
  for (const part of [2, 3, 4]) {
    const changed = parts.map((text, i) => (i === part ? flipped(text, 0) : text)).join('.');
    assert.throws(() => box.open(changed, CONTEXT), /./, changed);
  }
  const shortTag = parts.map((text, i) => (i === 3 ? text.slice(0, 6) : text)).join('.');
  for (const bad of [
    '',
    'x',
    'v2.k1.a.b.c',
    'v1.k1',
    shortTag,
    sealed.slice(0, -4),
    parts.slice(0, 4).join('.'),
    `v1.k2.${parts.slice(2).join('.')}`,
  ]) {
    assert.throws(() => box.open(bad, CONTEXT), /./, bad);
  }
});

test('after a rotation the old key opens and the new one seals', () => {
  const old = box.seal('secret', CONTEXT);
  const rotated = secretBox([keyOf('k2', 2), keyOf('k1', 1)], systemRandom);
  assert.equal(rotated.open(old, CONTEXT), 'secret');
  const fresh = rotated.seal('secret', CONTEXT);
  assert.match(fresh, /^v1\.k2\./);
  assert.throws(() => box.open(fresh, CONTEXT), /k2 is not known/);
  assert.throws(() => secretBox([keyOf('k1', 9)], systemRandom).open(old, CONTEXT));
});

test('a key of the wrong length, or none, is refused at once', () => {
  assert.throws(() => secretBox([], systemRandom));
  assert.throws(() => secretBox([keyOf('k1', 1), { id: 'k2', key: Buffer.alloc(31) }], systemRandom), /k2 has 31 bytes/);
});
