import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreateSendBody, FromStrategy } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';

type Api = Awaited<ReturnType<House['api']>>;
let h: House;
let api: Api;
let inbox: string;
before(async () => {
  h = await house();
  api = await h.api();
  inbox = await sandbox();
});
after(() => h.close());

const sandbox = async (on = api, daily_limit = 500) => {
  const { id } = await on.inboxes.createSandbox();
  return (await on.inboxes.update(id, { daily_limit })).id;
};
const people = (count: number, as = 'p') => Array.from({ length: count }, (_, i) => `${as}${i}@example.com`);
const byStrategy = (strategy: FromStrategy, change: Partial<CreateSendBody> = {}, on = api) =>
  on.sends.create({ to: 'bob@example.com', subject: 'Hello', body_text: 'Hi', ...change, from_strategy: strategy });
async function bulk(to: CreateSendBody['to'], change: Partial<CreateSendBody> = {}, on = api) {
  const result = await on.sends.create({ to, subject: 'Hello', body_text: 'Hi', inbox_id: inbox, ...change });
  assert.ok(result.object === 'bulk_send_result');
  return result;
}
const counts = async () =>
  rowsOf(h.db, 'select (select count(*) from sends) as a, (select count(*) from events) as b, (select sum(last_turn) from inbox_turns) as c', []);

test('each recipient stands or falls alone, named by its place', async () => {
  await api.suppressions.create({ email: 'gone@example.com' });
  await api.contacts.create({ email: 'carl@example.com', attributes: { first: 'Carl' } });
  const to = [
    'ann@example.com',
    'bob',
    { email: 'carl@example.com', name: 'Carl' },
    'Ann@Example.com ',
    'gone@example.com',
    5,
    ['dora@example.com'],
    { name: 'Nobody' },
    { email: 'eve@example.com', phone: '1' },
    null,
    'x\r\nBcc: y@z.test',
    '',
  ];
  const result = await bulk(to as string[], { subject: 'Hi {{first | default: "you"}}', metadata: { batch: '7' } });
  assert.equal(result.lastResponse.status, 201);
  assert.deepEqual(
    result.created.map((one) => [one.to_email, one.subject, one.state, one.metadata]),
    [
      ['ann@example.com', 'Hi you', 'sent', { batch: '7' }],
      ['carl@example.com', 'Hi Carl', 'sent', { batch: '7' }],
    ],
  );
  assert.deepEqual(
    result.errors.map((one) => [one.index, one.recipient, one.error.code, one.error.type]),
    [
      [1, 'bob', 'invalid_email'],
      [3, 'Ann@Example.com ', 'duplicate_recipient'],
      [4, 'gone@example.com', 'recipient_suppressed'],
      [5, '', 'validation_failed'],
      [6, '', 'validation_failed'],
      [7, '', 'parameter_missing'],
      [8, 'eve@example.com', 'unknown_parameter'],
      [9, '', 'validation_failed'],
      [10, 'x\r\nBcc: y@z.test', 'invalid_email'],
      [11, '', 'invalid_email'],
    ].map((row) => [...row, 'invalid_request_error']),
  );
  for (const { id } of result.created) assert.deepEqual((await api.events.list({ resource_id: id })).data.length, 3);
});

test('one recipient is a Send in whatever form it comes, unless a strategy is named', async () => {
  for (const to of ['bob@example.com', ['bob@example.com'], { email: 'bob@example.com' }, [{ email: 'bob@example.com', name: 'Bob' }]]) {
    const one = await api.sends.create({ to, subject: 's', body_text: 'b', inbox_id: inbox });
    assert.equal(one.object, 'send');
    const many = await byStrategy({ type: 'single', inbox_id: inbox }, { to });
    assert.deepEqual([many.object, many.created.length, many.created[0]!.inbox_id], ['bulk_send_result', 1, inbox]);
  }
  const failed = await byStrategy({ type: 'single', inbox_id: inbox }, { to: ['bob'] });
  assert.deepEqual([failed.created, failed.errors[0]!.error.code], [[], 'invalid_email']);
  const none = await bulk(['bob', 'carl']);
  assert.deepEqual([none.created.length, none.errors.length], [0, 2]);
});

