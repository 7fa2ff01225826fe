import assert from 'node:assert/strict';
import { test } from 'node:test';
import { momentsOf } from './killer.ts';
import { csvOf, expectedDeliveries, habitsOf, peopleOf } from './people.ts';

test('the same seed gives the same list and habits, another one others; addresses are lower-case, ASCII and each one’s own', () => {
  const people = peopleOf(300, 1);
  assert.deepEqual(people, peopleOf(300, 1));
  assert.notDeepEqual(people, peopleOf(300, 2));
  assert.equal(new Set(people.map((one) => one.email)).size, 300);
  for (const { email } of people) assert.match(email, /^[a-z]+\.[a-z]+\d+@company\d+\.test$/);
  const habits = habitsOf(people, 1);
  assert.equal([...habits.values()].filter((habit) => habit === 'refused').length, 1);
  assert.ok(new Set(habits.values()).size === 7);
  for (const { email } of people.slice(0, 120)) assert.notEqual(habits.get(email), 'hard_bounce');
  assert.ok(expectedDeliveries(habits) > 700 && expectedDeliveries(habits) < 900);
});

test('the file is awkward in each of the promised ways', () => {
  const { csv, emails } = csvOf(peopleOf(300, 1));
  assert.equal(emails.length, 312);
  for (const part of ['\ufeffEmail,', '"Müller; Partner GmbH"', '"Two Line\nHolding"', '"""Best"" Bakery"', 'François', '\r\n', 'two@@signs.test']) {
    assert.ok(csv.includes(part), part);
  }
  assert.equal(emails.filter((email) => email !== '' && email === email.toUpperCase()).length, 5);
});

test('the moments of the kills: as many as asked for, rising, within the job', () => {
  for (const seed of [1, 2, 3]) {
    const moments = momentsOf(10, 800, seed);
    assert.deepEqual(
      moments,
      [...moments].sort((a, b) => a - b),
    );
    assert.ok(moments.length === 10 && moments[0]! >= 1 && moments.at(-1)! < 800 * 0.93);
  }
  assert.deepEqual(momentsOf(0, 800, 1), []);
});
