import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Postrider } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ALWAYS = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
const ABSENT = '01jd0000000000000000000000';
let h: House;
let api: Postrider;
let inbox: string;
before(async () => {
  h = await house();
  api = await h.api();
  inbox = (await api.inboxes.createSandbox({ sandbox_config: { reply_probability: 0, bounce_probability: 0 } })).id;
  await api.inboxes.update(inbox, { daily_limit: 500 });
});
after(() => h.close());

type Step = { subject: string; delay_minutes?: number };
let people = 0;
/** A campaign of these steps with `count` contacts. */
async function made(steps: Step[] = [{ subject: 'A' }], count = 1) {
  const texts = steps.map((step) => ({ body_text: `Text of ${step.subject}`, delay_minutes: 0, ...step }));
  const sequence = await api.sequences.create({ name: 'S', steps: texts });
  const { id } = await api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_ids: [inbox], schedule: ALWAYS });
  const emails = Array.from({ length: count }, () => ({ email: `p${++people}@people.test` }));
  const contacts = count === 0 ? [] : (await api.contacts.batch({ contacts: emails })).created.map((one) => one.id);
  if (count > 0) await api.campaigns.addContacts(id, { contact_ids: contacts });
  return { id, contacts, line: (await api.campaigns.steps(id)).data };
}
type Row = { id: string; subject: string; state: string; inbox_id: string };
const sends = (id: string) => rowsOf<Row>(h.db, 'select * from sends where campaign_id = $1 order by created_at, id', [id]);
const subjects = async (id: string, state = 'sent') => (await sends(id)).filter((one) => one.state === state).map((one) => one.subject);
const lead = async (id: string) => (await api.campaigns.contacts(id)).data[0]!;
const order = async (id: string) => (await api.campaigns.steps(id)).data.map((step) => step.subject).join('');
/** Planned, and nothing taken up: the campaign is paused with its sends held. */
async function heldOnes(count = 2, steps?: Step[]) {
  const campaign = await made(steps, count);
  await api.campaigns.start(campaign.id);
  await h.campaigns.step();
  await api.campaigns.pause(campaign.id);
  assert.equal((await subjects(campaign.id, 'scheduled')).length, count);
  return campaign;
}
/** With its first step sent, and paused. */
async function afterFirst(steps: Step[], count = 1) {
  const campaign = await made(steps, count);
  await api.campaigns.start(campaign.id);
  await h.settle();
  await api.campaigns.pause(campaign.id);
  assert.deepEqual(await subjects(campaign.id), Array(count).fill(steps[0]!.subject));
  return campaign;
}

test('a draft and a paused campaign are changed field by field; what is not given stays', async () => {
  const { id } = await made();
  const schedule = { timezone: 'Europe/Berlin', daysOfWeek: [1], startHour: 8, endHour: 12 };
  const other = (await api.inboxes.createSandbox()).id;
  const changed = await api.campaigns.update(id, {
    name: 'D',
    schedule,
    sending_inbox_ids: [other, other],
    sending_inbox_tags: [' Sales '],
    track_opens: true,
  });
  assert.deepEqual([changed.name, changed.schedule, changed.sending_inbox_ids, changed.sending_inbox_tags], ['D', schedule, [other], ['sales']]);
  const hours = await api.campaigns.update(id, { schedule: { startHour: 10 }, sending_inbox_ids: [] });
  assert.deepEqual([hours.schedule, hours.sending_inbox_ids, hours.track_opens], [{ ...schedule, startHour: 10 }, [], true]);
  const tagless = await api.campaigns.update(id, { sending_inbox_ids: [inbox], sending_inbox_tags: null, schedule: ALWAYS });
  assert.deepEqual([tagless.sending_inbox_ids, tagless.sending_inbox_tags], [[inbox], []]);
  await api.campaigns.start(id);
  await refused(api.campaigns.update(id, { name: 'E' }), 409, 'campaign_running');
  await api.campaigns.pause(id);
  assert.equal((await api.campaigns.update(id, { name: 'E' })).status, 'paused');
  await api.campaigns.resume(id);
  await h.run(2 * MINUTE);
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
  await refused(api.campaigns.update(id, { name: 'F' }), 409, 'invalid_campaign_state');
  assert.equal((await api.campaigns.retrieve(id)).name, 'E');
});

