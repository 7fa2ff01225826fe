import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from './clock.ts';
import { PREFIXES, isId, newId } from './ids.ts';
import { seeded } from './random.ts';

const means = { clock: systemClock(), random: seeded(1) };
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** The 128 bits of an id, read back independently. */
function bitsOf(id: string): bigint {
  const text = id.slice(id.indexOf('_') + 1);
  return [...text].reduce((sum, character) => sum * 32n + BigInt(ALPHABET.indexOf(character)), 0n);
}

test('an id is a prefix and a UUIDv7 in base32, and sorts by its instant', () => {
  const instant = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, instant, fc.constantFrom(...PREFIXES), (a, b, prefix) => {
      const [one, other] = [newId(means, prefix, a), newId(means, prefix, b)];
      assert.ok(isId(one, prefix), one);
      assert.equal(one.length, prefix.length + 27);
      const bits = bitsOf(one);
      assert.equal(Number(bits >> 80n), a.getTime());
      assert.equal((bits >> 76n) & 15n, 7n);
      assert.equal((bits >> 62n) & 3n, 2n);
      if (a < b) assert.ok(one < other);
    }),
  );
});

test('a thousand ids of one instant are all different, and a seed tells them again', () => {
  const at = new Date('2030-01-07T09:00:00Z');
  const draw = () => {
    const own = { clock: systemClock(), random: seeded(5) };
    return Array.from({ length: 1000 }, () => newId(own, 'con', at));
  };
  assert.equal(new Set(draw()).size, 1000);
  assert.deepEqual(draw(), draw());
});

test('what is no id of the prefix', () => {
  const good = 'con_01jd0000000000000000000000';
  assert.ok(isId(good, 'con'));
  const bad = [
    '',
    'con',
    'con_',
    'cmp_01jd0000000000000000000000',
    'con_01jd000000000000000000000',
    `${good}0`,
    `${good}\n`,
    ` ${good}`,
    good.toUpperCase(),
    'con_81jd0000000000000000000000',
    ...[...'ilou-_ é\0'].map((character) => `con_01jd000000000000000000000${character}`),
    `con_${good}`,
  ];
  for (const text of bad) assert.equal(isId(text, 'con'), false, JSON.stringify(text));
});
