// A test send, held against the mail that a recipient of the campaign gets.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Postrider } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import { replySubject } from './step-letter.ts';

const ALWAYS = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
const ABSENT = '01jd0000000000000000000000';
const HTML = '<p>Hello {{first_name}} of {{email}}</p><a href="https://example.com/pricing">Prices</a>';
let h: House;
let api: Postrider;
before(async () => {
  h = await house();
  api = await h.api();
});
after(() => h.close());

let nth = 0;
async function scene(
  steps: object[] = [
    { subject: 'Hi {{first_name}}', body_html: HTML },
    { subject: '', body_text: 'Again', delay_minutes: 9_999 },
  ],
) {
  const inbox = await api.inboxes.createSandbox({ sandbox_config: QUIET, display_name: 'Sam' });
  const contact = await api.contacts.create({ email: `ann${++nth}@people.test`, attributes: { first_name: 'Ann' } });
  const sequence = await api.sequences.create({ name: 'S', steps: steps as never });
  const dressed = { track_opens: true, track_clicks: true, inject_unsubscribe_footer: true, schedule: ALWAYS };
  const { id } = await api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_ids: [inbox.id], ...dressed });
  await api.campaigns.addContacts(id, { contact_ids: [contact.id] });
  return { id, inbox, contact, steps: (await api.campaigns.steps(id)).data, to: `me${nth}@colleagues.test` };
}
type Mail = { id: string; subject: string; body_html: string | null; body_text: string | null; headers: { name: string; value: string }[] };
const mailOf = async (where: string, value: string) =>
  (
    await rowsOf<Mail>(
      h.db,
      `select s.id, s.subject, c.body_html, c.body_text, c.headers from sends s
         join send_contents c on c.workspace_id = s.workspace_id and c.send_id = s.id where s.${where} = $1 order by s.created_at`,
      [value],
    )
  )[0]!;
/** Without what belongs to each mail alone: its links. */
const common = (mail: Mail) => JSON.parse(JSON.stringify({ ...mail, id: '' }).replaceAll(/\/(u|c|o)\/[\w-]{68}/g, '/$1/…')) as object;
const wayOut = ({ headers }: Mail) => headers.find((one) => one.name === 'List-Unsubscribe')!.value.slice('<http://house.test'.length, -1);
const SUMS = `select (select json_agg(e order by e.id) from enrollments e) as enrollments,
                     (select json_agg(c order by c.id) from campaigns c) as campaigns,
                     (select count(*) from sends where campaign_id is not null) as sends`;
const untouched = async () => JSON.stringify((await rowsOf(h.db, SUMS, []))[0]);

