import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawFor, seeded, systemRandom, wholeDrawFor } from './random.ts';

test('a draw belongs to its parts, for ever', () => {
  assert.equal(drawFor('gap', 'inb_1', 5), 0.9261469838675112);
  assert.notEqual(drawFor('ab', 'c'), drawFor('a', 'bc'));
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.integer())), (parts) => {
      const draw = drawFor(...parts);
      assert.ok(draw >= 0 && draw < 1);
      assert.equal(draw, drawFor(...parts));
    }),
  );
});

test('draws are even: twenty shelves of twenty thousand', () => {
  const shelves = Array<number>(20).fill(0);
  for (let i = 0; i < 20_000; i++) shelves[wholeDrawFor(0, 19, 'even', i)]!++;
  const chi = shelves.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  // 19 degrees of freedom: above 43.8 once in a thousand, and the draws are always the same.
  assert.ok(chi < 43.8, String(chi));
});

test('whole draws stay within their bounds, both of which occur', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1000 }), fc.nat(50), fc.string(), (min, width, part) => {
      const draw = wholeDrawFor(min, min + width, part);
      assert.ok(Number.isInteger(draw) && draw >= min && draw <= min + width);
    }),
  );
  const seen = new Set(Array.from({ length: 200 }, (_, i) => wholeDrawFor(1, 3, i)));
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    [1, 2, 3],
  );
});

test('a seed tells the same story, another one another', () => {
  const story = (seed: number) => {
    const random = seeded(seed);
    return [...random.bytes(64), random.u32()].join();
  };
  assert.equal(story(1), story(1));
  assert.equal(new Set([0, 1, 2, 3, 2 ** 31].map(story)).size, 5);
});

test('chance from the system is of the length asked for, and never twice the same', () => {
  assert.equal(systemRandom.bytes(32).length, 32);
  assert.notDeepEqual(systemRandom.bytes(32), systemRandom.bytes(32));
  assert.equal(new Set(Array.from({ length: 20 }, () => systemRandom.u32())).size > 18, true);
});