const strategy = (value: unknown): object => ({ inbox_id: undefined, from_strategy: value });
const REFUSED: [object, number, string, string][] = [
  [{ to: [] }, 422, 'validation_failed', 'to'],
  [{ to: people(1001) }, 422, 'validation_failed', 'to'],
  [{ inbox_id: undefined }, 422, 'parameter_missing', 'inbox_id'],
  [{ from_strategy: { type: 'rotate' } }, 422, 'validation_failed', 'from_strategy'],
  [strategy({ type: 'single' }), 422, 'parameter_missing', 'from_strategy.inbox_id'],
  [strategy({ type: 'single', inbox_ids: ['x'] }), 422, 'parameter_missing', 'from_strategy.inbox_id'],
  [strategy({ type: 'rotate', inbox_id: 'x' }), 422, 'unknown_parameter', 'from_strategy.inbox_id'],
  [strategy({ type: 'rotate', inbox_ids: [] }), 422, 'validation_failed', 'from_strategy.inbox_ids'],
  [strategy({ type: 'random' }), 422, 'validation_failed', 'from_strategy.type'],
  [strategy({}), 422, 'parameter_missing', 'from_strategy.type'],
  [strategy('rotate'), 422, 'validation_failed', 'from_strategy'],
  [strategy({ type: 'single', inbox_id: 'inb_01jd0000000000000000000000' }), 404, 'resource_missing', 'from_strategy.inbox_id'],
  [strategy({ type: 'rotate', inbox_ids: ['inb_01jd0000000000000000000000'] }), 404, 'resource_missing', 'from_strategy.inbox_ids[0]'],
  [{ inbox_id: 'inb_01jd0000000000000000000000' }, 404, 'resource_missing', 'inbox_id'],
  [{ send_at: '2039-01-01T00:00:00Z' }, 422, 'validation_failed', 'send_at'],
  [{ cc: ['gone@example.com'] }, 422, 'recipient_suppressed', 'cc[0]'],
  [{ body_html: 'x'.repeat(400_000), to: people(400) }, 413, 'payload_too_large', 'to'],
];

test('what is wrong for all of them refuses the call, and nothing is written', async () => {
  const foreign = await sandbox(await h.api({ workspace: 'two' }));
  const before = await counts();
  for (const [change, status, code, param] of REFUSED) await refused(bulk(people(2), change), status, code, param);
  await refused(byStrategy({ type: 'rotate', inbox_ids: [inbox, foreign] }), 404, 'resource_missing', 'from_strategy.inbox_ids[1]');
  assert.deepEqual(await counts(), before);
});

test('rotation is fair: from call to call, side by side, over sets that overlap, and whatever is refused', async () => {
  const own = await h.api({ workspace: 'rotation' });
  const [a, b, c] = [await sandbox(own), await sandbox(own), await sandbox(own)].sort() as [string, string, string];
  await own.suppressions.create({ email: 'gone@example.com' });
  const turns = async (ids: string[] | undefined, to: string[]) =>
    (await byStrategy(ids ? { type: 'rotate', inbox_ids: ids } : { type: 'rotate' }, { to }, own)).created.map((one) => one.inbox_id);
  assert.deepEqual(await turns(undefined, people(4)), [a, b, c, a]);
  assert.deepEqual(await turns(undefined, people(2)), [b, c]);
  assert.deepEqual(
    await turns([c, a, c], ['bob', 'p0@example.com', 'gone@example.com', 'p1@example.com', 'p1@example.com', 'p2@example.com']),
    [a, c, a],
    'who is refused takes no turn',
  );
  assert.deepEqual(await turns(undefined, people(1)), [b], 'who was left out is next');
  const many = await Promise.all(Array.from({ length: 30 }, () => turns(undefined, people(2))));
  const given = Map.groupBy(many.flat(), (id) => id);
  assert.deepEqual([...given.values()].map((ids) => ids.length), [20, 20, 20]); // prettier-ignore
});

test('only who can send takes part; where nobody can, the call is refused', async () => {
  const own = await h.api({ workspace: 'partial' });
  const [a, b] = [await sandbox(own), await sandbox(own)];
  await own.inboxes.update(a, { status: 'paused' });
  for (const type of ['rotate', 'least_busy'] as const) {
    const { created } = await byStrategy({ type, inbox_ids: [a, b] }, { to: people(3) }, own);
    assert.deepEqual([...new Set(created.map((one) => one.inbox_id))], [b]);
  }
  // A day that is used up is better than none.
  await rowsOf(h.db, `update inboxes set status = 'over_quota_today' where id = $1`, [b]);
  assert.equal((await byStrategy({ type: 'rotate' }, {}, own)).created[0]!.inbox_id, b);
  await own.inboxes.update(a, { status: 'active' });
  assert.equal((await byStrategy({ type: 'rotate' }, {}, own)).created[0]!.inbox_id, a);
  await rowsOf(h.db, `update inboxes set status = 'paused' where id = any($1)`, [[a, b]]);
  await refused(byStrategy({ type: 'rotate' }, {}, own), 422, 'no_inbox_available', 'from_strategy');
  await refused(byStrategy({ type: 'least_busy', inbox_ids: [b] }, {}, own), 422, 'no_inbox_available', 'from_strategy');
});

