import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Postrider } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';

const MINUTE = 60_000;
const ALWAYS = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
const ABSENT = '01jd0000000000000000000000';
let h: House;
let api: Postrider;
let inbox: string;
let sequence: string;
before(async () => {
  h = await house();
  api = await h.api();
  inbox = (await api.inboxes.createSandbox()).id;
  await api.inboxes.update(inbox, { daily_limit: 500 });
  const steps = [
    { subject: 'One', body_text: 'x', delay_minutes: 0 },
    { subject: 'Two', body_text: 'x', delay_minutes: 60 },
  ];
  sequence = (await api.sequences.create({ name: 'S', steps })).id;
});
after(() => h.close());

const made = async () => (await api.campaigns.create({ name: 'C', sequence_id: sequence, sending_inbox_ids: [inbox], schedule: ALWAYS })).id;
let people = 0;
const contacts = async (count: number, attributes = {}, on = api) => {
  const emails = Array.from({ length: count }, () => ({ email: `m${++people}@people.test`, attributes }));
  return (await on.contacts.batch({ contacts: emails })).created.map((one) => one.id);
};
const set = (campaign: string, contact: string, status: string) =>
  rowsOf(h.db, 'update enrollments set status = $3, plan_due_at = null where campaign_id = $1 and contact_id = $2', [campaign, contact, status]);
/** contact → status:step in a campaign. */
const inside = async (campaign: string) =>
  Object.fromEntries(
    (await api.campaigns.contacts(campaign, { limit: 100 })).data.map((one) => [one.contact_id, `${one.status}:${one.current_step}`]),
  );
const none = { unsubscribed: 0, bounced: 0, suppressed: 0, verification: 0, replied: 0, in_other_campaign: 0 };
async function pair(count: number) {
  const [source, target, ids] = [await made(), await made(), await contacts(count)];
  if (count > 0) await api.campaigns.addContacts(source, { contact_ids: ids });
  return { source, target, ids };
}

test('moving: enrolled in the target by its rules, taken out of the source only where that succeeded, all counted', async () => {
  const { source, target, ids } = await pair(7);
  const [fresh, unsubscribed, suppressed, there, answered, finished, removed] = ids as [string, string, string, string, string, string, string];
  await rowsOf(h.db, `update contacts set global_status = 'unsubscribed' where id = $1`, [unsubscribed]);
  await api.suppressions.create({ email: (await api.contacts.retrieve(suppressed)).email });
  await api.campaigns.addContacts(target, { contact_ids: [there, answered] });
  await set(target, answered, 'replied');
  await set(source, finished, 'finished');
  await set(source, removed, 'removed');
  const [stranger, other] = await contacts(2);
  await api.campaigns.addContacts(target, { contact_ids: [other!] });
  const wanted = [...ids, fresh, stranger!, other!, `con_${ABSENT}`, 'x'];
  const moved = await api.campaigns.moveContacts(source, { to_campaign_id: target, contact_ids: wanted });
  const { lastResponse: _, ...result } = moved;
  assert.deepEqual(result, {
    object: 'move_result',
    attached: 3,
    skipped: 5,
    restored: 0,
    already_enrolled: 2,
    not_found: 4,
    skipped_reasons: { ...none, unsubscribed: 1, suppressed: 1, replied: 1 },
    removed_from_source: 2,
    source_campaign_id: source,
    target_campaign_id: target,
    kept_in_source: false,
  });
  assert.equal(result.attached + result.skipped + result.not_found, wanted.length);
  assert.deepEqual(await inside(source), {
    [fresh]: 'removed:0',
    [unsubscribed]: 'active:0',
    [suppressed]: 'active:0',
    [there]: 'removed:0',
    [answered]: 'active:0',
    [finished]: 'finished:0',
    [removed]: 'removed:0',
  });
  assert.deepEqual(await inside(target), {
    [fresh]: 'active:0',
    [there]: 'active:0',
    [answered]: 'replied:0',
    [finished]: 'active:0',
    [removed]: 'active:0',
    [other!]: 'active:0',
  });
  const again = await api.campaigns.moveContacts(source, { to_campaign_id: target, contact_ids: [fresh, there] });
  assert.deepEqual([again.attached, again.already_enrolled, again.removed_from_source], [0, 2, 0]);
});

