import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { inTransaction } from '#store/db.ts';
import { type Desk, desk } from '#testing/desk.ts';
import { lockShare, markBlacklisted, markBounced, markUnsubscribed, setLeadStatus, upsertContacts } from './index.ts';

let d: Desk;
before(async () => void (d = await desk()));
beforeEach(() => d.told());
after(() => d[Symbol.asyncDispose]());

const make = async (email: string, more: object = {}) => (await d.call('POST /v1/contacts', { email, ...more })).body;
const types = async () => (await d.told()).map((one) => one.type);

test('a known address gives the contact as it is, whatever its spelling', async () => {
  const first = await d.call('POST /v1/contacts', { email: 'Ann@Example.com', attributes: { city: 'Bonn', n: { deep: [1, null] } } });
  assert.equal(first.status, 201);
  const { id, ...rest } = first.body;
  assert.match(id, /^con_/);
  const at = '2026-11-21T09:00:00.000Z';
  assert.deepEqual(rest, {
    object: 'contact',
    mode: 'test',
    email: 'Ann@Example.com',
    attributes: { city: 'Bonn', n: { deep: [1, null] } },
    global_status: 'ok',
    lead_status: null,
    created_at: at,
    updated_at: at,
  });
  const again = await d.call('POST /v1/contacts', { email: ' ann@EXAMPLE.com ', attributes: { city: 'Rome' }, global_status: 'blacklisted' });
  assert.deepEqual([again.status, again.body], [200, first.body]);
  assert.deepEqual((await d.call(`GET /v1/contacts/${id}`)).body, first.body);
  assert.equal((await d.call('POST /v1/contacts', { email: 'ann@example.com' }, { key: d.keys.live })).status, 201, 'each mode has its own');
  const told = await d.told();
  assert.deepEqual(told.map((one) => [one.type, one.data['mode']]).sort(), [
    ['contact.created', 'live'],
    ['contact.created', 'test'],
  ]);
  assert.deepEqual(told.find((one) => one.resource_id === id)!.data, first.body);
});

test('fifty at once: one is made, the others find it', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) => d.call('POST /v1/contacts', { email: i % 2 ? 'RACE@example.com' : 'race@example.com' })),
  );
  assert.deepEqual(answers.map((one) => one.status).sort(), [...Array<number>(49).fill(200), 201]);
  assert.equal(new Set(answers.map((one) => one.body.id)).size, 1);
  assert.deepEqual(await types(), ['contact.created']);
});

test('a batch answers row by row; the same address twice is the same contact', async () => {
  const known = await make('known@example.com');
  const contacts = [
    { email: 'b1@example.com' },
    { email: 'bad' },
    { email: 'B1@example.com' },
    { email: 'known@example.com' },
    7,
    { email: 'b2@example.com', attributes: [] },
  ];
  const { status, body } = await d.call('POST /v1/contacts/batch', { contacts });
  assert.equal(status, 200);
  assert.equal(body.created.length, 3);
  assert.equal(body.created[0]!.id, body.created[1]!.id);
  assert.deepEqual(body.created[2], known);
  assert.deepEqual(
    body.errors.map((one) => [one['index'], one.email, one.error.code]),
    [
      [1, 'bad', 'invalid_email'],
      [4, '', 'validation_failed'],
      [5, 'b2@example.com', 'validation_failed'],
    ],
  );
  assert.deepEqual(await types(), ['contact.created', 'contact.created']);
});

const NO_EMAILS = [
  '',
  'no',
  'a@b@c.de',
  'a@b',
  'a b@c.de',
  `${'x'.repeat(310)}@example.com`,
  '"a@evil"@good.com',
  'a@b.co\r\nBcc: c@d.ef',
  'a@b.co\0',
];

