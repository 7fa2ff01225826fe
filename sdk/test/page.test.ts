import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Page } from '../src/index.ts';
import { type Call, fakeClient, json, refusal } from './fake-fetch.ts';

const ALL = Array.from({ length: 7 }, (_, index) => ({ id: `con_${7 - index}` }));

/** Answers as the service does: newest first, pages of `limit`, the id as cursor. */
function listing({ url }: Call) {
  const limit = Number(url.searchParams.get('limit') ?? 3);
  const at = (name: string) => ALL.findIndex(({ id }) => id === url.searchParams.get(name));
  const [after, before] = [at('starting_after'), at('ending_before')];
  const isBackwards = before >= 0;
  const start = isBackwards ? Math.max(0, before - limit) : after + 1;
  const data = ALL.slice(start, isBackwards ? before : start + limit);
  const more = isBackwards ? start > 0 : start + limit < ALL.length;
  const next_cursor = (isBackwards || more) && data.length ? data.at(-1)?.id : null;
  const prev_cursor = (isBackwards ? more : after >= 0) && data.length ? data[0]?.id : null;
  return json({ object: 'list', data, has_more: more, next_cursor, prev_cursor });
}
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id).join(' ');

test('a list awaited is its first page, which turns both ways', async () => {
  const { client, calls } = fakeClient(listing);
  const first = await client.contacts.list({ q: 'x', limit: 3 });
  assert.ok(first instanceof Page);
  assert.equal(ids(first.data), 'con_7 con_6 con_5');
  assert.deepEqual([first.has_more, first.next_cursor, first.prev_cursor, first.lastResponse.status], [true, 'con_5', null, 200]);
  assert.equal(await first.prevPage(), null);
  const second = await first.nextPage();
  assert.equal(ids(second?.data ?? []), 'con_4 con_3 con_2');
  const third = await second?.nextPage();
  assert.equal(ids(third?.data ?? []), 'con_1');
  assert.equal(await third?.nextPage(), null);
  const back = await third?.prevPage();
  assert.equal(ids(back?.data ?? []), 'con_4 con_3 con_2');
  assert.equal(calls.at(-1)?.url.search, '?q=x&limit=3&ending_before=con_1');
  assert.equal(ids((await back?.nextPage())?.data ?? []), 'con_1');
  assert.ok(calls.every(({ url }) => url.searchParams.get('q') === 'x'));
  assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(first))), ['object', 'data', 'has_more', 'next_cursor', 'prev_cursor']);
});

test('iterated it is every item once, page after page as they are needed', async () => {
  const { client, calls } = fakeClient(listing);
  const seen: { id: string }[] = [];
  for await (const contact of client.contacts.list()) {
    if (seen.push(contact) === 4) assert.equal(calls.length, 2);
  }
  assert.equal(ids(seen), ids(ALL));
  assert.equal(calls.length, 3);
});

test('with ending_before the iteration goes back to the newest', async () => {
  const { client, calls } = fakeClient(listing);
  const seen: { id: string }[] = [];
  for await (const contact of client.contacts.list({ ending_before: 'con_1', limit: 4 })) seen.push(contact);
  assert.equal(ids(seen), 'con_2 con_3 con_4 con_5 con_6 con_7');
  assert.equal(calls.length, 2);
});

test('toArray gathers all, or the first so many and no page more', async () => {
  const { client, calls } = fakeClient(listing);
  assert.equal(ids(await client.contacts.list({ limit: 2 }).toArray()), ids(ALL));
  assert.equal(calls.length, 4);
  calls.length = 0;
  assert.equal(ids(await client.contacts.list().toArray({ limit: 3 })), 'con_7 con_6 con_5');
  assert.equal(calls.length, 1);
  assert.deepEqual(await client.contacts.list().toArray({ limit: 0 }), []);
});

test('a list without prev_cursor, such as the keys, has one page', async () => {
  const { client } = fakeClient(() => json({ object: 'list', data: [{ id: 'key_1' }], has_more: false, next_cursor: null }));
  const page = await client.apiKeys.list();
  assert.equal(page.prev_cursor, null);
  assert.equal(ids(await client.apiKeys.list().toArray()), 'key_1');
});

test('a page that fails ends the iteration with the error', async () => {
  const { client } = fakeClient((call, index) => (index === 0 ? listing(call) : refusal(400, 'invalid_request_error', 'invalid_cursor')));
  await assert.rejects(client.contacts.list().toArray(), { code: 'invalid_cursor' });
});
