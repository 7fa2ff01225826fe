// Walks the tables of docs/events.md: each row is carried out, and must tell just the events that stand there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Event, Postrider } from '@postrider/sdk';
import { allRoutes } from '#resources/all-routes.ts';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { complaint } from '#testing/persona/people.ts';
import { type PostOffice, type Reaction, openPostOffice } from '#testing/post-office/index.ts';
import { type Receiver, receiver } from '#testing/receiver/index.ts';

const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');

const ENV = {
  PLAN_LIMITS: '{"hyper": {"contacts": 5}}',
  GOOGLE_CLIENT_ID: 'id',
  GOOGLE_CLIENT_SECRET: 'secret',
  MICROSOFT_CLIENT_ID: 'id',
  MICROSOFT_CLIENT_SECRET: 'secret',
  MAILPROVIDER_CLIENT_ID: 'id',
  MAILPROVIDER_CLIENT_SECRET: 'secret',
  MAILPROVIDER_AUTHORIZE_URL: 'https://provider.test/authorize',
  MAILPROVIDER_TOKEN_URL: 'https://provider.test/token',
};
const SENDERS = Array.from({ length: 12 }, (_, i) => `ann${i}@sender.test`);

let h: House;
let office: PostOffice;
let there: Receiver;
before(async () => {
  h = await house({ env: ENV });
  there = await receiver();
  office = await openPostOffice({ senders: SENDERS, now: h.now, behave: (recipient) => /^[a-z_]+/.exec(recipient)![0] as Reaction });
});
after(async () => {
  await there.close();
  await office.close();
  await h.close();
});

/** What a row needs first; the answer is what the row is about. */
type Row = (api: Postrider, live: Postrider) => Promise<() => Promise<unknown>>;
let nth = 0;
const address = () => `person${++nth}@example.com`;
const contact = (api: Postrider) => api.contacts.create({ email: address(), attributes: { first_name: 'Ann' } });
const inbox = (api: Postrider) => api.inboxes.createSandbox({ sandbox_config: QUIET });
const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
const letter = { subject: 'Hello', body_text: 'Hello {{first_name}}' };
const key = (api: Postrider) => api.apiKeys.create({ name: 'CI' });
const audience = (api: Postrider) => api.audiences.create({ name: 'Fair' });
const sequence = (api: Postrider) => api.sequences.create({ name: 'S', steps: [letter] });
const always = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
async function campaign(api: Postrider, { running = false } = {}) {
  const wanted = { name: 'C', sequence_id: (await sequence(api)).id, sending_inbox_ids: [(await inbox(api)).id], schedule: always };
  const { id } = await api.campaigns.create(wanted);
  await api.campaigns.addContacts(id, { contact_ids: [(await contact(api)).id] });
  if (running) await api.campaigns.start(id);
  return id;
}
async function completed(api: Postrider) {
  const id = await campaign(api, { running: true });
  await h.run(10 * 60_000);
  return id;
}
const stepsOf = async (api: Postrider, id: string) => (await api.sequences.retrieve(id)).steps!.map((one) => one.id);
const stepsIn = async (api: Postrider, id: string) => (await api.campaigns.retrieve(id)).sequence_steps!.map((one) => one.id);
const thread = async (api: Postrider) => {
  await api.sends.create({ to: address(), inbox_id: (await inbox(api)).id, ...letter });
  return (await api.threads.list()).data[0]!.id;
};
const webhook = async (api: Postrider) => (await api.webhooks.create({ url: there.url, enabled_events: ['*'] })).id;
const hooked = async () => {
  while (await h.webhooks.step()) await h.webhooks.idle();
};
let nthSender = 0;
/** A live mailbox of the post office, without gaps. */
async function mailbox(live: Postrider) {
  const { id } = await live.inboxes.connectSmtp(office.connection(SENDERS[nthSender++]!));
  return live.inboxes.update(id, { min_gap_seconds: 0, max_gap_seconds: 0, ramp: { enabled: false } });
}
/** A mail to somebody who does as they are called; it has left. */
async function mailed(live: Postrider, reaction: Reaction) {
  const person = await live.contacts.create({ email: `${reaction}@people.test` });
  const box = await mailbox(live);
  const send = await live.sends.create({ to: person.email, inbox_id: box.id, ...letter, metadata: { deal: '42' } });
  await h.settle();
  return { box, send, raw: office.deliveries.at(-1)!.raw };
}
async function readMail({ id }: { id: string }) {
  await rowsOf(h.db, 'update inboxes set next_poll_at = $1 where id = $2', [h.now(), id]);
  await h.inbound.step();
  await h.inbound.idle();
}
const answered =
  (reaction: Reaction): Row =>
  async (_api, live) => {
    const { box } = await mailed(live, reaction);
    return () => readMail(box);
  };
