// What belongs to another workspace or mode is, to the byte, what does not exist.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';

let h: House;
let own: Record<string, string>;
let secrets: { foreign: string; otherMode: string; owner: string };
before(async () => {
  h = await house();
  own = await things();
  secrets = { owner: await h.secretFor(), foreign: await h.secretFor({ workspace: 'two' }), otherMode: await h.secretFor({ mode: 'live' }) };
});
after(() => h.close());

/** One of each thing, by the path under which it is found. */
async function things(): Promise<Record<string, string>> {
  const api = await h.api();
  const inbox = (await api.inboxes.createSandbox()).id;
  const contact = (await api.contacts.create({ email: 'ann@example.com' })).id;
  const sequence = (await api.sequences.create({ name: 'S', steps: [{ subject: 's', body_text: 'b' }] })).id;
  const campaign = (await api.campaigns.create({ name: 'C', sequence_id: sequence, sending_inbox_ids: [inbox] })).id;
  await api.campaigns.addContacts(campaign, { contact_ids: [contact] });
  const send = (await api.sends.create({ to: 'bob@example.com', subject: 's', body_text: 'b', inbox_id: inbox })).id;
  const [message] = (await api.messages.list()).data;
  const [event] = (await api.events.list()).data;
  const [thread] = (await api.threads.list()).data;
  const webhook = (await api.webhooks.create({ url: 'https://hooks.example.com', enabled_events: ['*'] })).id;
  const sent = { sends: send, messages: message!.id, threads: thread!.id };
  return { webhooks: webhook, inboxes: inbox, contacts: contact, sequences: sequence, campaigns: campaign, ...sent, events: event!.id };
}

async function answer(secret: string, line: string, body?: object) {
  const [method, url] = line.split(' ') as ['GET', string];
  const headers = { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) };
  const reply = await h.app.inject({ method, url: `/v1/${url}`, headers, ...(body && { payload: JSON.stringify(body) }) });
  return `${reply.statusCode} ${reply.body.replaceAll(/req_[0-9a-z]{26}/g, 'req')}`;
}

const ABSENT = '01jd0000000000000000000000';
const snapshot = async () => {
  const tables = [
    'inboxes',
    'campaigns',
    'enrollments',
    'sends',
    'messages',
    'events',
    'contacts',
    'sequences',
    'webhook_endpoints',
    'webhook_deliveries',
  ];
  return Promise.all(tables.map((name) => rowsOf(h.db, `select md5(string_agg(t::text, '|' order by t::text)) as sum from ${name} t`, [])));
};

test('foreign, of the other mode, absent and misspelt answer alike, whatever is asked, and nothing changes', async () => {
  const asked: [string, (id: string) => string, object?][] = [
    ...Object.keys(own).map((name): [string, (id: string) => string] => [name, (id) => `GET ${name}/${id}`]),
    ['inboxes', (id) => `PATCH inboxes/${id}`, { daily_limit: 3 }],
    ['webhooks', (id) => `PATCH webhooks/${id}`, { disabled: true }],
    ['webhooks', (id) => `GET webhooks/${id}/deliveries`],
    ...['rotate', 'test'].map((verb): [string, (id: string) => string, object] => ['webhooks', (id) => `POST webhooks/${id}/${verb}`, {}]),
    ['webhooks', (id) => `POST webhooks/${id}/replay`, { from_sequence: 1 }],
    ['webhooks', (id) => `DELETE webhooks/${id}`],
    ['sends', (id) => `POST sends/${id}/cancel`],
    ['campaigns', (id) => `GET campaigns/${id}/contacts`],
    ['campaigns', (id) => `POST campaigns/${id}/contacts`, { contact_ids: ['x'] }],
    ['campaigns', (id) => `PATCH campaigns/${id}`, { name: 'x' }],
    ['campaigns', (id) => `DELETE campaigns/${id}?confirm=true`],
    ['campaigns', (id) => `GET campaigns/${id}/steps`],
    ['campaigns', (id) => `POST campaigns/${id}/steps`, { subject: 'x' }],
    ['campaigns', (id) => `POST campaigns/${id}/steps/reorder`, { step_ids: [] }],
    ['campaigns', (id) => `PATCH campaigns/${id}/steps/cst_${ABSENT}`, { subject: 'x' }],
    ['campaigns', (id) => `DELETE campaigns/${id}/steps/cst_${ABSENT}`],
    ['campaigns', (id) => `POST campaigns/${id}/contacts/move`, { to_campaign_id: 'x', status: 'active' }],
    ['campaigns', (id) => `POST campaigns/${id}/start?dry_run=true`],
    ...['start', 'pause', 'resume'].map((verb): [string, (id: string) => string] => ['campaigns', (id) => `POST campaigns/${id}/${verb}`]),
  ];
  const before = await snapshot();
  for (const [name, line, body] of asked) {
    const id = own[name]!;
    const answers = new Set<string>();
    for (const secret of [secrets.foreign, secrets.otherMode]) answers.add(await answer(secret, line(id), body));
    answers.add(await answer(secrets.owner, line(`${id.split('_')[0]}_${ABSENT}`), body));
    for (const misspelt of ['x', '%27--', id.toUpperCase(), `key_${ABSENT}`, 'x'.repeat(1500), '%00', '%F0%9F%9A%80']) {
      const [status] = (await answer(secrets.owner, line(misspelt), body)).split(' ');
      assert.equal(status, '404', `${line(misspelt)}`);
    }
    assert.equal(answers.size, 1, [...answers].join('\n'));
    assert.match([...answers][0]!, /^404 .*"resource_missing"/);
  }
  assert.deepEqual(await snapshot(), before);
});

