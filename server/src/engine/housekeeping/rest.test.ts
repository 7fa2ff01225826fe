// What becomes of the leads of an inbox that rests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Postrider } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { stage } from '#testing/stage.ts';

const HOUR = 3_600_000;
const ALWAYS = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };

const states = async (api: Postrider) => (await api.sends.list({ limit: 100 })).data.map((one) => one.state).toSorted();
const lead = async (api: Postrider, id: string) => (await api.campaigns.contacts(id)).data[0]!;
const shut = async (api: Postrider, id: string) => {
  const { gates } = await api.campaigns.explain(id, (await lead(api, id)).contact_id);
  return gates.filter((one) => !one.passes).map((one) => one.gate);
};

test('a follow-up of an inbox that rests is held for a day, then taken back; its lead waits for the inbox and goes on in its thread', async () => {
  await using s = await stage({ senders: ['ann@sender.test', 'bob@sender.test'] });
  const { id } = await s.campaign(['one@people.test'], { steps: 2, delayMinutes: 60 });
  await s.h.settle();
  const own = (await lead(s.api, id)).assigned_inbox_id!;
  s.h.tick(HOUR);
  // Written down, and not taken up before the inbox is paused.
  await s.h.campaigns.step();
  await s.api.inboxes.update(own, { status: 'paused' });
  await s.h.run(22 * HOUR, HOUR);
  assert.deepEqual(await states(s.api), ['scheduled', 'sent']);
  assert.deepEqual((await shut(s.api, id)).includes('open_send'), true);
  const single = await s.send('later@people.test', { inbox_id: own });
  await s.h.run(26 * HOUR, HOUR);
  assert.deepEqual(await states(s.api), ['canceled', 'failed', 'sent']);
  assert.equal((await s.api.sends.retrieve(single.id)).failure_reason, 'expired');
  assert.deepEqual([(await lead(s.api, id)).status, (await lead(s.api, id)).assigned_inbox_id], ['active', own]);
  const gates = await shut(s.api, id);
  assert.deepEqual([gates.includes('inbox_status'), gates.includes('open_send')], [true, false]);
  await s.api.inboxes.update(own, { status: 'active' });
  await s.h.run(HOUR, 5 * 60_000);
  assert.deepEqual(await states(s.api), ['canceled', 'failed', 'sent', 'sent']);
  const mails = await rowsOf<{ inbox_id: string; in_reply_to: string | null }>(
    s.h.db,
    `select inbox_id, in_reply_to from sends where campaign_id = $1 and state = 'sent' order by sent_at`,
    [id],
  );
  assert.deepEqual(mails.map((one) => [one.inbox_id, one.in_reply_to !== null]), [[own, false], [own, true]]); // prettier-ignore
  assert.equal((await lead(s.api, id)).status, 'finished');
});

/** A sandbox campaign of one mail, written down for an inbox that is paused before it leaves. */
async function held(h: House, api: Postrider, inboxes: number) {
  const ids: string[] = [];
  for (let i = 0; i < inboxes; i++) ids.push((await api.inboxes.createSandbox({ sandbox_config: QUIET })).id);
  const sequence = await api.sequences.create({ name: 'S', steps: [{ subject: 'A', body_text: 'A' }] });
  const { id } = await api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_ids: ids, schedule: ALWAYS });
  await api.campaigns.addContacts(id, { contact_ids: [(await api.contacts.create({ email: 'one@people.test' })).id] });
  await api.campaigns.start(id);
  await h.campaigns.step();
  const first = (await lead(api, id)).assigned_inbox_id!;
  await api.inboxes.update(first, { status: 'paused' });
  return { id, first };
}

test('who has had no mail yet goes to another inbox, under the test clock too', async () => {
  await using h = await house();
  const api = await h.api();
  const { id, first } = await held(h, api, 2);
  await api.testClock.advance({ seconds: 22 * 3_600 });
  assert.deepEqual(await states(api), ['scheduled']);
  await api.testClock.advance({ seconds: 2 * 3_600 });
  assert.deepEqual(await states(api), ['canceled', 'sent']);
  const sent = (await api.sends.list({ state: 'sent' })).data[0]!;
  assert.notEqual(sent.inbox_id, first);
  assert.equal(Date.parse(sent.sent_at!) - h.now().getTime(), 23 * HOUR + 1);
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
});

test('with no other inbox it waits under the test clock for weeks, and goes when its inbox is back', async () => {
  await using h = await house();
  const api = await h.api();
  const { id, first } = await held(h, api, 1);
  await api.testClock.advance({ seconds: 14 * 86_400 });
  assert.deepEqual([await states(api), (await lead(api, id)).status], [['canceled'], 'active']);
  await api.inboxes.update(first, { status: 'active' });
  await api.testClock.advance({ seconds: 3_600 });
  assert.deepEqual([await states(api), (await lead(api, id)).status], [['canceled', 'sent'], 'finished']);
  assert.deepEqual(h.lines, []);
});
