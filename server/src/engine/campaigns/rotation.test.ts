import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { stage } from '#testing/stage.ts';

const ALWAYS = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };

test('an inbox joins by its tag while the campaign runs, and leaves when it is disconnected; its contacts go on with the others', async () => {
  await using s = await stage({ senders: ['ann@sender.test', 'bob@sender.test'] });
  const [ann, bob] = s.inboxes;
  for (const one of s.inboxes) await s.api.inboxes.update(one.id, { daily_limit: 2 });
  await s.api.inboxes.update(ann!.id, { tags: ['sales'] });
  const sequence = await s.api.sequences.create({
    name: 'S',
    steps: [
      { subject: 'Hello', body_text: 'Hi' },
      { subject: '', body_text: 'Again', delay_minutes: 1440 },
    ],
  });
  const { id } = await s.api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_tags: ['Sales'], schedule: ALWAYS });
  const people = (await s.api.contacts.batch({ contacts: ['p1', 'p2', 'p3', 'p4'].map((name) => ({ email: `${name}@people.test` })) })).created;
  await s.api.campaigns.addContacts(id, { contact_ids: people.map((one) => one.id) });
  await s.api.campaigns.start(id);
  await s.h.settle();
  assert.deepEqual(s.office.deliveries.map((one) => one.login), ['ann@sender.test', 'ann@sender.test']); // prettier-ignore
  await s.h.run(60_000);
  assert.equal((await s.api.campaigns.retrieve(id)).send_status, 'no_inbox_available');
  await s.api.inboxes.update(bob!.id, { tags: ['sales'] });
  await s.h.run(6 * 60_000);
  assert.deepEqual(s.office.deliveries.slice(2).map((one) => one.login), ['bob@sender.test', 'bob@sender.test']); // prettier-ignore
  await s.api.inboxes.delete(ann!.id);
  for (const one of [bob!]) await s.api.inboxes.update(one.id, { daily_limit: 50 });
  await s.h.run(25 * 3_600_000, 1_800_000);
  assert.deepEqual(new Set(s.office.deliveries.slice(4).map((one) => one.login)), new Set(['bob@sender.test']));
  assert.deepEqual(await s.statuses(id), { p1: 'finished', p2: 'finished', p3: 'finished', p4: 'finished' });
});

test('two campaigns with the same contacts in the same minute: the cap of their inbox holds, no unit is taken twice, both get a part', async () => {
  await using s = await stage();
  await s.api.inboxes.update(s.inbox.id, { daily_limit: 6 });
  const emails = Array.from({ length: 6 }, (_, i) => `p${i}@people.test`);
  const ids = [];
  for (const name of ['One', 'Two']) {
    const sequence = await s.api.sequences.create({ name, steps: [{ subject: name, body_text: 'Hi' }] });
    const { id } = await s.api.campaigns.create({ name, sequence_id: sequence.id, sending_inbox_ids: [s.inbox.id], schedule: ALWAYS });
    const known = await Promise.all(emails.map((email) => s.api.contacts.create({ email })));
    await s.api.campaigns.addContacts(id, { contact_ids: known.map((one) => one.id) });
    ids.push(id);
  }
  await Promise.all(ids.map((id) => s.api.campaigns.start(id)));
  await s.h.run(5 * 60_000);
  assert.equal(s.office.deliveries.length, 6);
  assert.equal((await s.api.inboxes.budget(s.inbox.id)).left, 0);
  await s.h.run(24 * 3_600_000, 3_600_000);
  assert.equal(s.office.deliveries.length, 12);
  const [units] = await rowsOf<{ taken: number; sends: number }>(
    s.h.db,
    'select count(*)::int as taken, count(distinct send_id)::int as sends from budget_units',
    [],
  );
  assert.deepEqual(units, { taken: 12, sends: 12 });
  for (const id of ids) assert.equal((await s.api.campaigns.retrieve(id)).status, 'completed');
});