test('by status, and copied: everybody in that status, who stays where they are', async () => {
  const { source, target, ids } = await pair(4);
  await set(source, ids[0]!, 'finished');
  await set(source, ids[1]!, 'finished');
  const copied = await api.campaigns.moveContacts(source, { to_campaign_id: target, status: 'finished', keep_in_source: true });
  assert.deepEqual([copied.attached, copied.removed_from_source, copied.kept_in_source], [2, 0, true]);
  const rest = await api.campaigns.moveContacts(source, { to_campaign_id: target, status: 'active' });
  assert.deepEqual([rest.attached, rest.removed_from_source, rest.kept_in_source], [2, 2, false]);
  assert.deepEqual(Object.values(await inside(target)), ['active:0', 'active:0', 'active:0', 'active:0']);
  const nobody = await api.campaigns.moveContacts(source, { to_campaign_id: target, status: 'replied' });
  assert.deepEqual([nobody.attached, nobody.skipped, nobody.not_found], [0, 0, 0]);
  // What is named wins over the status.
  const third = await made();
  const named = await api.campaigns.moveContacts(source, { to_campaign_id: third, contact_ids: [ids[2]!], status: 'finished' });
  assert.deepEqual([named.attached, Object.keys(await inside(third))], [1, [ids[2]]]);
});

test('elsewhere means another campaign than these two, or than the target when copying', async () => {
  const { source, target, ids } = await pair(2);
  const third = await made();
  await api.campaigns.addContacts(third, { contact_ids: [ids[0]!] });
  const how = { to_campaign_id: target, status: 'active' as const, skip_if_in_other_campaign: true };
  const copied = await api.campaigns.moveContacts(source, { ...how, keep_in_source: true });
  assert.deepEqual([copied.attached, copied.skipped_reasons], [0, { ...none, in_other_campaign: 2 }]);
  const moved = await api.campaigns.moveContacts(source, how);
  assert.deepEqual([moved.attached, moved.removed_from_source, moved.skipped_reasons], [1, 1, { ...none, in_other_campaign: 1 }]);
});

test('out of a running campaign: what was planned there is canceled; there and back goes on where it stopped, after its wait', async () => {
  const { source, target, ids } = await pair(1);
  await api.campaigns.start(source);
  await h.settle();
  assert.deepEqual(await inside(source), { [ids[0]!]: 'active:1' });
  h.tick(60 * MINUTE);
  await h.campaigns.step();
  await api.campaigns.moveContacts(source, { to_campaign_id: target, status: 'active' });
  const states = async () =>
    (await rowsOf<{ state: string }>(h.db, 'select state from sends where campaign_id = $1 order by created_at', [source])).map((one) => one.state);
  assert.deepEqual([await states(), await inside(target)], [['sent', 'canceled'], { [ids[0]!]: 'active:0' }]);
  await h.run(2 * MINUTE);
  assert.equal((await api.campaigns.retrieve(source)).status, 'completed');
  const back = await api.campaigns.moveContacts(target, { to_campaign_id: source, contact_ids: ids });
  assert.deepEqual([back.attached, back.restored, back.removed_from_source, await inside(source)], [1, 1, 1, { [ids[0]!]: 'active:1' }]);
  assert.equal((await api.campaigns.retrieve(source)).status, 'running');
  await h.run(2 * MINUTE);
  assert.deepEqual([await states(), await inside(source)], [['sent', 'canceled', 'sent'], { [ids[0]!]: 'finished:1' }]);
});

test('who comes back before the wait for the step is over waits for the rest of it', async () => {
  const { source, target, ids } = await pair(1);
  await api.campaigns.start(source);
  await h.settle();
  const [{ next_send_at: due } = { next_send_at: '' }] = (await api.campaigns.contacts(source)).data;
  await api.campaigns.moveContacts(source, { to_campaign_id: target, contact_ids: ids });
  h.tick(10 * MINUTE);
  await api.campaigns.moveContacts(target, { to_campaign_id: source, contact_ids: ids });
  assert.equal((await api.campaigns.contacts(source)).data[0]!.next_send_at, due);
});

test('both directions in parallel end with everybody active in one of the two', async () => {
  const { source, target, ids } = await pair(12);
  await api.campaigns.addContacts(target, { contact_ids: await contacts(3) });
  const rounds = Array.from({ length: 5 }, () => [
    api.campaigns.moveContacts(source, { to_campaign_id: target, contact_ids: ids }),
    api.campaigns.moveContacts(target, { to_campaign_id: source, contact_ids: ids }),
  ]).flat();
  for (const one of await Promise.all(rounds)) assert.equal(one.attached + one.skipped + one.not_found, ids.length);
  const [there, here] = [await inside(source), await inside(target)];
  for (const id of ids) assert.deepEqual([there[id], here[id]].filter((one) => one?.startsWith('active')).length, 1, id);
});

test('two who attach to two campaigns at once, each asking for nobody twice: nobody is twice', async () => {
  const ids = await contacts(30);
  const campaigns = await Promise.all(Array.from({ length: 4 }, made));
  const attached = await Promise.all(campaigns.map((id) => api.campaigns.addContacts(id, { contact_ids: ids, skip_if_in_other_campaign: true })));
  assert.equal(attached.reduce((sum, one) => sum + one.attached, 0), 30); // prettier-ignore
  for (const one of attached) assert.equal(one.attached + one.skipped_reasons.in_other_campaign, 30);
});

