import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event, Postrider } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';

const DOMAIN = 'sandbox.postrider.test';
const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
const always = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };

async function eventsAfter(api: Postrider, sequence: number): Promise<Event[]> {
  return (await api.events.list({ after_sequence: sequence, limit: 100 })).data.toReversed();
}
const latest = async (api: Postrider) => (await api.events.list({ limit: 1 })).data[0]?.sequence ?? 0;

/** A running campaign of two steps, an hour apart, to these addresses. */
async function campaign(api: Postrider, emails: readonly string[]) {
  const { id: inbox } = await api.inboxes.createSandbox({ sandbox_config: QUIET });
  const contacts = (await api.contacts.batch({ contacts: emails.map((email) => ({ email })) })).created;
  const steps = [
    { subject: 'Grüße', body_html: '<p><a href="https://example.com/x?a=1">Look</a></p>', body_text: 'Look', delay_minutes: 0 },
    { subject: '', body_text: 'And?', delay_minutes: 60 },
  ];
  const sequence = await api.sequences.create({ name: 'S', steps });
  const { id } = await api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_ids: [inbox], schedule: always });
  await api.campaigns.addContacts(id, { contact_ids: contacts.map((one) => one.id) });
  await api.campaigns.start(id);
  return { id, inbox };
}

/** For each script: how its enrollment ends, what its contact becomes, why it is suppressed, how many mails it got, and what is told. */
const SCRIPTS: Record<string, [status: string, contact: string, suppressed: string | null, mails: number, events: string[]]> = {
  reply: ['replied', 'ok', null, 1, ['message.received', 'message.replied']],
  'reply+interested': ['replied', 'ok', null, 1, ['message.received', 'message.replied', 'contact.lead_status_changed']],
  ooo: ['finished', 'ok', null, 2, ['message.received', 'message.autoresponse']],
  bounce: ['bounced', 'bounced', 'hard_bounce', 1, ['message.received', 'message.bounced', 'contact.updated', 'contact.bounced']],
  softbounce: ['finished', 'ok', null, 2, ['message.received', 'message.bounced']],
  open: ['finished', 'ok', null, 2, ['message.opened']],
  click: ['finished', 'ok', null, 2, ['message.opened', 'message.clicked']],
  unsubscribe: ['unsubscribed', 'unsubscribed', 'unsubscribe', 1, ['contact.updated', 'contact.unsubscribed']],
  complaint: ['unsubscribed', 'blacklisted', 'manual', 1, ['message.received', 'contact.updated']],
  fail: ['failed', 'ok', null, 1, []],
};
const OF_LIFE = /^(?:message|contact)\./;

async function seenOf(h: House, api: Postrider, { id }: { id: string }, email: string) {
  const contact = (await api.contacts.list({ email })).data[0]!;
  const enrollment = (await api.campaigns.contacts(id, { email })).data[0]!;
  const suppression = (await api.suppressions.list({ email })).data[0];
  const sends = await rowsOf<{ id: string; message_id: string }>(
    h.db,
    `select s.id, m.id as message_id from sends s left join messages m on m.identity = s.rfc822_message_id
      where s.to_email = $1 order by s.created_at`,
    [email],
  );
  return { contact, enrollment, suppression, sends };
}

async function check(h: House, api: Postrider, made: { id: string; inbox: string }, since: number): Promise<void> {
  const events = await eventsAfter(api, since);
  for (const [script, [status, global, suppressed, mails, told]] of Object.entries(SCRIPTS)) {
    const email = `${script}-1@${DOMAIN}`;
    const { contact, enrollment, suppression, sends } = await seenOf(h, api, made, email);
    assert.deepEqual(
      [enrollment.status, contact.global_status, suppression?.reason ?? null, sends.length],
      [status, global, suppressed, mails],
      script,
    );
    if (suppression) assert.equal(suppression.source_send_id, sends[0]!.id);
    const theirs = events.filter(({ data, metadata, type }) => {
      const { id, email: of, matched_send_id: matched } = data as Record<string, string>;
      assert.equal(metadata, null);
      return OF_LIFE.test(type) && (of === email || sends.some((one) => one.id === matched || one.message_id === id));
    });
    // Each mail has its own reactions.
    const expected = Array.from({ length: told.length === 0 ? 0 : mails }, () => told).flat();
    assert.deepEqual(theirs.map((one) => one.type), expected, script); // prettier-ignore
  }
  const clicked = events.find((one) => one.type === 'message.clicked')!;
  assert.equal((clicked.data as { url: string }).url, 'https://example.com/x?a=1');
  const failed = events.filter((one) => one.type === 'send.failed').map((one) => (one.data as { failure_reason: string }).failure_reason);
  assert.deepEqual(failed, ['recipient_rejected']);
}

const emails = Object.keys(SCRIPTS).map((script) => `${script}-1@${DOMAIN}`);

test('each scripted recipient of a campaign does its part in real time', async () => {
  await using h = await house();
  const api = await h.api();
  const made = await campaign(api, emails);
  const since = await latest(api);
  await h.settle();
  await h.run(2 * 3_600_000, 300_000);
  await check(h, api, made, since);
  assert.deepEqual(h.lines, []);
});

