import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';

type Api = Awaited<ReturnType<House['api']>>;
type Body = Parameters<Api['campaigns']['create']>[0];
let h: House;
let api: Api;
let inbox: string;
let sequence: string;
before(async () => {
  h = await house();
  api = await h.api();
  // Nobody answers or bounces here.
  inbox = (await api.inboxes.createSandbox({ sandbox_config: { reply_probability: 0, bounce_probability: 0 } })).id;
  sequence = (await api.sequences.create({ name: 'S', steps: [{ subject: 'Hello', body_text: 'Hi', delay_minutes: 0 }] })).id;
});
after(() => h.close());

let people = 0;
const made = (change: object = {}, on = api) =>
  on.campaigns.create({ name: 'C', sequence_id: sequence, sending_inbox_ids: [inbox], ...change } as Body);
const contacts = async (count: number, on = api) => {
  const emails = Array.from({ length: count }, () => ({ email: `p${++people}@people.test` }));
  return (await on.contacts.batch({ contacts: emails })).created.map((one) => one.id);
};
const told = async (id: string) => (await api.events.list({ resource_id: id })).data.sort((a, b) => a.sequence - b.sequence).map((one) => one.type);
const counts = () => rowsOf(h.db, 'select (select count(*) from campaigns) as campaigns, (select count(*) from campaign_steps) as steps', []);

test('a campaign is a draft with its own copy of the steps, and the usual hours', async () => {
  const campaign = await made({ sending_inbox_tags: [' Sales ', 'sales'], sending_inbox_ids: [inbox, inbox] });
  assert.deepEqual([campaign.lastResponse.status, campaign.status, campaign.send_status, campaign.paused_reason], [201, 'draft', null, null]);
  assert.deepEqual(campaign.schedule, { timezone: 'UTC', daysOfWeek: [1, 2, 3, 4, 5], startHour: 9, endHour: 17 });
  assert.deepEqual([campaign.sending_inbox_ids, campaign.sending_inbox_tags], [[inbox], ['sales']]);
  const [step] = (await api.sequences.retrieve(sequence)).steps!;
  await api.sequences.update(sequence, { name: 'Renamed' });
  const [copy] = (await api.campaigns.retrieve(campaign.id)).sequence_steps!;
  assert.deepEqual([copy!.object, copy!.campaign_id, copy!.source_step_id, copy!.subject], ['campaign_step', campaign.id, step!.id, 'Hello']);
});

const on = (schedule: object) => ({ schedule });
const REFUSED: [object, string, string][] = [
  [{ name: undefined }, 'parameter_missing', 'name'],
  ...['', '  ', 'a\nb', 'x'.repeat(201), null].map((name): [object, string, string] => [{ name }, 'validation_failed', 'name']),
  [{ sending_inbox_ids: undefined }, 'parameter_missing', 'sending_inbox_ids'],
  [{ sending_inbox_ids: [], sending_inbox_tags: [] }, 'parameter_missing', 'sending_inbox_ids'],
  [{ sending_inbox_tags: [''] }, 'validation_failed', 'sending_inbox_tags[0]'],
  [{ sending_inbox_tags: null }, 'validation_failed', 'sending_inbox_tags'],
  ...[24, -1, 1.5, '9'].map((startHour): [object, string, string] => [on({ startHour }), 'validation_failed', 'schedule.startHour']),
  ...[25, 0, 9, 8].map((endHour): [object, string, string] => [on({ endHour }), 'validation_failed', 'schedule.endHour']),
  ...[[], [1, 1], 'Mon', [0, 1, 2, 3, 4, 5, 6, 0]].map((daysOfWeek): [object, string, string] => [
    on({ daysOfWeek }),
    'validation_failed',
    'schedule.daysOfWeek',
  ]),
  [on({ daysOfWeek: [7] }), 'validation_failed', 'schedule.daysOfWeek[0]'],
  [on({ daysOfWeek: ['Mon'] }), 'validation_failed', 'schedule.daysOfWeek[0]'],
  ...['Mars/X', '+02:00', ''].map((timezone): [object, string, string] => [on({ timezone }), 'validation_failed', 'schedule.timezone']),
  [on({ pause: 1 }), 'unknown_parameter', 'schedule.pause'],
  [{ track_opens: 'true' }, 'validation_failed', 'track_opens'],
  ...['status', 'mode', 'paused_reason'].map((name): [object, string, string] => [{ [name]: 'x' }, 'unknown_parameter', name]),
];