const refusals = (id: string): [string, unknown, number, string | null, string?][] => {
  const nested = JSON.parse(`{"email":"x@example.com","attributes":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`) as object;
  const post = 'POST /v1/contacts';
  const patch = `PATCH /v1/contacts/${id}`;
  const keys = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`k${i}`, i]));
  return [
    ...NO_EMAILS.map((email): [string, unknown, number, null, string] => [post, { email }, 422, null, 'email']),
    [post, {}, 422, 'parameter_missing', 'email'],
    [post, { email: 'x@example.com', atributes: {} }, 422, 'unknown_parameter', 'atributes'],
    [post, { email: 'x@example.com', attributes: [] }, 422, 'validation_failed', 'attributes'],
    [post, { email: 'x@example.com', attributes: 'x' }, 422, 'validation_failed', 'attributes'],
    [post, { email: 'x@example.com', attributes: keys }, 422, 'validation_failed', 'attributes'],
    [post, { email: 'x@example.com', attributes: { ['k'.repeat(121)]: 1 } }, 422, 'validation_failed', 'attributes'],
    [post, { email: 'x@example.com', attributes: { a: 'x'.repeat(66_000) } }, 422, 'validation_failed', 'attributes'],
    [post, { email: 'x@example.com', attributes: { a: 'NUL\0' } }, 422, 'validation_failed', 'attributes.a'],
    [post, { email: 'x@example.com', attributes: { a: '\ud800' } }, 422, 'validation_failed', 'attributes.a'],
    [post, { email: 'x@example.com', attributes: JSON.parse('{"__proto__": {"polluted": true}}') }, 422, 'unknown_parameter'],
    [post, { email: 'x@example.com', attributes: { lead_classification: 'interested' } }, 422, 'validation_failed', 'attributes.lead_classification'],
    [post, nested, 400, 'invalid_json'],
    [post, { email: 'x@example.com', global_status: 'sleepy' }, 422, 'validation_failed', 'global_status'],
    ['POST /v1/contacts/batch', { contacts: [] }, 422, 'validation_failed', 'contacts'],
    ['POST /v1/contacts/batch', { contacts: Array(1001).fill({ email: 'a@b.co' }) }, 422, 'validation_failed', 'contacts'],
    ...['lead_status', 'email', 'mode', 'id'].map((field): [string, unknown, number, string, string] => [
      patch,
      { [field]: 'x' },
      422,
      'unknown_parameter',
      field,
    ]),
    [patch, { attributes: { lead_classification: 'interested' } }, 422, 'validation_failed', 'attributes.lead_classification'],
    [patch, { attributes: keys }, 422, 'validation_failed', 'attributes'],
    ['PATCH /v1/contacts/con_00000000000000000000000000', {}, 404, 'resource_missing'],
    ['GET /v1/contacts/seq_00000000000000000000000000', undefined, 404, 'resource_missing'],
    ['GET /v1/contacts?global_status=x', undefined, 400, 'invalid_parameter', 'global_status'],
    ['GET /v1/contacts?lead_status=x', undefined, 400, 'invalid_parameter', 'lead_status'],
    ['GET /v1/contacts?q=%00', undefined, 400, 'invalid_parameter', 'q'],
    [`GET /v1/contacts?q=${'x'.repeat(300)}`, undefined, 400, 'invalid_parameter', 'q'],
    ['GET /v1/contacts?limit=0', undefined, 400, 'invalid_parameter', 'limit'],
    ['GET /v1/contacts?starting_after=zz', undefined, 400, 'invalid_cursor'],
  ];
};

test('what is refused, and why', async () => {
  const { id } = await make('victim@example.com');
  const before = await d.count('contacts');
  await d.told();
  for (const [line, body, status, code, param] of refusals(id)) {
    const answer = await d.call(line, body);
    assert.equal(answer.status, status, `${line} ${JSON.stringify(body)?.slice(0, 80)}`);
    if (code) assert.equal(answer.body.error.code, code, `${line} ${JSON.stringify(body)?.slice(0, 80)}`);
    if (param) assert.equal(answer.body.error.param, param, line);
  }
  assert.deepEqual([await d.count('contacts'), await types()], [before, []]);
});

test('keys that every object inherits are data like any other', async () => {
  const attributes = { constructor: 'Ltd', toString: 'x', hasOwnProperty: null };
  const { id } = await make('proto@example.com', { attributes });
  assert.deepEqual((await d.call(`GET /v1/contacts/${id}`)).body.attributes, attributes);
});

test('PATCH merges, null removes, and the event has the values before', async () => {
  const { id } = await make('patch@example.com', { attributes: { a: 1, b: { x: 1 }, c: 'old' } });
  await d.told();
  d.pass(1000);
  const { body } = await d.call(`PATCH /v1/contacts/${id}`, {
    attributes: { b: { y: 2 }, c: null, d: 'new', never: null },
    global_status: 'unsubscribed',
  });
  assert.deepEqual([body.attributes, body['global_status']], [{ a: 1, b: { y: 2 }, d: 'new' }, 'unsubscribed']);
  assert.ok(String(body['updated_at']) > String(body['created_at']));
  const [updated, unsubscribed, ...none] = await d.told();
  assert.deepEqual([updated!.type, updated!.data], ['contact.updated', body]);
  assert.deepEqual(updated!.previous, { attributes: { a: 1, b: { x: 1 }, c: 'old' }, global_status: 'ok', updated_at: body['created_at'] });
  assert.deepEqual([unsubscribed!.type, unsubscribed!.data, none], ['contact.unsubscribed', { ...body, source: 'manual' }, []]);
  d.pass(1000);
  assert.deepEqual((await d.call(`PATCH /v1/contacts/${id}`, { attributes: { a: 1, gone: null } })).body, body, 'nothing changes, nothing is told');
  assert.deepEqual(await types(), []);
});