test('a test send is what recipients will see, and the campaign does not learn of it', async () => {
  const { id, inbox, contact, steps, to } = await scene();
  const before = await untouched();
  const sent = await api.campaigns.testSend(id, { to, step_id: steps[0]!.id, contact_id: contact.id });
  assert.deepEqual([sent.state, sent.to_email, sent.inbox_id, sent.campaign_id], ['sent', to, inbox.id, null]);
  assert.deepEqual(sent.metadata, { test_send: 'true', campaign_id: id, step_id: steps[0]!.id, contact_id: contact.id });
  h.tick(60_000);
  await h.settle();
  assert.equal(await untouched(), before);
  await api.campaigns.start(id);
  await h.run(3 * 60_000);
  const [mine, real] = [await mailOf('id', sent.id), await mailOf('campaign_id', id)];
  assert.deepEqual(common(mine), common(real));
  assert.match(mine.body_html!, /Hello Ann of ann\d+@people\.test[^]*\/c\/[^]*Unsubscribe[^]*\/o\//);
  assert.notEqual(wayOut(mine), wayOut(real));
});

test('its way out is that of the address that got it: the contact whose data it shows goes on', async () => {
  const { id, contact, to } = await scene();
  const { id: sent } = await api.campaigns.testSend(id, { to, step_order: 0, contact_id: contact.id });
  const answer = await h.app.inject({ method: 'POST', url: wayOut(await mailOf('id', sent)) });
  assert.equal(answer.statusCode, 200);
  assert.equal((await api.contacts.retrieve(contact.id)).global_status, 'ok');
  assert.equal((await api.campaigns.contacts(id)).data[0]!.status, 'active');
  assert.deepEqual((await api.suppressions.list({ email: to })).data.map((one) => one.source_send_id), [sent]); // prettier-ignore
  await refused(api.campaigns.testSend(id, { to, step_order: 0 }), 422, 'recipient_suppressed', 'to');
  assert.equal((await api.campaigns.testSend(id, { to: contact.email, step_order: 0 })).subject, 'Hi Ann');
});

test('in draft, running, paused and completed; a follow-up goes under the subject before it; each text can be chosen', async () => {
  const variants = [{ subject: 'B', body_text: 'B' }, { subject: 'Off', body_text: 'Off', disabled: true }]; // prettier-ignore
  const { id, to, steps } = await scene([{ subject: 'A', body_text: 'A', variants }, { subject: '', body_text: 'Two' }]); // prettier-ignore
  const [b, off] = steps[0]!.variants!.map((one) => one.id);
  const subject = async (body: object) => (await api.campaigns.testSend(id, { to, step_order: 0, ...body } as never)).subject;
  assert.deepEqual([await subject({}), await subject({ step_order: 1 })], ['A', 'Re: A']);
  await api.campaigns.updateStep(id, steps[0]!.id, { winning_variant_id: b! });
  assert.deepEqual([await subject({}), await subject({ variant_id: null }), await subject({ variant_id: off! })], ['B', 'A', 'Off']);
  assert.equal(await subject({ step_order: 1 }), 'Re: B');
  await api.campaigns.start(id);
  assert.equal(await subject({}), 'B');
  await api.campaigns.pause(id);
  assert.equal(await subject({}), 'B');
  await api.campaigns.resume(id);
  await h.run(5 * 60_000);
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
  assert.equal(await subject({}), 'B');
});

test('what cannot be sent is refused by field, and nothing is written', async () => {
  const { id, to, inbox, steps } = await scene([{ subject: '{{first_name}}', body_text: 'x' }, { subject: 'Two', body_text: '' }]); // prettier-ignore
  const other = await api.inboxes.createSandbox();
  const tests = async () => (await rowsOf<{ n: number }>(h.db, `select count(*)::int as n from sends where to_email = $1`, [to]))[0]!.n;
  const no = (body: object, status: number, code: string, param: string) =>
    refused(api.campaigns.testSend(id, { to, step_order: 0, ...body } as never), status, code, param);
  await no({ step_order: undefined }, 422, 'parameter_missing', 'step_id');
  await no({ step_id: steps[0]!.id }, 422, 'validation_failed', 'step_order');
  await no({ step_order: 2 }, 404, 'resource_missing', 'step_order');
  await no({ step_order: undefined, step_id: `cst_${ABSENT}` }, 404, 'resource_missing', 'step_id');
  await no({ to: 'nobody' }, 422, 'invalid_email', 'to');
  await no({ variant_id: `var_${ABSENT}` }, 404, 'resource_missing', 'variant_id');
  await no({ contact_id: `con_${ABSENT}` }, 404, 'resource_missing', 'contact_id');
  await no({ inbox_id: `inb_${ABSENT}` }, 404, 'resource_missing', 'inbox_id');
  await no({ inbox_id: other.id }, 422, 'validation_failed', 'inbox_id');
  // Nobody's data fills the only variable of the subject.
  await no({}, 422, 'validation_failed', 'step_order');
  await no({ step_order: 1 }, 422, 'validation_failed', 'step_order');
  await no({ subject: 'mine' }, 422, 'unknown_parameter', 'subject');
  await api.inboxes.update(inbox.id, { status: 'paused' });
  await no({}, 422, 'no_inbox_available', 'inbox_id');
  await refused(api.campaigns.testSend(`cmp_${ABSENT}`, { to, step_order: 0 }), 404, 'resource_missing', 'id');
  assert.equal(await tests(), 0);
});

test('once under its idempotency key; the day of its inbox counts it', async () => {
  const { id, to, inbox } = await scene([{ subject: 'A', body_text: 'A' }]);
  await api.inboxes.update(inbox.id, { daily_limit: 1 });
  const once = () => api.campaigns.testSend(id, { to, step_order: 0 }, { idempotencyKey: `test-${id}` });
  assert.deepEqual(await once(), await once());
  const { state, scheduled_at: at } = await api.campaigns.testSend(id, { to, step_order: 0 });
  assert.deepEqual([state, at], ['scheduled', '2030-01-08T00:00:00.000Z']);
});

test('a follow-up answers its thread with one Re: and no more', () => {
  assert.deepEqual(['Hello', 'Re: Hello', 'RE: Hello', 'Regards'].map(replySubject), ['Re: Hello', 'Re: Hello', 'RE: Hello', 'Re: Regards']);
});
