import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Postrider } from '../src/index.ts';
import { fakeClient, json, refusal } from './fake-fetch.ts';

const confirm = { confirm: true };
/** Every method, and the request line and body that it stands for. */
const METHODS: [string, (client: Postrider) => Promise<unknown>, unknown?][] = [
  ['GET /v1/api_keys', (c) => c.apiKeys.list()],
  ['POST /v1/api_keys', (c) => c.apiKeys.create({ name: 'ci', scope: 'read' }), { name: 'ci', scope: 'read' }],
  ['DELETE /v1/api_keys/key_1?confirm=true', (c) => c.apiKeys.revoke('key_1', confirm)],
  ['POST /v1/api_keys/key_1/rotate?confirm=true', (c) => c.apiKeys.rotate('key_1', confirm)],
  ['GET /v1/contacts?q=x', (c) => c.contacts.list({ q: 'x' })],
  ['POST /v1/contacts', (c) => c.contacts.create({ email: 'a@b.test' }), { email: 'a@b.test' }],
  ['POST /v1/contacts/batch', (c) => c.contacts.batch({ contacts: [] }), { contacts: [] }],
  ['GET /v1/contacts/con_1', (c) => c.contacts.retrieve('con_1')],
  ['PATCH /v1/contacts/con_1', (c) => c.contacts.update('con_1', { attributes: { a: null } }), { attributes: { a: null } }],
  ['DELETE /v1/contacts/con_1', (c) => c.contacts.delete('con_1')],
  ['POST /v1/contacts/con_1/lead_status', (c) => c.contacts.setLeadStatus('con_1', { lead_status: 'interested' }), { lead_status: 'interested' }],
  ['GET /v1/contact_imports', (c) => c.contactImports.list()],
  ['GET /v1/contact_imports/imp_1', (c) => c.contactImports.retrieve('imp_1')],
  ['GET /v1/audiences', (c) => c.audiences.list()],
  ['POST /v1/audiences', (c) => c.audiences.create({ name: 'A' }), { name: 'A' }],
  ['GET /v1/audiences/aud_1', (c) => c.audiences.retrieve('aud_1')],
  ['PATCH /v1/audiences/aud_1', (c) => c.audiences.update('aud_1', { description: null }), { description: null }],
  ['DELETE /v1/audiences/aud_1?confirm=true', (c) => c.audiences.delete('aud_1', confirm)],
  ['POST /v1/audiences/aud_1/contacts', (c) => c.audiences.addContacts('aud_1', { contact_ids: ['con_1'] }), { contact_ids: ['con_1'] }],
  ['DELETE /v1/audiences/aud_1/contacts/con_1', (c) => c.audiences.removeContact('aud_1', 'con_1')],
  ['GET /v1/sequences', (c) => c.sequences.list()],
  ['POST /v1/sequences', (c) => c.sequences.create({ name: 'S', steps: [] }), { name: 'S', steps: [] }],
  ['GET /v1/sequences/seq_1', (c) => c.sequences.retrieve('seq_1')],
  ['PATCH /v1/sequences/seq_1', (c) => c.sequences.update('seq_1', { name: 'T' }), { name: 'T' }],
  ['DELETE /v1/sequences/seq_1', (c) => c.sequences.delete('seq_1')],
  ['POST /v1/sequences/seq_1/steps', (c) => c.sequences.addStep('seq_1', { subject: 'Hi' }), { subject: 'Hi' }],
  ['PATCH /v1/sequences/seq_1/steps/stp_1', (c) => c.sequences.updateStep('seq_1', 'stp_1', { variants: null }), { variants: null }],
  ['DELETE /v1/sequences/seq_1/steps/stp_1', (c) => c.sequences.deleteStep('seq_1', 'stp_1')],
  ['POST /v1/sequences/seq_1/steps/reorder', (c) => c.sequences.reorderSteps('seq_1', { step_ids: [] }), { step_ids: [] }],
  ['GET /v1/inboxes?tag=a', (c) => c.inboxes.list({ tag: 'a' })],
  ['GET /v1/inboxes/inb_1', (c) => c.inboxes.retrieve('inb_1')],
  ['GET /v1/inboxes/inb_1/budget', (c) => c.inboxes.budget('inb_1')],
  ['GET /v1/inboxes/inb_1/warmup', (c) => c.inboxes.warmup('inb_1')],
  ['GET /v1/campaigns/cmp_1/contacts/con_1/explain', (c) => c.campaigns.explain('cmp_1', 'con_1')],
  ['GET /v1/test_clock', (c) => c.testClock.retrieve()],
  ['POST /v1/test_clock/advance', (c) => c.testClock.advance({ seconds: 60 }), { seconds: 60 }],
  ['POST /v1/inboxes/google/connect_link', (c) => c.inboxes.createConnectLink('google'), {}],
  ['POST /v1/inboxes/microsoft/connect_link', (c) => c.inboxes.createConnectLink('microsoft'), {}],
  ['POST /v1/inboxes/mailprovider/connect_link', (c) => c.inboxes.createConnectLink('mailprovider', { redirect_url: 'x' }), { redirect_url: 'x' }],
  ['POST /v1/inboxes/sandbox', (c) => c.inboxes.createSandbox(), {}],
  ['PATCH /v1/inboxes/inb_1', (c) => c.inboxes.update('inb_1', { ramp: { days: 9 } }), { ramp: { days: 9 } }],
  ['DELETE /v1/inboxes/inb_1?confirm=true', (c) => c.inboxes.delete('inb_1', confirm)],
  ['GET /v1/campaigns?status=draft', (c) => c.campaigns.list({ status: 'draft' })],
  ['POST /v1/campaigns', (c) => c.campaigns.create({ name: 'C', sequence_id: 'seq_1' }), { name: 'C', sequence_id: 'seq_1' }],
  ['GET /v1/campaigns/cmp_1', (c) => c.campaigns.retrieve('cmp_1')],
  ['GET /v1/campaigns/cmp_1/contacts?email=a%40b.test', (c) => c.campaigns.contacts('cmp_1', { email: 'a@b.test' })],
  ['POST /v1/campaigns/cmp_1/contacts', (c) => c.campaigns.addContacts('cmp_1', { audience_id: 'aud_1' }), { audience_id: 'aud_1' }],
  ['PATCH /v1/campaigns/cmp_1', (c) => c.campaigns.update('cmp_1', { sending_inbox_tags: null }), { sending_inbox_tags: null }],
  ['DELETE /v1/campaigns/cmp_1?confirm=true', (c) => c.campaigns.delete('cmp_1', confirm)],
  ['POST /v1/campaigns/cmp_1/contacts/move', (c) => c.campaigns.moveContacts('cmp_1', { to_campaign_id: 'cmp_2' }), { to_campaign_id: 'cmp_2' }],
  ['GET /v1/campaigns/cmp_1/steps?limit=5', (c) => c.campaigns.steps('cmp_1', { limit: 5 })],
  ['POST /v1/campaigns/cmp_1/steps', (c) => c.campaigns.addStep('cmp_1', { subject: 'Hi' }), { subject: 'Hi' }],
  ['PATCH /v1/campaigns/cmp_1/steps/cst_1', (c) => c.campaigns.updateStep('cmp_1', 'cst_1', { variants: null }), { variants: null }],
  ['DELETE /v1/campaigns/cmp_1/steps/cst_1', (c) => c.campaigns.deleteStep('cmp_1', 'cst_1')],
  ['POST /v1/campaigns/cmp_1/steps/reorder', (c) => c.campaigns.reorderSteps('cmp_1', { step_ids: [] }), { step_ids: [] }],
  ['POST /v1/campaigns/cmp_1/start?dry_run=true', (c) => c.campaigns.start('cmp_1', { dry_run: true })],
  [
    'POST /v1/campaigns/cmp_1/test_send',
    (c) => c.campaigns.testSend('cmp_1', { to: 'me@b.test', step_order: 0 }),
    { to: 'me@b.test', step_order: 0 },
  ],
  ['POST /v1/campaigns/cmp_1/pause', (c) => c.campaigns.pause('cmp_1')],
  ['POST /v1/campaigns/cmp_1/resume', (c) => c.campaigns.resume('cmp_1')],
  ['GET /v1/sends?state=canceled', (c) => c.sends.list({ state: 'canceled' })],
  [
    'POST /v1/sends',
    (c) => c.sends.create({ to: 'a@b.test', subject: 'Hi', inbox_id: 'inb_1' }),
    { to: 'a@b.test', subject: 'Hi', inbox_id: 'inb_1' },
  ],
  ['GET /v1/sends/snd_1?expand=inbox', (c) => c.sends.retrieve('snd_1', { expand: 'inbox' })],
  ['POST /v1/sends/snd_1/cancel', (c) => c.sends.cancel('snd_1')],
  ['GET /v1/messages?direction=inbound', (c) => c.messages.list({ direction: 'inbound' })],
  ['GET /v1/messages/msg_1/body', (c) => c.messages.body('msg_1')],
  ['GET /v1/messages/msg_1?expand=inbox', (c) => c.messages.retrieve('msg_1', { expand: 'inbox' })],
  ['GET /v1/threads?has_reply=true', (c) => c.threads.list({ has_reply: true })],
  ['GET /v1/threads/thr_1', (c) => c.threads.retrieve('thr_1')],
  ['POST /v1/threads/thr_1/replies', (c) => c.threads.reply('thr_1', { body_text: 'Hi' }), { body_text: 'Hi' }],
  ['GET /v1/suppressions?reason=manual', (c) => c.suppressions.list({ reason: 'manual' })],
  ['POST /v1/suppressions', (c) => c.suppressions.create({ email: 'a@b.test' }), { email: 'a@b.test' }],
  ['POST /v1/suppressions/batch', (c) => c.suppressions.batch({ suppressions: [] }), { suppressions: [] }],
  ['GET /v1/suppressions/sup_1', (c) => c.suppressions.retrieve('sup_1')],
  ['DELETE /v1/suppressions/sup_1', (c) => c.suppressions.delete('sup_1')],
  ['GET /v1/workspace', (c) => c.workspace.retrieve()],
  ['GET /v1/events?resource_id=con_1', (c) => c.events.list({ resource_id: 'con_1' })],
  ['GET /v1/webhooks', (c) => c.webhooks.list()],
  ['POST /v1/webhooks', (c) => c.webhooks.create({ url: 'https://a.test', enabled_events: ['*'] }), { url: 'https://a.test', enabled_events: ['*'] }],
  ['GET /v1/webhooks/whk_1', (c) => c.webhooks.retrieve('whk_1')],
  ['PATCH /v1/webhooks/whk_1', (c) => c.webhooks.update('whk_1', { disabled: false }), { disabled: false }],
  ['DELETE /v1/webhooks/whk_1', (c) => c.webhooks.delete('whk_1')],
  ['POST /v1/webhooks/whk_1/rotate', (c) => c.webhooks.rotate('whk_1')],
  ['POST /v1/webhooks/whk_1/test', (c) => c.webhooks.test('whk_1', { event_type: 'send.sent' }), { event_type: 'send.sent' }],
  ['GET /v1/webhooks/whk_1/deliveries?status=failed', (c) => c.webhooks.deliveries('whk_1', { status: 'failed' })],
  ['POST /v1/webhooks/whk_1/deliveries/whd_1/redeliver', (c) => c.webhooks.redeliver('whk_1', 'whd_1')],
  ['POST /v1/webhooks/whk_1/replay', (c) => c.webhooks.replay('whk_1', { from_sequence: 7 }), { from_sequence: 7 }],
  ['GET /v1/events/evt_1', (c) => c.events.retrieve('evt_1')],
];

