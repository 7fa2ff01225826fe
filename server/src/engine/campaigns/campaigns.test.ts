import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Postrider } from '@postrider/sdk';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Campaign, factsToPlan } from '#resources/campaigns/index.ts';
import { house } from '#testing/house.ts';
import { openPostOffice } from '#testing/post-office/index.ts';
import { stage } from '#testing/stage.ts';

async function threeSteps(api: Postrider, inboxIds: string[]) {
  const sequence = await api.sequences.create({
    name: 'Three steps',
    steps: [
      { subject: 'Hello {{first_name}}', body_text: 'Hi {{first_name}}', delay_minutes: 0 },
      { subject: '', body_text: 'Following up, {{first_name}}', delay_minutes: 10 },
      { subject: 'Last try', body_text: 'Bye', delay_minutes: 10 },
    ],
  });
  return api.campaigns.create({
    name: 'First',
    sequence_id: sequence.id,
    sending_inbox_ids: inboxIds,
    schedule: { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 },
  });
}

test('a campaign over real SMTP and IMAP: steps in one thread, and it stops for who answered or bounced', async () => {
  await using h = await house();
  const office = await openPostOffice({
    senders: ['ann@sender.test', 'bob@sender.test'],
    now: h.now,
    behave: (recipient, nth) => (recipient.startsWith('reply') && nth === 1 ? 'reply' : recipient.startsWith('bounce') ? 'hard_bounce' : 'silent'),
  });
  const api = await h.api({ mode: 'live' });
  const inboxes = [];
  for (const address of ['ann@sender.test', 'bob@sender.test']) {
    const inbox = await api.inboxes.connectSmtp(office.connection(address));
    inboxes.push(await api.inboxes.update(inbox.id, { min_gap_seconds: 0, max_gap_seconds: 0, ramp: { enabled: false } }));
  }
  const people = ['reply1', 'reply2', 'bounce1', 'p1', 'p2', 'p3'].map((name) => ({
    email: `${name}@people.test`,
    attributes: { first_name: name },
  }));
  const contacts = (await api.contacts.batch({ contacts: people })).created;
  const campaign = await threeSteps(api, inboxes.map((one) => one.id)); // prettier-ignore
  const attached = await api.campaigns.addContacts(campaign.id, { contact_ids: contacts.map((one) => one.id) });
  assert.equal(attached.attached, 6);
  await api.campaigns.start(campaign.id);
  await h.settle();
  assert.equal(office.deliveries.length, 6);
  await h.run(30 * 60_000);
  const sent = await api.sends.list({ limit: 100 });
  assert.deepEqual(new Set(sent.data.map((one) => one.state)), new Set(['sent']));
  assert.equal(office.deliveries.length, 6 + 3 + 3);
  assert.equal(new Set(office.deliveries.map((one) => one.messageId)).size, 12);
  const status = new Map((await api.campaigns.contacts(campaign.id, { limit: 100 })).data.map((one) => [one.contact_email, one.status]));
  assert.equal(status.get('reply1@people.test'), 'replied');
  assert.equal(status.get('bounce1@people.test'), 'bounced');
  assert.equal(status.get('p1@people.test'), 'finished');
  const follow = office.deliveries.filter((one) => one.recipient === 'p1@people.test');
  assert.equal(follow[1]!.subject, 'Re: Hello p1');
  assert.equal(follow[1]!.inReplyTo, follow[0]!.messageId);
  assert.equal(new Set(follow.map((one) => one.login)).size, 1);
  assert.equal((await api.campaigns.retrieve(campaign.id)).status, 'completed');
  assert.equal((await api.suppressions.list()).data[0]!.reason, 'hard_bounce');
  await office.close();
  assert.deepEqual(h.lines, []);
});

test('who is in a conversation is written to before strangers, however long these have waited', async () => {
  await using s = await stage();
  await s.api.inboxes.update(s.inbox.id, { daily_limit: 1 });
  await s.campaign(['one@people.test', 'two@people.test'], { steps: 2, delayMinutes: 30 });
  await s.h.settle();
  await s.h.run(24 * 3_600_000, 3_600_000);
  const recipients = s.office.deliveries.map((one) => one.recipient);
  assert.deepEqual([recipients.length, new Set(recipients).size], [2, 1]);
});

test('a backlog of one inbox keeps nobody of another from his turn', async () => {
  await using s = await stage({ senders: ['ann@sender.test', 'bob@sender.test'] });
  const { id } = await s.campaign(['a@people.test', 'b@people.test'], { steps: 2, delayMinutes: 30 });
  await s.h.settle();
  s.h.tick(40 * 60_000);
  // As if Ann had come back from a long pause: two thousand follow-ups are overdue at hers, one at Bob's.
  const [ann, bob] = s.inboxes;
  await rowsOf(
    s.h.db,
    `insert into contacts
     select (jsonb_populate_record(c, jsonb_build_object('id', 'con_' || n, 'email', n || '@x.test', 'email_key', n || '@x.test'))).*
       from contacts c, generate_series(1, 2000) as n where c.id = (select min(id) from contacts)`,
    [],
  );
  await rowsOf(
    s.h.db,
    `insert into enrollments
     select (jsonb_populate_record(e, jsonb_build_object('id', 'enr_' || n, 'contact_id', 'con_' || n, 'contact_email', n || '@x.test',
              'assigned_inbox_id', $1::text, 'plan_due_at', e.plan_due_at - interval '1 day'))).*
       from enrollments e, generate_series(1, 2000) as n where e.id = (select min(id) from enrollments)`,
    [ann!.id],
  );
  await rowsOf(s.h.db, `update enrollments set assigned_inbox_id = $1 where contact_email = 'b@people.test'`, [bob!.id]);
  const ctx = await s.h.ctx({ mode: 'live' });
  const [campaign] = await rowsOf<Campaign>(s.h.db, 'select * from campaigns where id = $1', [id]);
  const facts = await inTransaction(ctx, (inside) => factsToPlan(inside, campaign!));
  assert.deepEqual(new Set(facts!.leads.map((one) => one.assigned_inbox_id)), new Set([ann!.id, bob!.id]));
});

test('no send is written to somebody who is on the list by then, and the lead ends', async () => {
  await using s = await stage();
  const { id } = await s.campaign(['one@people.test', 'two@people.test'], { steps: 2, delayMinutes: 30 });
  await s.h.settle();
  await s.api.suppressions.create({ email: 'one@people.test' });
  await s.h.run(40 * 60_000, 10 * 60_000);
  const sends = (await s.api.sends.list()).data.map((one) => `${one.to_email} ${one.state}`);
  assert.deepEqual(sends.sort(), ['one@people.test sent', 'two@people.test sent', 'two@people.test sent']);
  assert.deepEqual(await s.statuses(id), { one: 'unsubscribed', two: 'finished' });
});