const RETRIES_IN_MINUTES = [1, 5, 30, 120, 480, 1440];
/** A campaign whose first mail is scheduled and has not left. */
async function planned(api: Postrider) {
  const id = await campaign(api, { running: true });
  await h.campaigns.step();
  return id;
}
/** Follow a link of a mail, of a send or of a campaign's first. */
async function followed(method: 'GET' | 'POST', id: string, link: RegExp) {
  const [mail] = await rowsOf<{ text: string }>(
    h.db,
    `select concat(c.body_html, ' unsubscribe_url ', trim(both '<>' from c.headers -> 0 ->> 'value')) as text
       from sends s join send_contents c on c.workspace_id = s.workspace_id and c.send_id = s.id where s.id = $1 or s.campaign_id = $1`,
    [id],
  );
  const url = link.exec(mail!.text)![1]!.replace('http://house.test', '');
  const answer = await h.app.inject({ method, url, remoteAddress: '81.2.69.142', headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } });
  assert.ok(answer.statusCode < 400, answer.body);
}
/** A campaign of which both texts of the first step have been sent, and whose second step is not due. */
async function racing(api: Postrider): Promise<string> {
  const variants = [{ subject: 'B', body_html: '<p>B</p>' }];
  const step = { subject: 'A', body_html: '<p>A</p>', variants, auto_winner: { metric: 'open', min_sends: 1 } };
  const { id: sequenceId } = await api.sequences.create({ name: 'S', steps: [step, { ...letter, delay_minutes: 1_440 }] as never });
  const contacts = [(await contact(api)).id, (await contact(api)).id, (await contact(api)).id];
  for (;;) {
    const wanted = { name: 'C', sequence_id: sequenceId, sending_inbox_ids: [(await inbox(api)).id], schedule: always, track_opens: true };
    const { id } = await api.campaigns.create(wanted);
    await api.campaigns.addContacts(id, { contact_ids: contacts });
    await api.campaigns.start(id);
    await h.run(3 * 60_000);
    const texts = await rowsOf(h.db, 'select distinct variant_id from sends where campaign_id = $1', [id]);
    // Who gets which is drawn.
    if (texts.length === 2) return id;
    await api.campaigns.delete(id, { confirm: true });
  }
}
const later = () => new Date(h.now().getTime() + 3_600_000).toISOString();