test('a campaign that does not fit is refused by name, and nothing is written', async () => {
  const before = await counts();
  for (const [change, code, param] of REFUSED) await refused(made(change), 422, code, param);
  const empty = (await api.sequences.create({ name: 'Empty' })).id;
  await refused(made({ sequence_id: empty }), 422, 'validation_failed', 'sequence_id');
  const other = await h.api({ workspace: 'two' });
  const [theirs, live] = [await other.sequences.create({ name: 'T', steps: [{ subject: 's', body_text: 'b' }] }), await h.api({ mode: 'live' })];
  for (const sequence_id of [theirs.id, 'seq_01jd0000000000000000000000', 'x'])
    await refused(made({ sequence_id }), 404, 'resource_missing', 'sequence_id');
  const foreign = (await other.inboxes.createSandbox()).id;
  for (const id of [foreign, 'inb_01jd0000000000000000000000', 'x']) {
    await refused(made({ sending_inbox_ids: [inbox, id] }), 404, 'resource_missing', 'sending_inbox_ids[1]');
  }
  const own = (await live.sequences.create({ name: 'L', steps: [{ subject: 's', body_text: 'b' }] })).id;
  await refused(made({ sequence_id: own }, live), 404, 'resource_missing', 'sending_inbox_ids[0]');
  await refused(made({}, await h.api({ scope: 'read' })), 403, 'insufficient_scope');
  assert.deepEqual(await counts(), before);
});

test('starting, pausing, resuming: each from its state alone, once, and told', async () => {
  const { id } = await made();
  await api.campaigns.addContacts(id, { contact_ids: await contacts(1) });
  for (const verb of ['pause', 'resume'] as const) await refused(api.campaigns[verb](id), 409, 'invalid_campaign_state');
  const starts = await Promise.allSettled(Array.from({ length: 6 }, () => api.campaigns.start(id)));
  assert.equal(starts.filter((one) => one.status === 'fulfilled').length, 1);
  for (const one of starts) if (one.status === 'rejected') assert.deepEqual([one.reason.status, one.reason.code], [409, 'invalid_campaign_state']);
  await refused(api.campaigns.resume(id), 409, 'invalid_campaign_state');
  assert.equal((await api.campaigns.pause(id)).status, 'paused');
  await refused(api.campaigns.start(id), 409, 'invalid_campaign_state');
  await rowsOf(h.db, `update campaigns set paused_reason = 'bounce_protection' where id = $1`, [id]);
  assert.equal((await api.campaigns.retrieve(id)).paused_reason, 'bounce_protection');
  const resumed = await api.campaigns.resume(id);
  assert.deepEqual([resumed.status, resumed.paused_reason], ['running', null]);
  assert.deepEqual(await told(id), ['campaign.started', 'campaign.paused', 'campaign.resumed']);
  for (const verb of ['start', 'pause', 'resume'] as const)
    await refused(api.campaigns[verb]('cmp_01jd0000000000000000000000'), 404, 'resource_missing', 'id');
});

test('a campaign that is not ready says all that is in the way', async () => {
  const broken = (
    await api.sequences.create({
      name: 'B',
      steps: [
        { subject: 'x', body_text: 'x' },
        { subject: '', body_text: 'y' },
      ],
    })
  ).id;
  const { id } = await made({ sequence_id: broken, sending_inbox_ids: [], sending_inbox_tags: ['nobody'] });
  await rowsOf(h.db, `update campaign_steps set subject = ' ', body_text = ' ' where campaign_id = $1 and step_order = 0`, [id]);
  const error = await refused(api.campaigns.start(id), 422, 'campaign_not_ready');
  assert.deepEqual(
    (error.problems as { code: string }[]).map((one) => one.code),
    ['empty_subject', 'empty_body', 'no_inbox'],
  );
  assert.deepEqual([(await api.campaigns.retrieve(id)).status, await told(id)], ['draft', []]);
});

const none = { unsubscribed: 0, bounced: 0, suppressed: 0, verification: 0, replied: 0, in_other_campaign: 0 };

test('attaching: everybody is counted once, whoever may not be written to is left out', async () => {
  const { id } = await made();
  const other = (await made()).id;
  const all = await contacts(9);
  const [unsubscribed, bounced, blacklisted, suppressed, elsewhere, a, b] = all as [string, string, string, string, string, string, string];
  for (const [contact, status] of [
    [unsubscribed, 'unsubscribed'],
    [bounced, 'bounced'],
    [blacklisted, 'blacklisted'],
  ]) {
    await rowsOf(h.db, 'update contacts set global_status = $2 where id = $1', [contact, status]);
  }
  await api.suppressions.create({ email: (await api.contacts.retrieve(suppressed)).email });
  await api.campaigns.addContacts(other, { contact_ids: [elsewhere] });
  const [foreign] = await contacts(1, await h.api({ workspace: 'two' }));
  const ids = [...all, a, b, foreign!, 'con_01jd0000000000000000000000', 'x'];
  const result = await api.campaigns.addContacts(id, { contact_ids: ids, skip_if_in_other_campaign: true });
  const reasons = { ...none, unsubscribed: 1, bounced: 1, suppressed: 2, in_other_campaign: 1 };
  const { lastResponse: _, ...counted } = result;
  assert.deepEqual(counted, {
    object: 'attach_result',
    attached: 4,
    skipped: 7,
    restored: 0,
    already_enrolled: 2,
    not_found: 3,
    skipped_reasons: reasons,
  });
  assert.equal(counted.attached + counted.skipped + counted.not_found, ids.length);
  const again = await api.campaigns.addContacts(id, { contact_ids: [a, b, elsewhere] });
  assert.deepEqual([again.attached, again.already_enrolled, again.skipped], [1, 2, 2]);
  assert.equal((await api.campaigns.contacts(id, { limit: 100 })).data.length, 5);
});

