// Every list that is mounted: walked both ways while rows come and go, and asked for what it cannot give.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { type Hand, handOf, lineOf, listingOf, send } from '#testing/operations.ts';
import type { Route } from '#web/route.ts';
import { allRoutes } from './all-routes.ts';

type Page = { data: { id: string }[]; has_more: boolean; next_cursor: string | null; prev_cursor: string | null };

let h: House;
let secret: string;
let foreign: string;
let hand: Hand;
before(async () => {
  h = await house();
  secret = await h.secretFor({ autoConfirm: true });
  foreign = await h.secretFor({ workspace: 'two', autoConfirm: true });
  hand = handOf(h.app, secret);
});
after(() => h.close());

type Shape = Record<string, { safeParse(value: unknown): { success: boolean } }>;
const queryOf = ({ spec }: Route) => (spec.query as unknown as { shape: Shape } | undefined)?.shape ?? {};
const LISTS = allRoutes.filter((route) => route.method === 'GET' && 'starting_after' in queryOf(route));

const get = (url: string, query: Record<string, string | number>, key = secret) =>
  send(
    h.app,
    { method: 'GET', url: `${url}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()}` },
    key,
  );
const pageOf = async (url: string, query: Record<string, string | number>, key = secret) => {
  const answer = await get(url, query, key);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<Page>();
};
const idsOf = (page: Page) => page.data.map(({ id }) => id);

async function refused(url: string, query: string, param: string, code = 'invalid_parameter') {
  const answer = await send(h.app, { method: 'GET', url: `${url}?${query}` }, secret);
  const { error } = answer.json<{ error: { code: string; param: string } }>();
  assert.deepEqual([answer.statusCode, error.code, error.param], [400, code, param], `${url}?${query}`);
}

/** All that is listed, newest first. */
const whole = async (url: string) => {
  const ids: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: Page = await pageOf(url, { limit: 100, ...(after && { starting_after: after }) });
    ids.push(...idsOf(page));
    after = page.next_cursor;
  }
  return ids;
};

test('there are lists', () => assert.ok(LISTS.length >= 10));

