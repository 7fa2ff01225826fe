import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import { systemClock } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { logTo } from '#platform/log.ts';
import { seeded } from '#platform/random.ts';
import { Refusal } from '#platform/refusal.ts';
import { freshDatabase } from '#testing/database.ts';
import { connect, rowsOf } from './db.ts';
import { type PageParams, page } from './page.ts';

type Marks = { marks: { id: string; created_at: Date } };
const means = { clock: systemClock(), random: seeded(3) };
const START = Date.parse('2030-01-07T09:00:00Z');
let database: Awaited<ReturnType<typeof freshDatabase>>;
let db: Kysely<Marks>;
before(async () => {
  database = await freshDatabase();
  const house = connect(database.url, { log: logTo('silent'), max: 4 });
  await rowsOf(house, 'create unlogged table marks (id text collate "C" primary key, created_at timestamptz not null)', []);
  db = house as unknown as Kysely<Marks>;
});
after(async () => {
  await db.destroy();
  await database.drop();
});

const rowAt = (at: number) => ({ id: newId(means, 'evt', new Date(at)), created_at: new Date(at) });
async function putAt(...times: number[]): Promise<string[]> {
  const rows = times.map((ms) => rowAt(START + ms));
  if (rows.length) await db.insertInto('marks').values(rows).execute();
  return rows.map((row) => row.id);
}
const byId = (id: string) => db.selectFrom('marks').selectAll().where('id', '=', id).executeTakeFirst();
const turn = (params: PageParams) => page(db.selectFrom('marks').selectAll(), params, 'evt', byId);
const clear = () => db.deleteFrom('marks').execute();

type Change = { insert: number[]; remove: number };

/** Walk from one end to the other with these limits, over and over, while a change is made between every two pages. */
async function walk(
  direction: 'forward' | 'backward',
  from: string | undefined,
  limits: number[],
  changes: Change[],
  own: Set<string>,
): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor = from, round = 0; ; round++) {
    const at = cursor === undefined ? {} : direction === 'forward' ? { starting_after: cursor } : { ending_before: cursor };
    const { rows, hasMore, nextCursor, prevCursor } = await turn({ limit: limits[round % limits.length]!, ...at });
    seen.push(...(direction === 'forward' ? rows : rows.toReversed()).map((row) => row.id));
    assert.equal(direction === 'forward' ? nextCursor === null : prevCursor === null, !hasMore);
    if (!hasMore) return seen;
    cursor = (direction === 'forward' ? nextCursor : prevCursor)!;
    const change = changes[round % Math.max(1, changes.length)];
    if (!change) continue;
    await putAt(...change.insert);
    // Rows of others go, the very one that the cursor stands on among them.
    const gone = rows
      .map((row) => row.id)
      .filter((id) => !own.has(id))
      .slice(0, change.remove);
    if (gone.length) await db.deleteFrom('marks').where('id', 'in', gone).execute();
  }
}

const instant = fc.integer({ min: 0, max: 12 });
const change = fc.record({ insert: fc.array(instant, { maxLength: 3 }), remove: fc.nat(2) });

test('a row that exists throughout a walk is met exactly once, in order, both ways, whatever comes and goes', async () => {
  const limits = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
  const property = fc.asyncProperty(
    fc.array(instant, { minLength: 1, maxLength: 25 }),
    limits,
    fc.array(change, { maxLength: 6 }),
    async (times, sizes, changes) => {
      await clear();
      const own = new Set(await putAt(...times));
      await putAt(0, 5, 12);
      const inOrder = (await turn({ limit: 100 })).rows.map((row) => row.id).filter((id) => own.has(id));
      // Where rows are put in behind the walker's back without end, only a bounded number of changes lets it arrive.
      const there = await walk('forward', undefined, sizes, changes.slice(0, 4), own);
      assert.deepEqual(
        there.filter((id) => own.has(id)),
        inOrder,
      );
      assert.equal(new Set(there).size, there.length);
      const [last] = inOrder.slice(-1);
      const back = await walk('backward', last, sizes, changes.slice(0, 4), own);
      assert.deepEqual(
        back.filter((id) => own.has(id)),
        inOrder.slice(0, -1).toReversed(),
      );
      assert.equal(new Set(back).size, back.length);
    },
  );
  await fc.assert(property, { numRuns: 25, endOnFailure: true });
});