const REFUSED: [object, number, string, string][] = [
  [{ name: '' }, 422, 'validation_failed', 'name'],
  [{ sequence_id: `seq_${ABSENT}` }, 422, 'unknown_parameter', 'sequence_id'],
  [{ status: 'running' }, 422, 'unknown_parameter', 'status'],
  [{ sending_inbox_ids: [] }, 422, 'validation_failed', 'sending_inbox_ids'],
  [{ sending_inbox_ids: [`inb_${ABSENT}`] }, 404, 'resource_missing', 'sending_inbox_ids[0]'],
  [{ sending_inbox_ids: null }, 422, 'validation_failed', 'sending_inbox_ids'],
  [{ schedule: { startHour: 17 } }, 422, 'validation_failed', 'schedule.startHour'],
  [{ schedule: { endHour: 9 } }, 422, 'validation_failed', 'schedule.endHour'],
  [{ schedule: { daysOfWeek: [7] } }, 422, 'validation_failed', 'schedule.daysOfWeek[0]'],
  [{ schedule: { timezone: 'Mars/X' } }, 422, 'validation_failed', 'schedule.timezone'],
  [{ schedule: null }, 422, 'validation_failed', 'schedule'],
];

test('a change that does not fit is refused by name, and nothing of it is kept', async () => {
  const { id } = await made([{ subject: 'A' }], 0);
  await api.campaigns.update(id, { schedule: { startHour: 9, endHour: 17 } });
  const before = await api.campaigns.retrieve(id);
  for (const [change, status, code, param] of REFUSED) await refused(api.campaigns.update(id, { name: 'X', ...change }), status, code, param);
  const { lastResponse: _a, ...kept } = before;
  const { lastResponse: _b, ...now } = await api.campaigns.retrieve(id);
  assert.deepEqual(now, kept);
});

test('a change and a start side by side: whichever comes first, a running campaign is what it was started as', async () => {
  for (let round = 0; round < 6; round++) {
    const { id } = await made([{ subject: 'A' }], 0);
    const [patched] = await Promise.allSettled([api.campaigns.update(id, { name: 'Late' }), api.campaigns.start(id)]);
    if (patched.status === 'rejected') assert.equal(patched.reason.code, 'campaign_running');
    assert.equal((await api.campaigns.retrieve(id)).name, patched.status === 'fulfilled' ? 'Late' : 'C');
  }
});

test('what was planned before a change is taken back and planned anew, once each', async () => {
  const { id, line, contacts } = await heldOnes();
  await api.campaigns.updateStep(id, line[0]!.id, { subject: 'Better' });
  assert.deepEqual([await subjects(id, 'scheduled'), await subjects(id, 'canceled')], [[], ['A', 'A']]);
  const canceled = (await api.events.list({ type: 'send.canceled', limit: 100 })).data.filter(
    (one) => (one.data as { campaign_id: string }).campaign_id === id,
  );
  assert.equal(canceled.length, contacts.length);
  const other = (await api.inboxes.createSandbox()).id;
  await api.campaigns.update(id, { sending_inbox_ids: [other] });
  await api.campaigns.resume(id);
  await h.run(2 * MINUTE);
  assert.deepEqual(await subjects(id), ['Better', 'Better']);
  assert.deepEqual(new Set((await sends(id)).filter((one) => one.state === 'sent').map((one) => one.inbox_id)), new Set([other]));
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
});

test('what waits for an inbox that is no longer among the senders is taken back at once, and leaves from another', async () => {
  const { id } = await heldOnes();
  const other = (await api.inboxes.createSandbox()).id;
  await api.campaigns.update(id, { sending_inbox_ids: [other] });
  assert.deepEqual([await subjects(id, 'scheduled'), await subjects(id, 'canceled')], [[], ['A', 'A']]);
  await api.campaigns.resume(id);
  await h.run(2 * MINUTE);
  assert.deepEqual(
    (await sends(id)).filter((one) => one.state === 'sent').map((one) => one.inbox_id),
    [other, other],
  );
});

test('a send that a worker puts back after the change does not leave as it was', async () => {
  const { id, line } = await heldOnes(1);
  await rowsOf(h.db, `update sends set state = 'sending' where campaign_id = $1`, [id]);
  await api.campaigns.updateStep(id, line[0]!.id, { subject: 'Better' });
  await rowsOf(h.db, `update sends set state = 'scheduled', due_at = null where campaign_id = $1`, [id]);
  await api.campaigns.resume(id);
  await h.run(2 * MINUTE);
  assert.deepEqual([await subjects(id, 'canceled'), await subjects(id)], [['A'], ['Better']]);
});

test('a change of other things leaves what was planned alone', async () => {
  const { id } = await heldOnes();
  await api.campaigns.update(id, { name: 'D', sending_inbox_ids: [inbox] });
  await api.campaigns.resume(id);
  await h.settle();
  assert.deepEqual([await subjects(id), await subjects(id, 'canceled')], [['A', 'A'], []]);
});