const ROWS: Record<string, Row> = {
  'POST /v1/contacts: a new address': async (api) => () => contact(api),
  'POST /v1/contacts: a known address': async (api) => {
    const { email } = await contact(api);
    return () => api.contacts.create({ email });
  },
  'POST /v1/contacts/batch: two new addresses': async (api) => () => api.contacts.batch({ contacts: [{ email: address() }, { email: address() }] }),
  'PATCH /v1/contacts/{id}: something changes': async (api) => {
    const { id } = await contact(api);
    return () => api.contacts.update(id, { attributes: { city: 'Rome' } });
  },
  'PATCH /v1/contacts/{id}: `global_status` becomes `unsubscribed`': async (api) => {
    const { id } = await contact(api);
    return () => api.contacts.update(id, { global_status: 'unsubscribed' });
  },
  'PATCH /v1/contacts/{id}: nothing changes': async (api) => {
    const { id } = await contact(api);
    return () => api.contacts.update(id, { attributes: { first_name: 'Ann' } });
  },
  'DELETE /v1/contacts/{id}': async (api) => {
    const { id } = await contact(api);
    return () => api.contacts.delete(id);
  },
  'POST /v1/contacts/{id}/lead_status: another value': async (api) => {
    const { id } = await contact(api);
    return () => api.contacts.setLeadStatus(id, { lead_status: 'interested' });
  },
  'POST /v1/contact_imports: one new address, one known with other attributes': async (api) => {
    const { email } = await contact(api);
    return () => api.contactImports.create({ file: `email,first_name\n${address()},Bob\n${email},Eve\n` });
  },
  'POST /v1/contact_imports: nothing can be imported': async (api) => () => api.contactImports.create({ file: 'email\nbad\n' }),
  'POST /v1/audiences': async (api) => () => audience(api),
  'PATCH /v1/audiences/{id}': async (api) => {
    const { id } = await audience(api);
    return () => api.audiences.update(id, { name: 'Other' });
  },
  'DELETE /v1/audiences/{id}': async (api) => {
    const { id } = await audience(api);
    return () => api.audiences.delete(id);
  },
  'POST /v1/audiences/{id}/contacts': async (api) => {
    const [{ id }, one] = [await audience(api), await contact(api)];
    return () => api.audiences.addContacts(id, { contact_ids: [one.id] });
  },
  'DELETE /v1/audiences/{id}/contacts/{contact_id}': async (api) => {
    const [{ id }, one] = [await audience(api), await contact(api)];
    await api.audiences.addContacts(id, { contact_ids: [one.id] });
    return () => api.audiences.removeContact(id, one.id);
  },
  'POST /v1/suppressions': async (api) => () => api.suppressions.create({ email: address() }),
  'POST /v1/suppressions/batch': async (api) => () => api.suppressions.batch({ suppressions: [{ email: address() }] }),
  'DELETE /v1/suppressions/{id}': async (api) => {
    const { id } = await api.suppressions.create({ email: address() });
    return () => api.suppressions.delete(id);
  },
  'POST /v1/api_keys': async (api) => () => key(api),
  'POST /v1/api_keys/{id}/rotate': async (api) => {
    const { id } = await key(api);
    return () => api.apiKeys.rotate(id, { confirm: true });
  },
  'DELETE /v1/api_keys/{id}': async (api) => {
    const { id } = await key(api);
    return () => api.apiKeys.revoke(id, { confirm: true });
  },
  'POST /v1/test_clock/advance: nothing is due on the way': async (api) => () => api.testClock.advance({ seconds: 60 }),
  'POST /v1/inboxes/sandbox': async (api) => () => inbox(api),
  'PATCH /v1/inboxes/{id}': async (api) => {
    const { id } = await inbox(api);
    return () => api.inboxes.update(id, { daily_limit: 20 });
  },
  'DELETE /v1/inboxes/{id}: with a send that waits': async (api) => {
    const { id } = await inbox(api);
    await api.sends.create({ to: address(), inbox_id: id, ...letter, send_at: later() });
    return () => api.inboxes.delete(id, { confirm: true });
  },
  'POST /v1/inboxes/smtp: a new address': async (_api, live) => () => live.inboxes.connectSmtp(office.connection(SENDERS[nthSender++]!)),
  'POST /v1/inboxes/smtp: an address that is active': async (_api, live) => {
    const { email_address: known } = await mailbox(live);
    return () => live.inboxes.connectSmtp(office.connection(known));
  },
  'POST /v1/inboxes/google/connect_link': async (_api, live) => () => live.inboxes.createConnectLink('google'),
  'POST /v1/inboxes/microsoft/connect_link': async (_api, live) => () => live.inboxes.createConnectLink('microsoft'),
  'POST /v1/inboxes/mailprovider/connect_link': async (_api, live) => () => live.inboxes.createConnectLink('mailprovider'),
  'POST /v1/sequences': async (api) => () => sequence(api),
  'PATCH /v1/sequences/{id}': async (api) => {
    const { id } = await sequence(api);
    return () => api.sequences.update(id, { name: 'T' });
  },
  'DELETE /v1/sequences/{id}': async (api) => {
    const { id } = await sequence(api);
    return () => api.sequences.delete(id);
  },
  'POST /v1/sequences/{id}/steps': async (api) => {
    const { id } = await sequence(api);
    return () => api.sequences.addStep(id, letter);
  },
  'POST /v1/sequences/{id}/steps/reorder': async (api) => {
    const { id } = await sequence(api);
    await api.sequences.addStep(id, letter);
    return async () => api.sequences.reorderSteps(id, { step_ids: (await stepsOf(api, id)).toReversed() });
  },
  'PATCH /v1/sequences/{id}/steps/{step_id}': async (api) => {
    const { id } = await sequence(api);
    return async () => api.sequences.updateStep(id, (await stepsOf(api, id))[0]!, { subject: 'Other' });
  },
  'DELETE /v1/sequences/{id}/steps/{step_id}': async (api) => {
    const { id } = await sequence(api);
    return async () => api.sequences.deleteStep(id, (await stepsOf(api, id))[0]!);
  },
  'POST /v1/sends: from a sandbox inbox, now': async (api) => {
    const { id } = await inbox(api);
    return () => api.sends.create({ to: address(), inbox_id: id, ...letter, metadata: { deal: '42' } });
  },
  'POST /v1/sends: later': async (api) => {
    const { id } = await inbox(api);
    return () => api.sends.create({ to: address(), inbox_id: id, ...letter, send_at: later() });
  },
  'POST /v1/sends/{id}/cancel': async (api) => {
    const send = await api.sends.create({ to: address(), inbox_id: (await inbox(api)).id, ...letter, send_at: later() });
    return () => api.sends.cancel(send.id);
  },
  'POST /v1/campaigns': async (api) => {
    const wanted = { name: 'C', sequence_id: (await sequence(api)).id, sending_inbox_ids: [(await inbox(api)).id] };
    return () => api.campaigns.create(wanted);
  },
  'POST /v1/threads/{id}/replies: from a sandbox inbox': async (api) => {
    const id = await thread(api);
    return () => api.threads.reply(id, { to: address(), body_text: 'More' });
  },
  'PATCH /v1/campaigns/{id}': async (api) => {
    const id = await campaign(api);
    return () => api.campaigns.update(id, { name: 'Other' });
  },
  'DELETE /v1/campaigns/{id}: with a send that waits': async (api) => {
    const id = await planned(api);
    return () => api.campaigns.delete(id, { confirm: true });
  },
  'POST /v1/campaigns/{id}/steps': async (api) => {
    const id = await campaign(api);
    return () => api.campaigns.addStep(id, letter);
  },
  'POST /v1/campaigns/{id}/steps/reorder': async (api) => {
    const id = await campaign(api);
    await api.campaigns.addStep(id, letter);
    return async () => api.campaigns.reorderSteps(id, { step_ids: (await stepsIn(api, id)).toReversed() });
  },
  'PATCH /v1/campaigns/{id}/steps/{step_id}': async (api) => {
    const id = await campaign(api);
    return async () => api.campaigns.updateStep(id, (await stepsIn(api, id))[0]!, { subject: 'Other' });
  },
  'DELETE /v1/campaigns/{id}/steps/{step_id}': async (api) => {
    const id = await campaign(api);
    await api.campaigns.addStep(id, letter);
    return async () => api.campaigns.deleteStep(id, (await stepsIn(api, id))[0]!);
  },
  'POST /v1/campaigns/{id}/contacts/move: out of a draft': async (api) => {
    const [from, to] = [await campaign(api), await campaign(api)];
    return () => api.campaigns.moveContacts(from, { to_campaign_id: to, status: 'active' });
  },
  'POST /v1/campaigns/{id}/contacts/move: out of a running campaign, a send waits': async (api) => {
    const [from, to] = [await planned(api), await campaign(api)];
    return () => api.campaigns.moveContacts(from, { to_campaign_id: to, status: 'active' });
  },
  'POST /v1/campaigns/{id}/contacts: draft, running or paused': async (api) => {
    const [id, one] = [await campaign(api), await contact(api)];
    return () => api.campaigns.addContacts(id, { contact_ids: [one.id] });
  },
  'POST /v1/campaigns/{id}/contacts: completed': async (api) => {
    const [id, one] = [await completed(api), await contact(api)];
    return () => api.campaigns.addContacts(id, { contact_ids: [one.id] });
  },
  'POST /v1/campaigns/{id}/test_send': async (api) => {
    const id = await campaign(api);
    return () => api.campaigns.testSend(id, { to: address(), step_order: 0 });
  },
  'POST /v1/campaigns/{id}/start': async (api) => {
    const id = await campaign(api);
    return () => api.campaigns.start(id);
  },
  'POST /v1/campaigns/{id}/pause': async (api) => {
    const id = await campaign(api, { running: true });
    return () => api.campaigns.pause(id);
  },
  'POST /v1/campaigns/{id}/resume': async (api) => {
    const id = await campaign(api, { running: true });
    await api.campaigns.pause(id);
    return () => api.campaigns.resume(id);
  },
  'a campaign sends the last mail of its last contact': async (api) => {
    await campaign(api, { running: true });
    return () => h.run(10 * 60_000);
  },
  'POST /v1/webhooks': async (api) => () => webhook(api),
  'PATCH /v1/webhooks/{id}': async (api) => {
    const id = await webhook(api);
    return () => api.webhooks.update(id, { disabled: true });
  },
  'DELETE /v1/webhooks/{id}': async (api) => {
    const id = await webhook(api);
    return () => api.webhooks.delete(id);
  },
  'POST /v1/webhooks/{id}/rotate': async (api) => {
    const id = await webhook(api);
    return () => api.webhooks.rotate(id);
  },
  'POST /v1/webhooks/{id}/test': async (api) => {
    const id = await webhook(api);
    return () => api.webhooks.test(id);
  },
  'POST /v1/webhooks/{id}/replay': async (api) => {
    await contact(api);
    const id = await webhook(api);
    return () => api.webhooks.replay(id, { from_sequence: 1 });
  },
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': async (api) => {
    const id = await webhook(api);
    const { id: deliveryId } = await api.webhooks.test(id);
    return () => api.webhooks.redeliver(id, deliveryId);
  },
  'an endpoint gives no 2xx to any of seven attempts': async (api) => {
    await webhook(api);
    await hooked();
    await contact(api);
    there.answer = 500;
    return async () => {
      for (const minutes of [0, ...RETRIES_IN_MINUTES]) {
        h.tick(minutes * 70_000);
        await hooked();
      }
      there.answer = 200;
    };
  },
  'a live mail leaves': async (_api, live) => {
    const { id } = await mailbox(live);
    const { email } = await live.contacts.create({ email: 'silent@people.test' });
    return async () => {
      await live.sends.create({ to: email, inbox_id: id, ...letter });
      await h.settle();
    };
  },
  'a live mail is due, and its recipient is suppressed by then': async (_api, live) => {
    const { id } = await mailbox(live);
    await live.sends.create({ to: 'silent@people.test', inbox_id: id, ...letter, send_at: new Date(h.now().getTime() + 30_000).toISOString() });
    await live.suppressions.create({ email: 'silent@people.test' });
    return () => h.run(60_000);
  },
  'a person answers': answered('reply'),
  'a program answers that somebody is away': answered('out_of_office'),
  'a mail comes back, the mailbox is full': answered('soft_bounce'),
  'a mail comes back, there is no such mailbox': answered('hard_bounce'),
  'somebody complains to their provider': async (_api, live) => {
    const { box, raw } = await mailed(live, 'silent');
    office.imap.deliver(box.email_address, 'INBOX', complaint({ to: raw, date: h.now() }), { internalDate: h.now() });
    return () => readMail(box);
  },
  'the unsubscribe link of a campaign mail is posted': async (api) => {
    const id = await completed(api);
    return () => followed('POST', id, /unsubscribe_url (http\S+)/);
  },
  'a tracked mail is opened, and its link followed': async (api) => {
    const { id } = await inbox(api);
    const body_html = '<a href="https://example.com/pricing">Prices</a>';
    const { id: sent } = await api.sends.create({ to: address(), inbox_id: id, ...letter, body_html, track_opens: true, track_clicks: true });
    h.tick(60_000);
    return async () => {
      await followed('GET', sent, /src="([^"]+)"/);
      await followed('GET', sent, /href="([^"]+)"/);
    };
  },
  'a race of variants is decided when the planner looks next': async (api) => {
    const id = await racing(api);
    return async () => {
      await followed('GET', id, /src="([^"]+)"/);
      h.tick(2 * 86_400_000);
      await h.campaigns.step();
    };
  },
  'live contacts reach 80 % of the plan': async (_api, live) => {
    return () => live.contacts.batch({ contacts: [1, 2, 3, 4].map(() => ({ email: address() })) });
  },
};