test('attaching in parallel enrolls each once; who replied or was taken out is known again', async () => {
  const { id } = await made();
  const ids = await contacts(20);
  const tries = await Promise.all(Array.from({ length: 8 }, () => api.campaigns.addContacts(id, { contact_ids: ids })));
  assert.equal(
    tries.reduce((sum, one) => sum + one.attached, 0),
    20,
  );
  const set = (status: string, contact: string) =>
    rowsOf(h.db, 'update enrollments set status = $2, plan_due_at = null, current_step = 3 where contact_id = $1', [contact, status]);
  for (const [i, status] of ['replied', 'removed', 'removed', 'finished', 'bounced'].entries()) await set(status, ids[i]!);
  await rowsOf(h.db, `update contacts set global_status = 'unsubscribed' where id = $1`, [ids[2]]);
  const again = await api.campaigns.addContacts(id, { contact_ids: ids.slice(0, 6) });
  assert.deepEqual(
    [again.attached, again.restored, again.already_enrolled, again.skipped_reasons],
    [1, 1, 3, { ...none, replied: 1, unsubscribed: 1 }],
  );
  const [restored] = (await api.campaigns.contacts(id, { email: (await api.contacts.retrieve(ids[1]!)).email })).data;
  assert.deepEqual([restored!.status, restored!.current_step], ['active', 3]);
});

test('a campaign has one row for a contact, whoever writes it', async () => {
  const { id } = await made();
  const [contact] = await contacts(1);
  await api.campaigns.addContacts(id, { contact_ids: [contact!] });
  const again = `insert into enrollments select (jsonb_populate_record(e, '{"id": "enr_other"}')).* from enrollments e where campaign_id = $1`;
  await assert.rejects(rowsOf(h.db, again, [id]), { code: '23505' });
});

test('whom to attach must be said in one way', async () => {
  const { id } = await made();
  const audience = await api.audiences.create({ name: 'A' });
  const theirs = await (await h.api({ workspace: 'two' })).audiences.create({ name: 'T' });
  const attach = (body: object) => api.campaigns.addContacts(id, body as { audience_id: string });
  const many = Array.from({ length: 1001 }, () => 'con_01jd0000000000000000000000');
  await refused(attach({}), 422, 'parameter_missing', 'contact_ids');
  for (const contact_ids of [[], many, 'x', null]) await refused(attach({ contact_ids }), 422, 'validation_failed', 'contact_ids');
  await refused(attach({ contact_ids: ['x'], audience_id: audience.id }), 422, 'validation_failed', 'contact_ids');
  for (const audience_id of [theirs.id, 'aud_01jd0000000000000000000000', 'x', ''])
    await refused(attach({ audience_id }), 404, 'resource_missing', 'audience_id');
  await refused(attach({ audience_id: audience.id, step: 2 }), 422, 'unknown_parameter', 'step');
  await refused(api.campaigns.addContacts('cmp_01jd0000000000000000000000', { audience_id: audience.id }), 404, 'resource_missing', 'id');
  assert.equal((await attach({ audience_id: audience.id })).attached, 0);
});

test('whoever comes to a completed campaign sets it going again, once', async () => {
  const { id } = await made({ schedule: { daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 } });
  const [first, ...rest] = await contacts(4);
  await api.campaigns.addContacts(id, { contact_ids: [first!] });
  await api.campaigns.start(id);
  await h.run(10 * 60_000);
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
  assert.equal((await api.campaigns.addContacts(id, { contact_ids: [first!] })).attached, 0);
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
  await Promise.all(rest.map((one) => api.campaigns.addContacts(id, { contact_ids: [one] })));
  assert.equal((await api.campaigns.retrieve(id)).status, 'running');
  assert.equal((await told(id)).filter((type) => type === 'campaign.resumed').length, 1);
  await h.run(10 * 60_000);
  assert.deepEqual(new Set((await api.campaigns.contacts(id)).data.map((one) => one.status)), new Set(['finished']));
});

test('lists filter, and refuse what they do not know', async () => {
  const { id } = await made();
  const [a, b] = await contacts(2);
  await api.campaigns.addContacts(id, { contact_ids: [a!, b!] });
  assert.equal((await api.campaigns.contacts(id, { status: 'active' })).data.length, 2);
  assert.equal((await api.campaigns.contacts(id, { status: 'replied' })).data.length, 0);
  const { email } = await api.contacts.retrieve(a!);
  assert.deepEqual(
    (await api.campaigns.contacts(id, { email: email.toUpperCase() })).data.map((one) => one.contact_id),
    [a],
  );
  for (const [param, value] of [
    ['status', 'lost'],
    ['limit', '0'],
    ['colour', 'red'],
  ]) {
    await refused(api.campaigns.contacts(id, { [param!]: value } as object), 400, 'invalid_parameter', param);
    await refused(api.campaigns.list({ [param!]: value } as object), 400, 'invalid_parameter', param);
  }
});