test('the steps of a campaign: listed in order, inserted, moved, reordered and deleted like those of a sequence', async () => {
  const { id, line } = await made([{ subject: 'A' }, { subject: 'B' }, { subject: 'C' }]);
  const source = (await api.campaigns.retrieve(id)).sequence_id!;
  const added = await api.campaigns.addStep(id, { subject: 'X', body_text: 'x', step_order: 1, delay_days: 2 });
  assert.deepEqual(
    [added.lastResponse.status, added.object, added.campaign_id, added.source_step_id, added.delay_minutes],
    [201, 'campaign_step', id, null, 2880],
  );
  assert.equal(await order(id), 'AXBC');
  assert.equal((await api.campaigns.updateStep(id, line[2]!.id, { step_order: 0 })).step_order, 0);
  assert.equal(await order(id), 'CAXB');
  const ids = (await api.campaigns.steps(id)).data.map((step) => step.id);
  const reordered = await api.campaigns.reorderSteps(id, { step_ids: ids.toReversed() });
  assert.deepEqual([reordered.id, reordered.sequence_steps!.map((step) => step.subject).join('')], [id, 'BXAC']);
  const gone = await api.campaigns.deleteStep(id, added.id);
  assert.deepEqual([gone.deleted, gone.object, gone.subject, await order(id)], [true, 'campaign_step', 'X', 'BAC']);
  assert.equal((await api.sequences.retrieve(source)).steps!.map((step) => step.subject).join(''), 'ABC');
  const first = await api.campaigns.steps(id, { limit: 2 });
  const second = await api.campaigns.steps(id, { limit: 2, starting_after: first.next_cursor! });
  const back = await api.campaigns.steps(id, { limit: 2, ending_before: second.data[0]!.id });
  assert.deepEqual(
    [first, second, back].map((page) => [page.data.map((step) => step.subject).join(''), page.has_more, page.prev_cursor === null]),
    [
      ['BA', true, true],
      ['C', false, false],
      ['BA', false, true],
    ],
  );
  await refused(api.campaigns.steps(id, { starting_after: added.id }), 400, 'invalid_cursor', 'starting_after');
  await refused(api.campaigns.steps(id, { starting_after: ids[0]!, ending_before: ids[0]! }), 400, 'invalid_cursor', 'ending_before');
});

test('steps that do not fit are refused by name, whatever the state', async () => {
  const { id, line } = await made([{ subject: 'A' }, { subject: 'B' }]);
  const other = await made([{ subject: 'A' }, { subject: 'B' }]);
  const strange = [other.line[0]!.id, `cst_${ABSENT}`, `stp_${ABSENT}`];
  for (const step of strange) await refused(api.campaigns.updateStep(id, step, {}), 404, 'resource_missing', 'step_id');
  for (const step of strange) await refused(api.campaigns.deleteStep(id, step), 404, 'resource_missing', 'step_id');
  await refused(api.campaigns.addStep(id, { subject: 'X', step_order: 3 }), 422, 'validation_failed', 'step_order');
  await refused(api.campaigns.addStep(id, { body_text: '{{x' }), 422, 'validation_failed', 'body_text');
  await refused(api.campaigns.updateStep(id, line[0]!.id, { subject: ' ' }), 422, 'validation_failed', 'subject');
  await refused(api.campaigns.reorderSteps(id, { step_ids: [line[0]!.id, other.line[1]!.id] }), 422, 'validation_failed', 'step_ids[1]');
  await api.campaigns.deleteStep(id, line[0]!.id);
  await refused(api.campaigns.deleteStep(id, line[1]!.id), 422, 'validation_failed', 'step_id');
  await api.campaigns.start(id);
  const [, last] = line;
  await refused(api.campaigns.addStep(id, { subject: 'X' }), 409, 'campaign_running');
  await refused(api.campaigns.updateStep(id, last!.id, { subject: 'X' }), 409, 'campaign_running');
  await refused(api.campaigns.deleteStep(id, last!.id), 409, 'campaign_running');
  await refused(api.campaigns.reorderSteps(id, { step_ids: [last!.id] }), 409, 'campaign_running');
  assert.equal(await order(id), 'B');
});