/** Rows of the page's tables: what is done, and the events in backquotes. */
const rows = [...page.matchAll(/^\| (?!-)(.+?) \| (.+?) \|$/gm)].map(([, what, told]) => ({
  what: what!.replace(/^`([^`]+)`/, '$1'),
  events: [...told!.matchAll(/`([a-z._]+)`/g)].map(([, type]) => type!),
}));
const told = rows.filter((row) => row.what !== 'what is done');
const seen = new Map<string, Event>();

test('every row tells the events that stand there, and no others', async () => {
  assert.deepEqual(told.map((row) => row.what).sort(), Object.keys(ROWS).sort());
  const faults: unknown[] = [];
  for (const { what, events } of told) {
    const [api, live] = [await h.api({ workspace: what }), await h.api({ workspace: what, mode: 'live' })];
    const call = await ROWS[what]!(api, live);
    const since = new Map<Postrider, number>();
    for (const one of [api, live]) since.set(one, (await one.events.list({ limit: 1 })).data[0]?.sequence ?? 0);
    await call();
    const heard: Event[] = [];
    for (const [one, sequence] of since) heard.push(...(await one.events.list({ after_sequence: sequence, limit: 100 })).data.toReversed());
    const types = heard.map((event) => event.type);
    if (types.join(' ') !== events.join(' ')) faults.push({ what, types, events });
    for (const event of heard) seen.set(event.type, event);
  }
  assert.deepEqual(faults, []);
});

test('every operation that changes something is in the table', () => {
  const changing = allRoutes.filter((route) => route.method !== 'GET').map((route) => `${route.method} ${route.path}`);
  const isTold = (operation: string) => told.some(({ what }) => what === operation || what.startsWith(`${operation}:`));
  assert.deepEqual(changing.filter((operation) => !isTold(operation)), []); // prettier-ignore
});

test('every example has the fields that the event has', () => {
  const examples = [...page.matchAll(/```json\n([^`]+)```/g)].map(([, text]) => JSON.parse(text!) as Event);
  assert.deepEqual(new Set(examples.map((one) => one.type)), new Set(seen.keys()));
  const fieldsOf = (value: object | null) => (value ? Object.keys(value).sort() : null);
  for (const one of examples) {
    const real = seen.get(one.type)!;
    for (const part of ['data', 'previous', 'metadata'] as const) assert.deepEqual(fieldsOf(one[part]), fieldsOf(real[part]), `${one.type}: ${part}`);
    assert.deepEqual(Object.keys(one).sort(), Object.keys(real).sort(), one.type);
  }
});