test('rows inserted side by side with a walk do not disturb it', async () => {
  await clear();
  const own = await putAt(...Array.from({ length: 60 }, (_, i) => i));
  let walking = true;
  const writers = [0, 1].map(async (offset) => {
    for (let i = 0; walking && i < 60; i++) await putAt((i * 7 + offset) % 60, -1 - i, 61 + i);
  });
  const seen = await walk('forward', undefined, [3, 1, 5], [], new Set());
  walking = false;
  await Promise.all(writers);
  const counts = own.map((id) => seen.filter((one) => one === id).length);
  assert.deepEqual(new Set(counts), new Set([1]));
});

test('the ends: the first page has no way back, the last no way on, and turning back gives the same rows', async () => {
  await clear();
  const ids = (await putAt(1, 2, 3, 4, 5)).reverse();
  const shown = ({ rows }: Awaited<ReturnType<typeof turn>>) => rows.map((row) => row.id);
  const first = await turn({ limit: 2 });
  assert.deepEqual([shown(first), first.hasMore, first.prevCursor], [ids.slice(0, 2), true, null]);
  const second = await turn({ limit: 2, starting_after: first.nextCursor! });
  const third = await turn({ limit: 2, starting_after: second.nextCursor! });
  assert.deepEqual([shown(third), third.hasMore, third.nextCursor], [ids.slice(4), false, null]);
  const again = await turn({ limit: 2, ending_before: third.prevCursor! });
  assert.deepEqual([shown(again), again.hasMore], [ids.slice(2, 4), true]);
  const start = await turn({ limit: 2, ending_before: again.prevCursor! });
  assert.deepEqual([shown(start), start.hasMore, start.prevCursor], [ids.slice(0, 2), false, null]);
  assert.deepEqual(shown(await turn({ limit: 2, starting_after: start.nextCursor! })), ids.slice(2, 4));
  assert.deepEqual(shown(await turn({ limit: 9, starting_after: ids[1]! })), ids.slice(2));
  assert.deepEqual(shown(await turn({ limit: 9, ending_before: ids[1]! })), ids.slice(0, 1));
  await clear();
  assert.deepEqual(await turn({ limit: 2 }), { rows: [], hasMore: false, nextCursor: null, prevCursor: null });
});

test('a cursor outlives the row that it stands on, an id does not', async () => {
  await clear();
  const [third, second, first] = (await putAt(3, 2, 1)) as [string, string, string];
  const { nextCursor } = await turn({ limit: 2 });
  await db.deleteFrom('marks').where('id', '=', second).execute();
  assert.deepEqual(
    (await turn({ limit: 2, starting_after: nextCursor! })).rows.map((row) => row.id),
    [first],
  );
  await assert.rejects(turn({ limit: 2, starting_after: second }), Refusal);
  assert.deepEqual(
    (await turn({ limit: 5 })).rows.map((row) => row.id),
    [third, first],
  );
});

test('what is no cursor of this list', async () => {
  await clear();
  const [id] = (await putAt(1, 2)) as [string, string];
  const { nextCursor } = await turn({ limit: 1 });
  const spelt = (text: string) => Buffer.from(text).toString('base64url');
  const bad = [
    ...['', 'x', 'null', ' ', '\0', 'é', 'a'.repeat(500), id.toUpperCase(), `${id} `, 'evt_', newId(means, 'evt'), newId(means, 'snd')],
    ...[`${nextCursor}=`, `${nextCursor}!`, ` ${nextCursor}`, nextCursor!.slice(0, -2), `${nextCursor}AA`, nextCursor!.toUpperCase()],
    ...[`1|${newId(means, 'snd')}`, '1|evt_x', '|', `-1|${id}`, `1e3|${id}`, `999999999999999|${id}`, `1|${id}|1`, `1|${id}\n`, `NaN|${id}`].map(
      spelt,
    ),
  ];
  for (const cursor of bad) {
    for (const param of ['starting_after', 'ending_before'] as const) {
      await assert.rejects(
        turn({ limit: 1, [param]: cursor }),
        (error) => error instanceof Refusal && error.code === 'invalid_cursor' && error.details.param === param,
        JSON.stringify(cursor),
      );
    }
  }
  const both = turn({ limit: 1, starting_after: nextCursor!, ending_before: nextCursor! });
  await assert.rejects(both, (error) => error instanceof Refusal && error.code === 'invalid_cursor' && error.details.param === 'ending_before');
  for (const time of ['0', '99999999999999']) await turn({ limit: 1, starting_after: spelt(`${time}|${id}`) });
});
