import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import { insertOnce } from './index.ts';
import type { Row } from './store.ts';

let h: House;
let api: Awaited<ReturnType<House['api']>>;
let inbox: string;
before(async () => {
  h = await house();
  api = await h.api();
  inbox = (await api.inboxes.createSandbox()).id;
});
after(() => h.close());

const received = (id: string, change: Partial<Row> = {}): Omit<Row, 'workspace_id' | 'mode'> => ({
  id,
  inbox_id: inbox,
  direction: 'inbound',
  classification: 'reply',
  verdict_rule: 'reply',
  verdict_because: 'It answers.',
  thread_id: '<t/1@x.test>',
  identity: id,
  rfc822_message_id: `<${id}@x.test>`,
  in_reply_to: '<s@x.test>',
  from_email: 'bob@x.test',
  from_name: 'Bob',
  to_email: null,
  subject: 'Re: Hi',
  bounce_type: null,
  bounce_status_code: null,
  bounce_diagnostic: null,
  matched_send_id: null,
  folder: 'INBOX',
  uid_validity: '1',
  uid: 5,
  received_at: h.now(),
  created_at: h.now(),
  ...change,
});
const id = (n: number) => `msg_01jd000000000000000000000${n}`;

test('messages are filtered by inbox, direction, class and thread, all together', async () => {
  const ctx = await h.ctx();
  const other = (await api.inboxes.createSandbox()).id;
  await insertOnce(ctx, received(id(1)));
  await insertOnce(ctx, received(id(2), { classification: 'bounce', bounce_type: 'hard', bounce_status_code: '5.1.1', verdict_rule: null }));
  await insertOnce(ctx, received(id(3), { direction: 'outbound', classification: null, thread_id: '<t2@x.test>' }));
  await insertOnce(ctx, received(id(4), { inbox_id: other, thread_id: `x' or '1'='1` }));
  const found = async (query: object) => (await api.messages.list(query)).data.map((one) => Number(one.id.at(-1)));
  assert.deepEqual(await found({}), [4, 3, 2, 1]);
  assert.deepEqual(await found({ inbox_id: other }), [4]);
  assert.deepEqual(await found({ direction: 'outbound' }), [3]);
  assert.deepEqual(await found({ classification: 'bounce' }), [2]);
  assert.deepEqual(await found({ thread_id: '<t/1@x.test>', inbox_id: inbox }), [2, 1]);
  assert.deepEqual(await found({ thread_id: '<t/1@x.test>', classification: 'reply', direction: 'inbound' }), [1]);
  assert.deepEqual(await found({ thread_id: `x' or '1'='1` }), [4]);
  for (const query of [{ inbox_id: 'inb_x' }, { thread_id: '%' }, { direction: 'outbound', classification: 'reply' }])
    assert.deepEqual(await found(query), []);
});

test('a message shows its verdict only whole', async () => {
  const [whole, half] = [await api.messages.retrieve(id(1)), await api.messages.retrieve(id(2))];
  assert.deepEqual([whole.verdict, half.verdict], [{ rule: 'reply', because: 'It answers.' }, null]);
  assert.deepEqual([half.bounce_type, half.bounce_status_code, half.received_at], ['hard', '5.1.1', h.now().toISOString()]);
  assert.ok(!('bounce_diagnostic' in half) && !('uid' in half) && !('identity' in half));
});

test('the same message is taken in once in each inbox', async () => {
  const ctx = await h.ctx();
  const tries = await Promise.all(
    Array.from({ length: 8 }, (_, n) => insertOnce(ctx, received(`msg_01jd00000000000000000001${n}0`, { identity: '<same@x.test>' }))),
  );
  assert.equal(tries.filter(Boolean).length, 1);
});

test('filters that it does not know', async () => {
  for (const [param, value] of [
    ['direction', 'both'],
    ['classification', 'spam'],
    ['limit', '101'],
    ['q', 'x'],
    ['direction', `';--`],
  ]) {
    await refused(api.messages.list({ [param!]: value } as object), 400, 'invalid_parameter', param);
  }
});