test('the least busy inbox sends, by what is left of today and what still waits for today', async () => {
  const own = await h.api({ workspace: 'busy' });
  const [small, large] = [await sandbox(own, 3), await sandbox(own, 6)];
  const shares = async (count: number, change: object = {}) => {
    const { created } = await byStrategy({ type: 'least_busy' }, { to: people(count), ...change }, own);
    return [small, large].map((id) => created.filter((one) => one.inbox_id === id).length);
  };
  assert.deepEqual(await shares(3), [0, 3]);
  // Two that wait for this afternoon count as if they had left.
  assert.deepEqual(await shares(2, { send_at: '2030-01-07T15:00:00Z' }), [1, 1]);
  assert.deepEqual(await shares(4), [2, 2]);
  assert.deepEqual(await shares(4), [2, 2], 'past the cap they share what waits for tomorrow');
  const sides = await Promise.all(Array.from({ length: 6 }, () => shares(1, { send_at: '2030-01-07T16:00:00Z' })));
  assert.deepEqual([sides.filter(([a]) => a === 1).length, sides.filter(([, b]) => b === 1).length], [3, 3]);
});

test('a thousand at once, each with its trail; a repeated call repeats the answer only', async () => {
  const own = await h.api({ workspace: 'thousand' });
  const from = [await sandbox(own), await sandbox(own)];
  const body = { to: people(1000), subject: 'Hi {{email}}', body_text: 'b' };
  const first = await byStrategy({ type: 'rotate', inbox_ids: from }, body, own);
  assert.deepEqual([first.created.length, first.errors.length], [1000, 0]);
  assert.deepEqual(first.created.map((one) => one.subject), body.to.map((one) => `Hi ${one}`)); // prettier-ignore
  const again = (key: string, change: object = {}) =>
    own.sends.create({ ...body, to: people(3), ...change, from_strategy: { type: 'rotate', inbox_ids: from } }, { idempotencyKey: key });
  const one = await again('bulk');
  const two = await again('bulk');
  assert.deepEqual(two.created, one.created);
  await refused(again('bulk', { subject: 'Other' }), 409, 'idempotency_key_reused');
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => again('many')));
  const ids = new Set(tries.map((each) => (each.status === 'fulfilled' ? each.value.created[0]!.id : each.reason.code)));
  ids.delete('idempotency_in_progress');
  assert.equal(ids.size, 1);
  const { workspaceId } = await h.ctx({ workspace: 'thousand' });
  const made = await rowsOf<{ count: number }>(h.db, 'select count(*) from sends where workspace_id = $1', [workspaceId]);
  assert.equal(made[0]!.count, 1006);
});

test('a quota that ends within a call ends it there; sandbox inboxes crossed by two calls do not block each other', async () => {
  const live = await h.ctx({ mode: 'live', workspace: 'quota' });
  const caller = await h.api({ mode: 'live', workspace: 'quota' });
  const source = await sandbox(await h.api({ workspace: 'quota' }));
  await rowsOf(h.db, `update inboxes set mode = 'live', provider = 'smtp' where id = $1`, [source]);
  await rowsOf(h.db, `update workspaces set plan = 'pro' where id = $1`, [live.workspaceId]);
  await rowsOf(h.db, `insert into usage_months values ($1, 'live', '2030-01-01', 9880)`, [live.workspaceId]);
  const result = await bulk(people(130), { inbox_id: source }, caller);
  assert.deepEqual([result.created.length, result.errors.length], [120, 10]);
  const { index, error } = result.errors[0]!;
  assert.deepEqual([index, error.type, error.code], [120, 'permission_error', 'plan_limit_reached']);
  assert.equal((await caller.workspace.retrieve()).usage.sends_this_month, 10_000);
  const [a, b] = [await sandbox(), await sandbox()];
  const crossed = await Promise.all(
    Array.from({ length: 10 }, (_, i) => byStrategy({ type: 'rotate', inbox_ids: i % 2 ? [a, b] : [b, a] }, { to: people(5) })),
  );
  assert.equal(crossed.flatMap((one) => one.created).length, 50);
});
