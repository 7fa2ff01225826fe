import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Desk, desk } from '#testing/desk.ts';
import { contactIdsOf } from './index.ts';

let d: Desk;
before(async () => void (d = await desk()));
after(() => d[Symbol.asyncDispose]());

const make = async (name = 'Leads') => (await d.call('POST /v1/audiences', { name })).body;
const contact = async (email: string, key = d.keys.test) => (await d.call('POST /v1/contacts', { email }, { key })).body.id;

test('an audience is made, changed, listed and deleted', async () => {
  const made = await d.call('POST /v1/audiences', { name: 'Leads', description: 'from the fair' });
  const { id, ...rest } = made.body;
  const at = '2026-11-21T09:00:00.000Z';
  assert.deepEqual(
    [made.status, rest],
    [201, { object: 'audience', mode: 'test', name: 'Leads', description: 'from the fair', contact_count: 0, created_at: at, updated_at: at }],
  );
  d.pass(1000);
  const changed = await d.call(`PATCH /v1/audiences/${id}`, { description: null });
  assert.deepEqual([changed.body['name'], changed.body['description'], changed.body['updated_at']], ['Leads', null, '2026-11-21T09:00:01.000Z']);
  assert.deepEqual((await d.call('GET /v1/audiences')).body.data, [changed.body]);
  assert.deepEqual((await d.call(`DELETE /v1/audiences/${id}`)).body, changed.body, 'an empty one needs no confirmation');
  assert.equal((await d.call(`GET /v1/audiences/${id}`)).status, 404);
});

test('members: new, repeated, known and unknown ones', async () => {
  const { id } = await make();
  const [a, b] = [await contact('a@example.com'), await contact('b@example.com')];
  const live = await contact('a@example.com', d.keys.live);
  const foreign = await contact('a@example.com', d.keys.otherTest);
  const attach = async (contact_ids: string[]) => (await d.call(`POST /v1/audiences/${id}/contacts`, { contact_ids })).body;
  assert.deepEqual(await attach([a]), { object: 'attach_result', attached: 1, skipped: 0, errors: [] });
  const answer = await attach([a, b, b, live, foreign, 'con_00000000000000000000000000', 'nonsense']);
  assert.deepEqual([answer['attached'], answer['skipped']], [1, 2]);
  assert.deepEqual(
    answer.errors.map((one) => [one['index'], one['contact_id'], one.error.code]),
    [
      [3, live],
      [4, foreign],
      [5, 'con_00000000000000000000000000'],
      [6, 'nonsense'],
    ].map((one) => [...one, 'resource_missing']),
  );
  assert.equal(new Set(answer.errors.map((one) => one.error.message)).size, 1, 'foreign and unknown ids look alike');
  assert.equal((await d.call(`GET /v1/audiences/${id}`)).body['contact_count'], 2);
  assert.deepEqual(await contactIdsOf(d.ctx(), id), [a, b].sort());
  assert.deepEqual(await contactIdsOf(d.ctx('live'), id), []);

  const gone = await d.call(`DELETE /v1/audiences/${id}/contacts/${a}`);
  assert.deepEqual([gone.status, gone.body], [200, { object: 'audience_contact', audience_id: id, contact_id: a, deleted: true }]);
  assert.equal((await d.call(`DELETE /v1/audiences/${id}/contacts/${a}`)).status, 404);
  assert.equal((await d.call(`DELETE /v1/audiences/${id}`)).body.error.code, 'confirmation_required');
  assert.equal((await d.call(`DELETE /v1/audiences/${id}?confirm=true`)).body['contact_count'], 1);
  assert.equal((await d.call(`GET /v1/contacts/${b}`)).status, 200, 'contacts outlive their audience');
  assert.equal(await d.count('audience_contacts'), 0);
});

test('attaching while the audience is being deleted: a member of nothing is left by neither', async () => {
  const contacts = await Promise.all(Array.from({ length: 10 }, (_, i) => contact(`r${i}@example.com`)));
  for (let round = 0; round < 5; round++) {
    const { id } = await make();
    const calls = contacts.map((one) => d.call(`POST /v1/audiences/${id}/contacts`, { contact_ids: [one] }));
    const answers = await Promise.all([...calls.slice(0, 5), d.call(`DELETE /v1/audiences/${id}?confirm=true`), ...calls.slice(5)]);
    for (const { status } of answers) assert.ok(status === 200 || status === 404, String(status));
    assert.equal((await d.call(`GET /v1/audiences/${id}`)).status, 404);
    assert.equal(await d.count('audience_contacts'), 0);
  }
});

test('what is refused, and why', async () => {
  const { id } = await make();
  const foreign = (await d.call('POST /v1/audiences', { name: 'x' }, { key: d.keys.otherTest })).body.id;
  const cases: [string, unknown, number, string, string?][] = [
    ['POST /v1/audiences', {}, 422, 'parameter_missing', 'name'],
    ['POST /v1/audiences', { name: '' }, 422, 'validation_failed', 'name'],
    ['POST /v1/audiences', { name: null }, 422, 'validation_failed', 'name'],
    ['POST /v1/audiences', { name: ' ' }, 422, 'validation_failed', 'name'],
    ['POST /v1/audiences', { name: 'x'.repeat(10_000) }, 422, 'validation_failed', 'name'],
    ['POST /v1/audiences', { name: 'x', contact_count: 4 }, 422, 'unknown_parameter', 'contact_count'],
    [`PATCH /v1/audiences/${id}`, { name: null }, 422, 'validation_failed', 'name'],
    [`POST /v1/audiences/${id}/contacts`, { contact_ids: Array(1001).fill('con_x') }, 422, 'validation_failed', 'contact_ids'],
    [`POST /v1/audiences/${id}/contacts`, { contact_ids: 'con_x' }, 422, 'validation_failed', 'contact_ids'],
    [`POST /v1/audiences/${id}/contacts`, { contact_ids: [7] }, 422, 'validation_failed', 'contact_ids[0]'],
    [`POST /v1/audiences/${id}/contacts`, {}, 422, 'parameter_missing', 'contact_ids'],
    [`DELETE /v1/audiences/${id}/contacts/con_00000000000000000000000000`, undefined, 404, 'resource_missing'],
    ...[
      `GET /v1/audiences/${foreign}`,
      `PATCH /v1/audiences/${foreign}`,
      `DELETE /v1/audiences/${foreign}`,
      `POST /v1/audiences/${foreign}/contacts`,
    ].map((line): [string, unknown, number, string] => [
      line,
      line.startsWith('POST') ? { contact_ids: [] } : line.startsWith('PATCH') ? {} : undefined,
      404,
      'resource_missing',
    ]),
  ];
  for (const [line, body, status, code, param] of cases) {
    const answer = await d.call(line, body);
    assert.deepEqual([line, answer.status, answer.body.error.code], [line, status, code]);
    if (param) assert.equal(answer.body.error.param, param, line);
  }
});