test('and under the test clock', async () => {
  await using h = await house();
  const api = await h.api();
  const made = await campaign(api, emails);
  const since = await latest(api);
  await api.testClock.advance({ seconds: 86_400 });
  await check(h, api, made, since);
  assert.deepEqual(h.lines, []);
});

test('single sends have their recipients too, and their answers stand in the thread', async () => {
  await using h = await house();
  const api = await h.api();
  const { id: inbox } = await api.inboxes.createSandbox({ sandbox_config: QUIET });
  const send = (to: string) =>
    api.sends.create({ to, subject: 'Hi', body_text: 'Look: https://example.com/y', inbox_id: inbox, metadata: { deal: '42' } });
  const replied = await send(`reply@${DOMAIN}`);
  assert.equal(replied.state, 'sent');
  const refused = await send(`fail@${DOMAIN}`);
  assert.equal(refused.state, 'scheduled');
  await send(`bounce@${DOMAIN}`);
  await send(`click@${DOMAIN}`);
  await h.settle();
  await h.run(2 * 60_000);
  assert.deepEqual(
    [(await api.sends.retrieve(refused.id)).state, (await api.sends.retrieve(refused.id)).failure_reason],
    ['failed', 'recipient_rejected'],
  );
  const heard = await api.messages.list({ direction: 'inbound' });
  assert.deepEqual(heard.data.map((one) => one.classification).sort(), ['bounce', 'reply']);
  const answer = heard.data.find((one) => one.classification === 'reply')!;
  const thread = await api.messages.list({ thread_id: answer.thread_id });
  assert.deepEqual(thread.data.map((one) => one.direction).sort(), ['inbound', 'outbound']);
  assert.deepEqual([answer.subject, answer.from_email], ['Re: Hi', `reply@${DOMAIN}`]);
  const events = await eventsAfter(api, 0);
  const clicked = events.find((one) => one.type === 'message.clicked')!;
  assert.deepEqual([(clicked.data as { url: string }).url, clicked.metadata], ['https://example.com/y', { deal: '42' }]);
  assert.deepEqual((await api.suppressions.list()).data.map((one) => one.reason), ['hard_bounce']); // prettier-ignore
});

test('each reaction happens once, and one that cannot be carried out delays no other', async () => {
  await using h = await house();
  const api = await h.api();
  const { id: inbox } = await api.inboxes.createSandbox({ sandbox_config: QUIET });
  for (const to of ['reply-poison', 'reply-2', 'open'])
    await api.sends.create({ to: `${to}@${DOMAIN}`, subject: 'Hi', body_text: 'B', inbox_id: inbox });
  await rowsOf(h.db, `alter table messages add constraint poison check (direction = 'outbound' or from_email <> 'reply-poison@${DOMAIN}')`, []);
  h.tick(60_000);
  await Promise.all([h.sandbox.step(), h.sandbox.step(), h.sandbox.step()]);
  await h.settle();
  const types = (await eventsAfter(api, 0)).map((one) => one.type);
  assert.equal(types.filter((one) => one === 'message.replied').length, 1);
  assert.equal(types.filter((one) => one === 'message.opened').length, 1);
  const problems = await rowsOf<{ problem: string }>(h.db, 'select problem from sandbox_reactions where problem is not null', []);
  assert.match(problems[0]!.problem, /poison/);
});

test('what simulated readers do is kept as hits of people, beside those that come by the links; the first of a kind is one', async () => {
  await using h = await house();
  const api = await h.api();
  const { id: inbox } = await api.inboxes.createSandbox({ sandbox_config: QUIET });
  const body_html = '<a href="https://example.com/y">Look</a>';
  const send = await api.sends.create({ to: `click@${DOMAIN}`, subject: 'Hi', body_html, inbox_id: inbox, track_opens: true, track_clicks: true });
  const [mail] = await rowsOf<{ body_html: string }>(h.db, 'select body_html from send_contents where send_id = $1', [send.id]);
  // A reader comes by the pixel before the simulated one opens it.
  h.tick(11_000);
  const url = /src="http:\/\/house\.test([^"]+)"/.exec(mail!.body_html)![1]!;
  await h.app.inject({ url, remoteAddress: '81.2.69.142', headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } });
  h.tick(60_000);
  await h.settle();
  const hits = await rowsOf<{ is_first: boolean; kind: string; nth: number; made_by: string; url: string | null }>(
    h.db,
    'select nth, kind, made_by, is_first, url from hits order by nth',
    [],
  );
  assert.deepEqual(hits.map(({ nth, kind, made_by: by, is_first: first, url: to }) => [nth, kind, by, first, to]), [
    [1, 'open', 'human', true, null],
    [2, 'open', 'human', false, null],
    [3, 'click', 'human', true, 'https://example.com/y'],
  ]); // prettier-ignore
  const told = (await eventsAfter(api, 0))
    .filter((one) => /opened|clicked/.test(one.type))
    .map((one) => [one.type, one.data['is_first'], one.data['kind']]);
  assert.deepEqual(told, [
    ['message.opened', true, 'human'],
    ['message.opened', false, 'human'],
    ['message.clicked', true, 'human'],
  ]);
});