test('addresses in any script are taken, each domain as it is spelt', async () => {
  for (const email of ['jörg@müller.example', '用户@例子.example', 'ann@xn--mller-kva.example']) {
    assert.equal((await make(email))['email'], email);
    assert.equal((await d.call(`GET /v1/contacts?email=${encodeURIComponent(email.toUpperCase())}`)).body.data.length, 1, email);
  }
});

test('the lead status: one of three, no campaign of others', async () => {
  const { id } = await make('classified@example.com');
  const elsewhere = async (line: string, body: object) => (await d.call(line, body, { key: d.keys.otherTest })).body.id;
  const sequence = await elsewhere('POST /v1/sequences', { name: 'S', steps: [{ subject: 's', body_text: 'b' }] });
  const inbox = await elsewhere('POST /v1/inboxes/sandbox', {});
  const foreign = await elsewhere('POST /v1/campaigns', { name: 'C', sequence_id: sequence, sending_inbox_ids: [inbox] });
  assert.match(foreign, /^cmp_/);
  await d.told();
  const cases: [object, number, string, string][] = [
    [{ lead_status: null }, 422, 'validation_failed', 'lead_status'],
    [{}, 422, 'parameter_missing', 'lead_status'],
    [{ lead_status: 'hot' }, 422, 'validation_failed', 'lead_status'],
    [{ lead_status: 'interested', campaign_id: foreign }, 404, 'resource_missing', 'campaign_id'],
    [{ lead_status: 'interested', campaign_id: 'cmp_00000000000000000000000000' }, 404, 'resource_missing', 'campaign_id'],
    [{ lead_status: 'interested', campaign_id: 'x' }, 404, 'resource_missing', 'campaign_id'],
    [{ lead_status: 'interested', campaign_id: 'con_00000000000000000000000000' }, 404, 'resource_missing', 'campaign_id'],
  ];
  for (const [body, status, code, param] of cases) {
    const answer = await d.call(`POST /v1/contacts/${id}/lead_status`, body);
    assert.deepEqual([answer.status, answer.body.error.code, answer.body.error.param], [status, code, param], JSON.stringify(body));
  }
  assert.deepEqual([(await d.call(`GET /v1/contacts/${id}`)).body['lead_status'], await types()], [null, []]);
});

test('merges from two keys side by side: none is lost, and each event tells what the one before it left', async () => {
  const { id } = await make('two-keys@example.com');
  const second = (await d.call('POST /v1/api_keys', { name: 'second' })).body.secret;
  await d.told();
  const keys = [d.keys.test, second];
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => d.call(`PATCH /v1/contacts/${id}`, { attributes: { [`k${i}`]: i } }, { key: keys[i % 2]! })),
  );
  const told = await d.told();
  assert.equal(told.length, 40);
  for (const [i, { data, previous }] of told.entries()) {
    assert.deepEqual(previous.attributes, i === 0 ? {} : told[i - 1]!.data.attributes);
    assert.equal(Object.keys(data.attributes).length, i + 1);
  }
});

test('merges side by side lose nothing', async () => {
  const { id } = await make('merge@example.com');
  await Promise.all(Array.from({ length: 30 }, (_, i) => d.call(`PATCH /v1/contacts/${id}`, { attributes: { [`k${i}`]: i } })));
  assert.equal(Object.keys((await d.call(`GET /v1/contacts/${id}`)).body.attributes).length, 30);
});

test('a deleted contact is gone, and its event is the last word', async () => {
  const made = await make('gone@example.com');
  await d.told();
  const { status, body } = await d.call(`DELETE /v1/contacts/${made.id}`);
  assert.deepEqual([status, body], [200, made]);
  for (const method of ['GET', 'PATCH', 'DELETE'])
    assert.equal((await d.call(`${method} /v1/contacts/${made.id}`, method === 'PATCH' ? {} : undefined)).status, 404);
  assert.deepEqual(
    (await d.told()).map((one) => [one.type, one.data]),
    [['contact.deleted', made]],
  );
});

test('another workspace and the other mode see nothing', async () => {
  const { id } = await make('mine@example.com');
  for (const key of [d.keys.live, d.keys.otherTest]) {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      assert.equal((await d.call(`${method} /v1/contacts/${id}`, method === 'PATCH' ? {} : undefined, { key })).status, 404);
    }
    assert.deepEqual((await d.call('GET /v1/contacts?email=mine@example.com', undefined, { key })).body.data, []);
  }
});

