import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type Stage, stage } from '#testing/stage.ts';

const people = (from: number, count: number, name = 'p') => Array.from({ length: count }, (_, i) => `${name}${from + i}@people.test`);

/** A campaign whose mails have left, and as many of them came back as the names say. */
async function sentTo(s: Stage, emails: readonly string[]) {
  const { id } = await s.campaign(emails, { steps: 2, delayMinutes: 60 });
  await s.h.settle();
  await s.readMail();
  return id;
}

/** Read until so many reports have come: the post office writes them when it can. */
const bounced = async (s: Stage, id: string, wanted: number) => {
  for (let i = 0; i < 200; i++) {
    await s.readMail();
    const [row] = await rowsOf<{ hard_bounces: number }>(s.h.db, 'select hard_bounces from campaigns where id = $1', [id]);
    if (row!.hard_bounces === wanted) return;
  }
  assert.fail(`${wanted} bounces never came`);
};

/** So many bounces make the inbox rest as well; here it is about the campaign. */
const heal = async (s: Stage) => {
  await rowsOf(s.h.db, 'delete from inbox_troubles', []);
  await rowsOf(s.h.db, `update inboxes set status = 'active', health_tier = 'good'`, []);
};

const bouncing = () => stage({ behave: (recipient) => (recipient.startsWith('bounce') ? 'hard_bounce' : 'silent') });

test('five of a hundred bounce: it goes on; the sixth pauses it at the next decision, and what waits is held', async () => {
  await using s = await bouncing();
  const id = await sentTo(s, [...people(0, 95), ...people(0, 5, 'bounce')]);
  await bounced(s, id, 5);
  await s.h.run(60_000);
  assert.equal((await s.api.campaigns.retrieve(id)).status, 'running');
  const late = (await s.api.contacts.batch({ contacts: people(5, 1, 'bounce').map((email) => ({ email })) })).created;
  await s.api.campaigns.addContacts(id, { contact_ids: late.map((one) => one.id) });
  await s.h.settle();
  assert.equal((await s.api.campaigns.retrieve(id)).status, 'running');
  await bounced(s, id, 6);
  await s.h.campaigns.step();
  const paused = await s.api.campaigns.retrieve(id);
  assert.deepEqual([paused.status, paused.paused_reason, paused.send_status], ['paused', 'bounce_protection', 'bounce_protection']);
  assert.equal(paused.send_status_at, s.h.now().toISOString());
  const events = (await s.api.events.list({ type: 'campaign.paused' })).data;
  assert.deepEqual([events.length, (events[0]!.data as { paused_reason: string }).paused_reason], [1, 'bounce_protection']);
  await s.h.run(2 * 3_600_000, 600_000);
  assert.equal(s.office.deliveries.length, 101);

  // Resumed by a person: the old bounces do not pause it again, and its follow-ups go out.
  await heal(s);
  const resumed = await s.api.campaigns.resume(id);
  assert.deepEqual([resumed.status, resumed.paused_reason, resumed.send_status], ['running', null, null]);
  await s.h.run(60_000);
  assert.equal(s.office.deliveries.length, 101 + 95);
  assert.equal((await s.api.campaigns.retrieve(id)).status, 'completed');
  assert.deepEqual(s.h.lines, []);
});

test('a refusal by name counts as a report does, and fewer than a hundred sends are not judged, however many come back', async () => {
  await using s = await stage();
  s.office.follow(({ phase, recipient }) =>
    phase === 'rcpt' && recipient?.startsWith('bounce') ? { kind: 'reply', code: 550, text: '5.1.1 No such user' } : undefined,
  );
  const id = await sentTo(s, [...people(0, 89), ...people(0, 10, 'bounce')]);
  await s.h.run(60_000);
  const [row] = await rowsOf<{ hard_bounces: number }>(s.h.db, 'select hard_bounces from campaigns where id = $1', [id]);
  assert.equal(row!.hard_bounces, 10);
  assert.equal((await s.api.campaigns.retrieve(id)).status, 'running');
  await heal(s);
  const late = (await s.api.contacts.batch({ contacts: people(100, 1).map((email) => ({ email })) })).created;
  await s.api.campaigns.addContacts(id, { contact_ids: late.map((one) => one.id) });
  // The hundredth mail is enough, though nothing bounced since.
  await s.h.run(2 * 60_000);
  assert.equal((await s.api.campaigns.retrieve(id)).paused_reason, 'bounce_protection');
});
