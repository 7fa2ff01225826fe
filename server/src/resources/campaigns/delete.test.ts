import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { refused } from '#testing/refused.ts';
import { type Stage, stage } from '#testing/stage.ts';

const MINUTE = 60_000;
const sends = (s: Stage) => rowsOf<{ id: string; state: string }>(s.h.db, 'select id, state from sends order by created_at, id', []);
const states = async (s: Stage) => (await sends(s)).map((one) => one.state).sort();
const count = async (s: Stage, table: string) => (await rowsOf<{ n: number }>(s.h.db, `select count(*)::int as n from ${table}`, []))[0]!.n;

test('deleting a campaign: what waits is canceled, what has left keeps its history, nothing more leaves', async () => {
  await using s = await stage();
  const { id, contacts } = await s.campaign(['one@people.test', 'two@people.test'], { steps: 2, delayMinutes: 10 });
  const other = await s.campaign(['three@people.test']);
  await s.h.settle();
  s.h.tick(10 * MINUTE);
  await s.h.campaigns.step();
  assert.deepEqual(await states(s), ['scheduled', 'scheduled', 'sent', 'sent', 'sent']);
  await refused((await s.h.api({ mode: 'live' })).campaigns.delete(id), 400, 'confirmation_required', 'confirm');
  assert.deepEqual(await states(s), ['scheduled', 'scheduled', 'sent', 'sent', 'sent']);
  const gone = await (await s.h.api({ mode: 'live' })).campaigns.delete(id, { confirm: true });
  assert.deepEqual([gone.id, gone.object, gone.status], [id, 'campaign', 'running']);
  assert.deepEqual(await states(s), ['canceled', 'canceled', 'sent', 'sent', 'sent']);
  const canceled = (await sends(s)).filter((one) => one.state === 'canceled');
  for (const one of canceled) assert.deepEqual(await s.events(one.id), ['send.scheduled', 'send.canceled']);
  await refused(s.api.campaigns.retrieve(id), 404, 'resource_missing', 'id');
  await refused(s.api.campaigns.delete(id), 404, 'resource_missing', 'id');
  assert.deepEqual([await count(s, 'enrollments'), await count(s, 'campaign_steps')], [1, 1]);
  await s.h.run(30 * MINUTE);
  assert.equal(s.office.deliveries.length, 3);
  assert.deepEqual([(await s.api.campaigns.retrieve(other.id)).status, (await s.api.workspace.retrieve()).usage.sends_this_month], ['completed', 3]);
  const past = (await s.api.sends.list({ state: 'sent' })).data.filter((one) => one.campaign_id === id);
  assert.equal(past.length, 2);
  assert.equal((await s.api.contacts.retrieve(contacts[0]!.id)).global_status, 'ok');
  assert.ok((await s.events(id)).includes('campaign.started'));
  assert.deepEqual(s.h.lines, []);
});

test('drafts, paused and completed campaigns go without a confirmation; held sends go with them', async () => {
  await using s = await stage();
  const careful = await s.h.api({ mode: 'live' });
  const { id } = await s.campaign(['one@people.test']);
  await s.h.campaigns.step();
  await s.api.campaigns.pause(id);
  await careful.campaigns.delete(id);
  assert.deepEqual(await states(s), ['canceled']);
  const done = await s.campaign(['two@people.test']);
  await s.h.run(2 * MINUTE);
  assert.equal((await s.api.campaigns.retrieve(done.id)).status, 'completed');
  await careful.campaigns.delete(done.id);
  assert.equal(await count(s, 'campaigns'), 0);
});

test('a mail whose dot was released before its campaign was deleted is sent and told; one that was only taken up is canceled', async () => {
  for (const [point, state, delivered] of [
    ['CP9 released', 'sent', 1],
    ['CP8 body written', 'canceled', 0],
  ] as const) {
    await using s = await stage();
    const { id } = await s.campaign(['one@people.test'], { steps: 2, delayMinutes: 1 });
    await s.h.campaigns.step();
    let reached = 0;
    s.at(point, async () => void (reached++ === 0 && (await s.api.campaigns.delete(id))));
    await s.h.run(10 * MINUTE);
    assert.deepEqual([reached, await states(s), s.office.deliveries.length], [1, [state], delivered], point);
    const [send] = await sends(s);
    assert.deepEqual(await s.events(send!.id), ['send.scheduled', 'send.sending', `send.${state}`]);
    assert.deepEqual(s.h.lines, []);
  }
});

test('deleting a contact cancels what its campaigns had planned for it, held or not, and may complete them', async () => {
  await using s = await stage();
  const { id, contacts } = await s.campaign(['one@people.test', 'two@people.test'], { steps: 2, delayMinutes: 600 });
  await s.h.settle();
  await s.readMail();
  await s.api.campaigns.pause(id);
  const held = await s.campaign(['three@people.test']);
  await s.h.campaigns.step();
  await s.api.campaigns.pause(held.id);
  await s.api.contacts.delete(held.contacts[0]!.id);
  assert.deepEqual(await states(s), ['canceled', 'sent', 'sent']);
  await s.api.campaigns.resume(id);
  await rowsOf(s.h.db, `update enrollments set status = 'replied', plan_due_at = null where contact_id = $1`, [contacts[0]!.id]);
  await s.h.settle();
  const gone = await s.api.contacts.delete(contacts[1]!.id);
  assert.equal(gone.id, contacts[1]!.id);
  await s.h.settle();
  assert.deepEqual([(await s.api.campaigns.retrieve(id)).status, await s.events(gone.id)], ['completed', ['contact.created', 'contact.deleted']]);
  assert.equal((await s.api.sends.list({ state: 'sent' })).data.filter((one) => one.to_email === 'two@people.test').length, 1);
  await refused(s.api.contacts.delete(gone.id), 404, 'resource_missing', 'id');
});