for (const route of LISTS) {
  const line = lineOf(route);

  test(`${line}: what is there throughout is met once, in order, both ways, whatever comes and goes`, async () => {
    const { url, table, add, growsBehind } = await listingOf(route, hand);
    // Some share their instant: then the id decides.
    for (let i = 0; i < 9; i++) {
      if (i % 3 === 0) h.tick(1_000);
      await add();
    }
    const all = await whole(url);
    assert.ok(all.length >= 9);
    const doomed = table === null ? [] : [all[1]!, all[4]!, all[5]!];
    const remove = (id: string) => rowsOf(h.db, `delete from ${table} where id = $1`, [id]);
    const staying = all.filter((id) => !doomed.includes(id));
    const met = (ids: string[]) => ids.filter((id) => staying.includes(id));
    const gone = [...doomed];

    const forwards: string[] = [];
    let page = await pageOf(url, { limit: 2 });
    assert.equal(page.prev_cursor, null);
    for (;;) {
      forwards.push(...idsOf(page));
      h.tick(1);
      await add();
      if (gone.length) await remove(gone.shift()!);
      if (!page.has_more) break;
      page = await pageOf(url, { limit: 2, starting_after: page.next_cursor! });
    }
    assert.equal(page.next_cursor, null);
    assert.deepEqual(met(forwards), staying);
    assert.equal(new Set(forwards).size, forwards.length);

    const backwards = idsOf(page);
    for (let more = true; more;) {
      page = await pageOf(url, { limit: 2, ending_before: page.prev_cursor ?? backwards[0]! });
      more = page.has_more;
      backwards.unshift(...idsOf(page));
      assert.ok(page.next_cursor !== null || page.data.length === 0);
    }
    assert.deepEqual(met(backwards), staying);
    if (!growsBehind) assert.deepEqual(backwards, await whole(url), 'and what has come since lies before it');
  });

  test(`${line}: a cursor outlives its row, and no other text is one`, async () => {
    const { url, table, add } = await listingOf(route, hand);
    for (let i = 0; i < 4; i++) await add();
    const [first, second, third] = await whole(url);
    const { next_cursor: cursor } = await pageOf(url, { limit: 2 });
    assert.deepEqual(idsOf(await pageOf(url, { limit: 1, starting_after: second! })), [third], 'the id of a listed row is a cursor');
    assert.deepEqual(idsOf(await pageOf(url, { limit: 1, ending_before: second! })), [first]);
    const flipped = `${cursor!.slice(0, 5)}${cursor![5] === 'A' ? 'B' : 'A'}${cursor!.slice(6)}`;
    const others = LISTS.filter((one) => !one.path.includes('{') && one.path !== url);
    const otherCursors = await Promise.all(others.map(async ({ path }) => (await pageOf(path, { limit: 1 })).next_cursor));
    const noCursors = [
      '',
      'x',
      '%',
      "' or 1=1--",
      `${cursor}=`,
      `${cursor}A`,
      cursor!.slice(0, -1),
      'null',
      '0',
      Buffer.from('1|x').toString('base64url'),
    ];
    for (const text of [...noCursors, ...otherCursors.filter((one) => one !== null), second!.slice(0, -1), second!.toUpperCase()]) {
      for (const param of ['starting_after', 'ending_before']) await refused(url, `${param}=${encodeURIComponent(text)}`, param, 'invalid_cursor');
    }
    assert.ok([200, 400].includes((await get(url, { starting_after: flipped })).statusCode));
    await refused(url, `starting_after=${cursor}&ending_before=${cursor}`, 'ending_before', 'invalid_cursor');
    if (table === null) return;
    await rowsOf(h.db, `delete from ${table} where id = $1`, [second]);
    assert.deepEqual(idsOf(await pageOf(url, { limit: 1, starting_after: cursor! })), [third]);
    await refused(url, `starting_after=${second}`, 'starting_after', 'invalid_cursor');
  });

  test(`${line}: another workspace's cursor opens nothing`, async () => {
    if (route.path.includes('{')) return assert.equal((await get((await listingOf(route, hand)).url, {}, foreign)).statusCode, 404);
    const [theirs] = [handOf(h.app, foreign)];
    const { add } = await listingOf(route, theirs);
    for (let i = 0; i < 3; i++) await add();
    const page = await pageOf(route.path, { limit: 1 }, foreign);
    await refused(route.path, `starting_after=${page.data[0]!.id}`, 'starting_after', 'invalid_cursor');
    const own = new Set(await whole(route.path));
    for (const id of idsOf(await pageOf(route.path, { starting_after: page.next_cursor!, limit: 100 }))) assert.ok(own.has(id));
  });

  test(`${line}: limits, names and filters that do not fit are named; each may be given once`, async () => {
    const { url } = await listingOf(route, hand);
    for (const limit of ['0', '-1', '1e9', 'abc', '1,2', '101', '1000000000', '', '1.5', '%201', '0x10', '+5'])
      await refused(url, `limit=${limit}`, 'limit');
    const shape = queryOf(route);
    for (const name of Object.keys(shape)) {
      await refused(url, `${name}=1&${name}=1`, name);
      await refused(url, `${name}=%00`, name);
      await refused(url, `${name}[]=1`, `${name}[]`);
      // A filter of a fixed set takes no other word; one of free text finds nothing.
      const strange = "';--";
      if (name === 'starting_after' || name === 'ending_before') continue;
      if (shape[name]!.safeParse(strange).success) assert.deepEqual(idsOf(await pageOf(url, { [name]: strange })), []);
      else await refused(url, `${name}=${encodeURIComponent(strange)}`, name);
      for (const text of ['', 'x'.repeat(10_000), '%_\\', '(a+)+$']) assert.ok([200, 400].includes((await get(url, { [name]: text })).statusCode));
    }
    for (const name of ['lmit', 'offset', '__proto__', 'constructor', 'Limit']) await refused(url, `${name}=1`, name);
  });
}