test('steps that leads have had keep their positions; behind them everything may change, and nobody gets anything twice', async () => {
  const { id, line } = await afterFirst([{ subject: 'A' }, { subject: 'B', delay_minutes: 60 }, { subject: 'C', delay_minutes: 60 }]);
  const due = Date.parse((await lead(id)).next_send_at!);
  const [a, b, c] = line.map((step) => step.id) as [string, string, string];
  await refused(api.campaigns.addStep(id, { subject: 'X', step_order: 0 }), 422, 'validation_failed', 'step_order');
  await refused(api.campaigns.updateStep(id, a, { step_order: 1 }), 422, 'validation_failed', 'step_order');
  await refused(api.campaigns.updateStep(id, c, { step_order: 0 }), 422, 'validation_failed', 'step_order');
  await refused(api.campaigns.reorderSteps(id, { step_ids: [b, a, c] }), 422, 'validation_failed', 'step_ids[1]');
  await api.campaigns.reorderSteps(id, { step_ids: [a, c, b] });
  await api.campaigns.addStep(id, { subject: 'X', body_text: 'x', step_order: 1, delay_minutes: 90 });
  assert.equal(Date.parse((await lead(id)).next_send_at!) - due, 30 * MINUTE);
  await api.campaigns.updateStep(id, b, { delay_minutes: 61 });
  assert.equal(Date.parse((await lead(id)).next_send_at!) - due, 30 * MINUTE);
  assert.equal((await api.campaigns.deleteStep(id, a)).deleted, true);
  assert.deepEqual([await order(id), (await lead(id)).current_step], ['XCB', 0]);
  await api.campaigns.resume(id);
  await h.run(DAY, 10 * MINUTE);
  assert.deepEqual([await subjects(id), (await lead(id)).status], [['A', 'X', 'C', 'B'], 'finished']);
});

test('whoever waits for a step that is deleted waits for the next one, and has finished where there is none', async () => {
  const { id, line } = await afterFirst([{ subject: 'A' }, { subject: 'B', delay_minutes: 60 }, { subject: 'C', delay_minutes: 100 }], 2);
  const due = Date.parse((await lead(id)).next_send_at!);
  const [one, two] = (await api.campaigns.contacts(id)).data;
  await rowsOf(h.db, `update enrollments set status = 'removed', plan_due_at = null where id = $1`, [two!.id]);
  await api.campaigns.deleteStep(id, line[1]!.id);
  const waiting = (await api.campaigns.contacts(id)).data.find((each) => each.id === one!.id)!;
  assert.deepEqual([waiting.current_step, Date.parse(waiting.next_send_at!) - due, waiting.status], [1, 40 * MINUTE, 'active']);
  await api.campaigns.deleteStep(id, line[2]!.id);
  const ended = (await api.campaigns.contacts(id)).data;
  assert.deepEqual(new Set(ended.map((each) => [each.status, each.current_step].join())), new Set(['finished,0']));
  await api.campaigns.resume(id);
  await h.run(2 * MINUTE);
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
  assert.deepEqual(await subjects(id), ['A', 'A']);
});

test('a step of which a mail is leaving is not deleted, nor moved', async () => {
  const { id, line } = await heldOnes(1, [{ subject: 'A' }, { subject: 'B' }]);
  await rowsOf(h.db, `update sends set state = 'sending' where campaign_id = $1`, [id]);
  await refused(api.campaigns.deleteStep(id, line[0]!.id), 409, 'invalid_campaign_state');
  await refused(api.campaigns.reorderSteps(id, { step_ids: [line[1]!.id, line[0]!.id] }), 422, 'validation_failed', 'step_ids[1]');
  await rowsOf(h.db, `update sends set state = 'scheduled', due_at = null where campaign_id = $1`, [id]);
  await api.campaigns.reorderSteps(id, { step_ids: [line[1]!.id, line[0]!.id] });
  await api.campaigns.resume(id);
  await h.run(5 * MINUTE);
  assert.deepEqual([await order(id), (await subjects(id)).sort(), (await lead(id)).status], ['BA', ['A', 'B'], 'finished']);
});

test('steps that were changed so that they cannot be sent keep a campaign from resuming', async () => {
  const { id, line } = await heldOnes(1);
  await api.campaigns.updateStep(id, line[0]!.id, { body_text: ' ' });
  const error = await refused(api.campaigns.resume(id), 422, 'campaign_not_ready');
  assert.deepEqual((error.problems as { code: string }[]).map((one) => one.code), ['empty_body']); // prettier-ignore
  assert.equal((await api.campaigns.retrieve(id)).status, 'paused');
  await api.campaigns.updateStep(id, line[0]!.id, { body_text: 'Hi' });
  assert.equal((await api.campaigns.resume(id)).status, 'running');
});

test('parallel inserts leave every position once', async () => {
  const { id } = await made([{ subject: 'A' }, { subject: 'Z' }]);
  await Promise.all(Array.from({ length: 12 }, () => api.campaigns.addStep(id, { subject: 'N', step_order: 1 })));
  assert.equal(await order(id), `A${'N'.repeat(12)}Z`);
});