test('q is text to be found anywhere, and never a pattern', async () => {
  await make('q1@find.example.com', { attributes: { note: '100% sure_thing', deep: { er: ['Zürich \\ Nord'] }, n: 4711, Name: 'x' } });
  const found = async (q: string) => (await d.call(`GET /v1/contacts?q=${encodeURIComponent(q)}&limit=100`)).body.data.map((one) => one.email);
  for (const q of ['FIND.example', '0% SURE_', '\\ nord', 'ZÜRICH', '471']) assert.deepEqual(await found(q), ['q1@find.example.com'], q);
  for (const q of ['100_', 'sure%', '%%', '\\\\', 'note', 'q1.find']) assert.deepEqual(await found(q), [], q);
});

test('the lead status is kept among the attributes, told once, and found', async () => {
  const { id } = await make('lead@example.com');
  await d.told();
  const set = (status: 'interested' | 'not_interested') => inTransaction(d.ctx(), (ctx) => setLeadStatus(ctx, id, status, 'cmp_1'));
  await set('interested');
  await set('interested');
  await set('not_interested');
  const { body } = await d.call(`GET /v1/contacts/${id}`);
  assert.deepEqual([body['lead_status'], body.attributes], ['not_interested', { lead_classification: 'not_interested' }]);
  const told = await d.told();
  assert.deepEqual(
    told.map(({ type, data }) => [type, data['lead_status'], data['previous_lead_status'], data['campaign_id']]),
    [
      ['contact.lead_status_changed', 'interested', null, 'cmp_1'],
      ['contact.lead_status_changed', 'not_interested', 'interested', 'cmp_1'],
    ],
  );
  const found = await d.call('GET /v1/contacts?lead_status=not_interested&global_status=ok&email=LEAD@example.com');
  assert.deepEqual(found.body.data, [body]);
  assert.equal((await d.call(`PATCH /v1/contacts/${id}`, { attributes: body.attributes })).status, 200, 'what was read may be sent back');
  assert.equal((await d.call(`PATCH /v1/contacts/${id}`, { attributes: { lead_classification: null } })).body['lead_status'], null);
  assert.deepEqual(await types(), ['contact.updated', 'contact.lead_status_changed']);
});

test('a bounce does not undo a wish, and a complaint outlasts both', async () => {
  const { id } = await make('fate@example.com');
  await d.told();
  const [bounced] = await markBounced(d.ctx(), [id]);
  assert.deepEqual([bounced!.global_status, await types()], ['bounced', ['contact.updated', 'contact.bounced']]);
  assert.equal((await markUnsubscribed(d.ctx(), { emails: ['FATE@example.com', 'nobody@example.com'], source: 'cmp_9' })).length, 1);
  const told = await d.told();
  assert.deepEqual([told.map((one) => one.type), told[1]!.data['source']], [['contact.updated', 'contact.unsubscribed'], 'cmp_9']);
  assert.deepEqual([await markBounced(d.ctx(), [id]), await types()], [[], []]);
  assert.equal((await markBlacklisted(d.ctx(), [id])).length, 1);
  assert.deepEqual(await markUnsubscribed(d.ctx(), { contactIds: [id], source: 'manual' }), []);
  assert.deepEqual(await markBlacklisted(d.ctx('live'), [id]), [], 'the other mode knows no such contact');
});

test('large calls with common addresses, side by side and in opposite orders, all end well', async () => {
  const rows = Array.from({ length: 3000 }, (_, i) => ({ email: `bulk${i}@example.com`, attributes: { i } }));
  const orders = [rows, rows.toReversed(), rows.map((row) => ({ ...row, attributes: { j: 1 } }))];
  const answers = await Promise.all(orders.map((order) => upsertContacts(d.ctx(), order, { onConflict: 'merge' })));
  assert.equal(answers.flat().filter((one) => !(one instanceof Error) && one.isNew).length, 3000);
  assert.equal((await types()).filter((type) => type === 'contact.created').length, 3000);
  const [first] = answers[0]!;
  assert.ok(first && !(first instanceof Error));
  assert.deepEqual((await d.call(`GET /v1/contacts/${first.row.id}`)).body.attributes, { i: 0, j: 1 });
});

test('a contact under a shared lock cannot be deleted until the commit', async () => {
  const { id } = await make('held@example.com');
  let deleting: Promise<unknown> = Promise.resolve();
  await inTransaction(d.ctx(), async (ctx) => {
    assert.deepEqual(
      (await lockShare(ctx, [id, 'con_none'])).map((one) => one.id),
      [id],
    );
    deleting = d.call(`DELETE /v1/contacts/${id}`);
    await new Promise((resolve) => setTimeout(resolve, 60));
    assert.equal((await lockShare(ctx, [id])).length, 1);
  });
  await deleting;
  assert.equal((await d.call(`GET /v1/contacts/${id}`)).status, 404);
});