test('a contact that is deleted while it is being attached is either enrolled before or not found', async () => {
  for (let round = 0; round < 8; round++) {
    const [id, ids] = [await made(), await contacts(3)];
    const [attached] = await Promise.all([api.campaigns.addContacts(id, { contact_ids: ids }), api.contacts.delete(ids[1]!)]);
    assert.equal(attached.attached + attached.not_found, 3);
    assert.deepEqual(new Set(Object.keys(await inside(id))), new Set([ids[0], ids[2]]));
  }
});

test('addresses that a verifier found wanting are left out, however the word is written', async () => {
  const id = await made();
  const unfit = [...(await contacts(1, { verification_status: 'invalid' })), ...(await contacts(1, { verification_status: ' RISKY ' }))];
  const fit = [
    ...(await contacts(1, { verification_status: 'valid' })),
    ...(await contacts(1, { verification_status: 'unknown' })),
    ...(await contacts(1, { verification_status: 3 })),
  ];
  const result = await api.campaigns.addContacts(id, { contact_ids: [...unfit, ...fit] });
  assert.deepEqual([result.attached, result.skipped, result.skipped_reasons], [3, 2, { ...none, verification: 2 }]);
  assert.deepEqual(Object.keys(await inside(id)).sort(), fit.toSorted());
});

test('a move that does not fit is refused by name, and nothing moves', async () => {
  const { source, target, ids } = await pair(1);
  const foreign = await h.api({ workspace: 'two' });
  const theirs = await foreign.campaigns.create({
    name: 'T',
    sequence_id: (await foreign.sequences.create({ name: 'S', steps: [{ subject: 's', body_text: 'b' }] })).id,
    sending_inbox_ids: [(await foreign.inboxes.createSandbox()).id],
  });
  const move = (body: object, from = source) => api.campaigns.moveContacts(from, { to_campaign_id: target, ...body });
  const many = Array.from({ length: 1001 }, () => `con_${ABSENT}`);
  await refused(move({}), 422, 'parameter_missing', 'contact_ids');
  await refused(move({ to_campaign_id: undefined, status: 'active' }), 422, 'parameter_missing', 'to_campaign_id');
  for (const contact_ids of [[], many, 'x']) await refused(move({ contact_ids }), 422, 'validation_failed', 'contact_ids');
  for (const status of ['removed', 'lost']) await refused(move({ status }), 422, 'validation_failed', 'status');
  await refused(move({ status: 'active', to_campaign_id: source }), 422, 'validation_failed', 'to_campaign_id');
  await refused(move({ status: 'active', step: 1 }), 422, 'unknown_parameter', 'step');
  for (const to_campaign_id of [theirs.id, `cmp_${ABSENT}`, 'x'])
    await refused(move({ status: 'active', to_campaign_id }), 404, 'resource_missing', 'to_campaign_id');
  for (const from of [theirs.id, `cmp_${ABSENT}`]) await refused(move({ status: 'active' }, from), 404, 'resource_missing', 'id');
  await refused(
    (await h.api({ scope: 'read' })).campaigns.moveContacts(source, { to_campaign_id: target, status: 'active' }),
    403,
    'insufficient_scope',
  );
  assert.deepEqual([await inside(source), await inside(target)], [{ [ids[0]!]: 'active:0' }, {}]);
});

test('not interested ends what is active or replied, of one campaign or of all', async () => {
  const [one, two, three, ids] = [await made(), await made(), await made(), await contacts(1)];
  const [id] = ids;
  for (const campaign of [one, two, three]) await api.campaigns.addContacts(campaign, { contact_ids: ids });
  await set(two, id!, 'replied');
  await set(three, id!, 'finished');
  const statuses = async () => [await inside(one), await inside(two), await inside(three)].map((each) => each[id!]);
  await api.contacts.setLeadStatus(id!, { lead_status: 'interested' });
  assert.deepEqual(await statuses(), ['active:0', 'replied:0', 'finished:0']);
  await api.contacts.setLeadStatus(id!, { lead_status: 'not_interested', campaign_id: two });
  assert.deepEqual(await statuses(), ['active:0', 'unsubscribed:0', 'finished:0']);
  await api.contacts.setLeadStatus(id!, { lead_status: 'not_interested' });
  assert.deepEqual(await statuses(), ['unsubscribed:0', 'unsubscribed:0', 'finished:0']);
  assert.equal((await api.contacts.retrieve(id!)).global_status, 'ok');
  const told = (await api.events.list({ resource_id: id!, type: 'contact.lead_status_changed' })).data;
  assert.deepEqual(told.map((event) => (event.data as { campaign_id: string | null }).campaign_id), [two, null]); // prettier-ignore
});
