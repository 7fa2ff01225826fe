import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { freshDatabase } from '#testing/database.ts';
import { parameter } from './parameter.ts';

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'NULL', 'null', '{}', 'a,b', '"', '\\', '\\"', ' '));
const date = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true });
const lists = fc.record(
  {
    texts: fc.array(fc.option(text)),
    dates: fc.array(fc.option(date)),
    numbers: fc.array(fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))),
    flags: fc.array(fc.option(fc.boolean())),
    at: date,
  },
  { noNullPrototype: true },
);

const database = await freshDatabase();
const client = new pg.Client({ connectionString: database.url });
await client.connect();
after(async () => {
  await client.end();
  await database.drop();
});

test('lists and dates arrive as they were', async () => {
  const asked = 'select $1::text[] as texts, $2::timestamptz[] as dates, $3::int[] as numbers, $4::boolean[] as flags, $5::timestamptz as at';
  await fc.assert(
    fc.asyncProperty(lists, async (given) => {
      const values = [given.texts, given.dates, given.numbers, given.flags, given.at].map(parameter);
      assert.ok(values.every((value) => typeof value === 'string'));
      assert.deepEqual((await client.query(asked, values)).rows[0], given);
    }),
    { numRuns: 300 },
  );
});

test('what is no list of plain values, and what is no ordinary date, is left to the driver', () => {
  for (const value of [
    null,
    'text',
    5,
    [[1]],
    [{ a: 1 }],
    [Buffer.from('a')],
    new Date('+010000-01-01T00:00:00Z'),
    [new Date('-000001-01-01T00:00:00Z')],
  ]) {
    assert.equal(parameter(value), value);
  }
});
