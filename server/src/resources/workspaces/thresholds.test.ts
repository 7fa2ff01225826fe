import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configFrom } from '#platform/config.ts';
import { inTransaction } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import { countUsage, monthOf, sendsLeft } from './index.ts';

const LIMITS = { hyper: { contacts: 10, sends_per_month: 100, webhooks: 2, inboxes: 1 }, pro: { contacts: null } };

let h: House;
before(async () => void (h = await house({ env: { PLAN_LIMITS: JSON.stringify(LIMITS) } })));
after(() => h.close());

const emails = (from: number, count: number) => ({ contacts: Array.from({ length: count }, (_, i) => ({ email: `p${from + i}@example.com` })) });

/** The shares that a workspace was told of, oldest first. */
async function told(workspace: string) {
  const api = await h.api({ workspace, mode: 'live' });
  const events = (await api.events.list({ type: 'usage.threshold_reached', limit: 100 })).data.toReversed();
  return events.map(({ data, resource_id }) => {
    assert.deepEqual([data['object'], data['id']], ['workspace', resource_id]);
    return `${String(data['quota'])} ${String(data['threshold_percent'])} % (${String(data['used'])} of ${String(data['limit'])})`;
  });
}

test('limits are a setting: what it names changes, the rest stays, and mistakes stop the start', async () => {
  const { limits } = await (await h.api({ workspace: 'limits' })).workspace.retrieve();
  assert.deepEqual(limits, LIMITS.hyper);
  for (const wrong of ['{', '[]', '{"gold": {}}', '{"pro": {"contacts": -1}}', '{"pro": {"mails": 1}}', '{"pro": {"contacts": "9"}}'])
    assert.throws(() => configFrom({ PLAN_LIMITS: wrong }), /PLAN_LIMITS/, wrong);
});

test('contacts: 80 and 100 percent are told once each, again only after the count has fallen below', async () => {
  const api = await h.api({ workspace: 'contacts', mode: 'live' });
  await api.contacts.batch(emails(0, 7));
  assert.deepEqual(await told('contacts'), []);
  await api.contacts.create({ email: 'p7@example.com' });
  await api.contacts.create({ email: 'p7@example.com' });
  assert.deepEqual(await told('contacts'), ['contacts 80 % (8 of 10)']);
  const { created, errors } = await api.contacts.batch(emails(7, 5));
  assert.equal(created.length, 3);
  assert.deepEqual(new Map(errors.map((one) => [one.index, one.error.code])), new Map([3, 4].map((index) => [index, 'plan_limit_reached'])));
  await refused(api.contacts.create({ email: 'more@example.com' }), 403, 'plan_limit_reached');
  assert.deepEqual(await told('contacts'), ['contacts 80 % (8 of 10)', 'contacts 100 % (10 of 10)']);
  const all = await api.contacts.list({ limit: 100 }).then((page) => page.data);
  // Nine again, then ten: only the second share is reached anew.
  await api.contacts.delete(all[0]!.id);
  await api.contacts.create({ email: 'anew@example.com' });
  assert.deepEqual((await told('contacts')).slice(2), ['contacts 100 % (10 of 10)']);
  for (const { id } of all.slice(1, 6)) await api.contacts.delete(id);
  await api.contacts.batch(emails(20, 5));
  assert.deepEqual((await told('contacts')).slice(3), ['contacts 80 % (10 of 10)', 'contacts 100 % (10 of 10)']);
});

test('an import meets the limit row by row, and test mode meets none', async () => {
  const live = await h.api({ workspace: 'rows', mode: 'live' });
  const file = `email\n${Array.from({ length: 12 }, (_, i) => `r${i}@example.com`).join('\n')}\n`;
  const job = await live.contactImports.create({ file });
  assert.deepEqual([job.status, job.succeeded_rows, job.failed_rows], ['succeeded', 10, 2]);
  assert.deepEqual(job.errors.map((one) => one.error.code), ['plan_limit_reached', 'plan_limit_reached']); // prettier-ignore
  assert.deepEqual(await told('rows'), ['contacts 80 % (10 of 10)', 'contacts 100 % (10 of 10)']);
  const quiet = await h.api({ workspace: 'rows' });
  assert.equal((await quiet.contactImports.create({ file })).succeeded_rows, 12);
  assert.equal((await quiet.events.list({ type: 'usage.threshold_reached' })).data.length, 0);
  assert.equal((await quiet.workspace.retrieve()).usage.contacts, 10);
});

test('sends: once in each month, whatever is canceled meanwhile, and however many count at once', async () => {
  const ctx = await h.ctx({ workspace: 'sends', mode: 'live' });
  const month = monthOf(h.now());
  const count = (delta: number, of = month) => inTransaction(ctx, (inside) => countUsage(inside, of, delta));
  await count(79);
  await Promise.all(Array.from({ length: 8 }, () => count(1)));
  await count(-10);
  await count(5);
  assert.deepEqual(await told('sends'), ['sends 80 % (80 of 100)']);
  assert.equal(await sendsLeft(ctx), 18);
  await count(30);
  await count(30);
  assert.deepEqual((await told('sends')).slice(1), ['sends 100 % (112 of 100)']);
  await count(200, '2031-01-01');
  assert.equal((await told('sends')).length, 4, 'the next month begins anew');
  await inTransaction(await h.ctx({ workspace: 'sends' }), (inside) => countUsage(inside, month, 500));
  assert.equal((await told('sends')).length, 4, 'test sends are free');
});

test('webhooks: the last place is taken once', async () => {
  const api = await h.api({ workspace: 'hooks', mode: 'live' });
  const take = () => api.webhooks.create({ url: 'https://hooks.example.com', enabled_events: ['*'] });
  const first = await take();
  assert.deepEqual(await told('hooks'), []);
  await take();
  assert.deepEqual(await told('hooks'), ['webhooks 80 % (2 of 2)', 'webhooks 100 % (2 of 2)']);
  await refused(take(), 403, 'plan_limit_reached');
  await api.webhooks.delete(first.id);
  await take();
  assert.equal((await told('hooks')).length, 4);
});