/** Methods whose requests have tests of their own. */
const ELSEWHERE = ['POST /v1/inboxes/smtp', 'POST /v1/contact_imports'];

test('there is a method for every operation of the service, and none besides', () => {
  const { paths } = JSON.parse(readFileSync(new URL('../../server/golden/openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const offered = Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  const lines = [...METHODS.map(([line]) => line.split('?', 1)[0]!), ...ELSEWHERE];
  const spelling = (operation: string) => new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[a-z]+_1')}$`);
  assert.deepEqual(
    offered.filter((one) => /\/v1\//.test(one) && !lines.some((line) => spelling(one).test(line))),
    [],
  );
  assert.deepEqual(
    lines.filter((line) => !offered.some((one) => spelling(one).test(line))),
    [],
  );
});

test('each method makes its request', async () => {
  for (const [line, run, body] of METHODS) {
    const { client, calls } = fakeClient(() => json({ object: 'list', data: [], has_more: false, next_cursor: null }));
    await run(client);
    const [call] = calls;
    assert.equal(`${call?.method} ${call?.url.pathname}${call?.url.search}`, line);
    assert.deepEqual(call?.body === undefined ? undefined : JSON.parse(String(call.body)), body, line);
  }
});

test('an SMTP mailbox is connected with what was given and nothing else', async () => {
  const { client, calls } = fakeClient(() => json({ id: 'inb_1' }, 201));
  const server = { port: 465, security: 'ssl' as const };
  const body = { email_address: 'a@b.test', smtp: { host: 'smtp.b.test', ...server, password: 'x' }, imap: { host: 'imap.b.test', ...server } };
  await client.inboxes.connectSmtp(body, { headers: { 'X-Trace': 'on' } });
  assert.equal(calls[0]?.url.pathname, '/v1/inboxes/smtp');
  assert.deepEqual(JSON.parse(String(calls[0]?.body)), body);
  assert.equal(calls[0]?.headers['x-trace'], 'on');
});

test('a CSV goes up as a form: text, bytes or a Blob, the same bytes at each attempt', async () => {
  const csv = 'email,name\nann@example.com,Änn\n';
  const inWindows1252 = new Uint8Array(Buffer.from(csv, 'latin1'));
  for (const file of [csv, inWindows1252, new Blob([csv])]) {
    const { client, calls } = fakeClient((_, index) =>
      index === 0 ? refusal(503, 'api_error', 'service_unavailable') : json({ id: 'imp_1', object: 'contact_import' }),
    );
    const job = await client.contactImports.create({
      file,
      filename: 'leads.csv',
      mapping: { email: 'email', attributes: { name: 'name' } },
      audience_name: 'Leads',
      on_conflict: 'skip',
    });
    assert.equal(job.object, 'contact_import');
    const [first, second] = calls;
    assert.equal(first?.url.search, '');
    assert.deepEqual(second?.body, first?.body);
    assert.equal(second?.headers['content-type'], first?.headers['content-type']);
    const form = await new Response(second?.body, { headers: { 'content-type': second?.headers['content-type'] ?? '' } }).formData();
    const uploaded = form.get('file');
    assert.ok(uploaded instanceof File);
    assert.equal(uploaded.name, 'leads.csv');
    assert.deepEqual(await uploaded.bytes(), await new Blob([file]).bytes());
    assert.deepEqual([...form.keys()], ['mapping', 'audience_name', 'on_conflict', 'file']);
    const mapping = form.get('mapping');
    assert.ok(typeof mapping === 'string');
    assert.deepEqual(JSON.parse(mapping), { email: 'email', attributes: { name: 'name' } });
  }
});

test('a dry run of an import says so in the query', async () => {
  const { client, calls } = fakeClient(() => json({ object: 'contact_import_dry_run', valid_rows: 1 }));
  const result = await client.contactImports.create({ file: 'email\na@b.test', dry_run: true });
  assert.equal(result.valid_rows, 1);
  assert.equal(calls[0]?.url.search, '?dry_run=true');
});