test('lists show nothing of others, filters by a foreign id find what filters by an absent one find', async () => {
  for (const name of ['inboxes', 'sends', 'campaigns', 'messages', 'threads', 'events', 'webhooks']) {
    for (const secret of [secrets.foreign, secrets.otherMode]) {
      const { data } = JSON.parse((await answer(secret, `GET ${name}`)).slice(4)) as { data: unknown[] };
      assert.deepEqual(data, [], name);
    }
  }
  const filters = [
    ['sends', 'inbox_id', 'inboxes'],
    ['messages', 'inbox_id', 'inboxes'],
    ['messages', 'thread_id', 'threads'],
    ['threads', 'inbox_id', 'inboxes'],
    ['events', 'resource_id', 'inboxes'],
  ] as const;
  for (const [list, filter, of] of filters) {
    const [foreign, absent] = [own[of]!, `${own[of]!.split('_')[0]}_${ABSENT}`];
    assert.equal(await answer(secrets.foreign, `GET ${list}?${filter}=${foreign}`), await answer(secrets.foreign, `GET ${list}?${filter}=${absent}`));
  }
});

test('no id of others is a cursor; nor is a cursor of another list', async () => {
  const cursors = new Map<string, string>();
  const api = await h.api();
  await api.inboxes.createSandbox();
  await api.sends.create({ to: 'carl@example.com', subject: 's', body_text: 'b', inbox_id: own['inboxes']! });
  for (const name of ['inboxes', 'sends', 'messages', 'threads', 'events']) {
    const { next_cursor: next } = JSON.parse((await answer(secrets.owner, `GET ${name}?limit=1`)).slice(4)) as { next_cursor: string };
    cursors.set(name, next);
  }
  for (const [name, cursor] of cursors) {
    assert.match(await answer(secrets.owner, `GET ${name}?starting_after=${cursor}`), /^200/);
    for (const other of cursors.keys()) {
      if (other !== name) assert.match(await answer(secrets.owner, `GET ${other}?starting_after=${cursor}`), /^400 .*invalid_cursor/);
    }
    const [theirs, absent] = [own[name]!, `${own[name]!.split('_')[0]}_${ABSENT}`];
    for (const param of ['starting_after', 'ending_before']) {
      const said = await answer(secrets.foreign, `GET ${name}?${param}=${theirs}`);
      assert.match(said, /^400 .*invalid_cursor/);
      assert.equal(said, await answer(secrets.foreign, `GET ${name}?${param}=${absent}`));
      assert.match(await answer(secrets.owner, `GET ${name}?${param}=${theirs}`), /^200/);
    }
    assert.match(await answer(secrets.owner, `GET ${name}?starting_after=${cursor}&ending_before=${cursor}`), /^400 .*invalid_cursor/);
    assert.match(await answer(secrets.owner, `GET ${name}?limit=1&limit=2`), /^400 .*invalid_parameter/);
  }
});
