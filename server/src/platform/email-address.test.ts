import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailKey, isEmail } from './email-address.ts';
import { costOf } from '#testing/cost.ts';

const label = 'a'.repeat(63);

test('addresses that mail can be sent to', () => {
  const good = [
    'a@b.co',
    'ann.lee+tag@sub.example.com',
    "o'neil@example.com",
    'x!#$%&*/=?^_`{|}~-@example.com',
    'ann@xn--bcher-kva.example',
    'ann@bücher.example',
    'jürgen@example.com',
    '用户@例子.公司',
    '1@2.3com',
    `${'a'.repeat(64)}@example.com`,
    `a@${label}.${label}.${label}.${'a'.repeat(61)}`,
  ];
  for (const text of good) assert.equal(isEmail(text), true, text);
});

test('what is refused', () => {
  const bad = [
    ...['', '@', 'a', 'a@', '@b.co', 'a@b', 'a@@b.co', 'a@b@c.co', 'a@.co', 'a@b.', 'a@b..co', '.a@b.co', 'a.@b.co', 'a..b@b.co'],
    ...['a b@c.co', 'a@b c.co', ' a@b.co', 'a@b.co ', 'a\n@b.co', 'a@b.co\r\nBcc: x@y.zz', 'a\0@b.co', 'a\t@b.co', 'a@b.co\0'],
    ...['"a@evil"@good.com', '"a b"@c.co', '<a@b.co>', 'Ann <a@b.co>', 'a@b.co,c@d.co', 'a@b.co;c@d.co', 'a(x)@b.co', 'a\\b@c.co'],
    ...['a@[127.0.0.1]', 'a@127.0.0.1', 'a@b.123', 'a@-b.co', 'a@b-.co', 'a@b_c.co', 'a@b.co/x', 'a@b.co:25', 'mailto:a@b.co'],
    ...['a\ud800@b.co', 'a@\udc00.co', 'a\u200b@b.co', 'a\u202e@b.co', 'a@b\u200d.co', '\ufeffa@b.co', 'a\u00a0@b.co', 'a\u2028@b.co'],
    ...[`${'a'.repeat(65)}@b.co`, `${'ü'.repeat(33)}@b.co`, `a@${'a'.repeat(64)}.co`, `a@${label}.${label}.${label}.${label}.co`],
    `${'a'.repeat(400)}@b.co`,
    ...['a@xn--ä.com', 'a@aא.com', 'a@١a.com', 'a@a.bא'],
  ];
  for (const text of bad) assert.equal(isEmail(text), false, JSON.stringify(text));
});

test('a long text is judged quickly', async () => {
  const judge = () => {
    for (const text of [`${'a.'.repeat(50_000)}@b.co`, `a@${'b.'.repeat(50_000)}`, 'a@'.repeat(50_000), `a@${'-'.repeat(100_000)}`]) {
      assert.equal(isEmail(text), false);
    }
  };
  assert.ok((await costOf(judge)) < 5);
});

test('the key is trimmed and lower-cased, and the key of a key is itself', () => {
  assert.equal(emailKey('  Ann@Example.COM\n'), 'ann@example.com');
  for (const text of ['JÜRGEN@Example.com', 'İ@x.co', 'ẞ@x.co', 'Σ@x.co']) assert.equal(emailKey(emailKey(text)), emailKey(text), text);
});
