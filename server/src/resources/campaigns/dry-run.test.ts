import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Postrider } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import { stage } from '#testing/stage.ts';
import { textCheck } from './check-texts.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ALWAYS = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
let h: House;
let api: Postrider;
before(async () => {
  h = await house();
  api = await h.api();
});
after(() => h.close());

type Step = { subject?: string; body_text?: string; body_html?: string; delay_minutes?: number; variants?: object[] };
/** `winner` is the place of the variant of the first step that has won. */
type Given = { steps: Step[]; winner?: number; people?: object[]; inboxes?: string[]; tags?: string[]; schedule?: object };
const sandbox = async (more: object = {}) => {
  const { id } = await api.inboxes.createSandbox({ sandbox_config: { reply_probability: 0, bounce_probability: 0 } });
  if (Object.keys(more).length) await api.inboxes.update(id, more);
  return id;
};
let people = 0;
async function made({ steps, winner, people: attributes = [{}], inboxes, tags = [], schedule = ALWAYS }: Given) {
  const sequence = await api.sequences.create({
    name: 'S',
    steps: steps.map((step) => ({ delay_minutes: 0, ...step })) as object[],
  });
  const [first] = sequence.steps!;
  if (winner !== undefined) await api.sequences.updateStep(sequence.id, first!.id, { winning_variant_id: first!.variants![winner]!.id });
  const sending_inbox_ids = inboxes ?? (tags.length ? [] : [await sandbox()]);
  const { id } = await api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_ids, sending_inbox_tags: tags, schedule });
  const rows = attributes.map((one) => ({ email: `d${++people}@people.test`, attributes: one as Record<string, unknown> }));
  const contacts = rows.length ? (await api.contacts.batch({ contacts: rows })).created.map((one) => one.id) : [];
  if (contacts.length) await api.campaigns.addContacts(id, { contact_ids: contacts });
  return { id, contacts, steps: (await api.campaigns.steps(id)).data };
}
type Fault = { code: string; step_order: number | null; variable: string | null; count: number | null; sample_ids: string[] };
const brief = (faults: readonly Fault[]) =>
  faults.map((one) => [one.code, one.step_order, one.variable, one.count].filter((part) => part !== null).join(' '));
const rehearse = (id: string) => api.campaigns.start(id, { dry_run: true });
const told = async (id: string) => {
  const { errors, warnings } = await rehearse(id);
  return { errors: brief(errors), warnings: brief(warnings) };
};

/** Everything that a call could have written. The kept answer of its idempotency key aside. */
async function snapshot() {
  const tables = await rowsOf<{ name: string }>(h.db, `select tablename as name from pg_tables where schemaname = 'public' order by 1`, []);
  const kept = tables.filter(({ name }) => !['idempotency_keys', 'api_keys'].includes(name));
  return Promise.all(
    kept.map(({ name }) => rowsOf(h.db, `select '${name}', md5(string_agg(t::text, '|' order by t::text)) as sum from ${name} t`, [])),
  );
}

test('a rehearsal says what a start would do, and writes nothing', async () => {
  const { id } = await made({
    steps: [
      { subject: 'Hi {{first_name}}', body_text: 'Hello' },
      { body_text: 'Again', delay_minutes: 60 },
    ],
    people: [{ first_name: 'Ann' }, { first_name: 'Bo' }],
  });
  const before = await snapshot();
  const answer = await rehearse(id);
  assert.deepEqual(await snapshot(), before);
  const { lastResponse, forecast, ...rest } = answer;
  assert.equal(lastResponse.status, 200);
  const at = (ms: number) => new Date(h.now().getTime() + ms).toISOString();
  assert.deepEqual(rest, {
    object: 'campaign_start_dry_run', ok: true, errors: [], warnings: [], contacts: 2, first_send_at: at(0), estimated_completion_at: at(HOUR),
  }); // prettier-ignore
  const [day] = forecast;
  assert.deepEqual(
    [forecast.length, day!.date, day!.room, day!.sends, day!.new_contacts, day!.follow_ups, day!.first_send_at, day!.last_send_at],
    [1, at(0).slice(0, 10), 50, 4, 2, 2, at(0), at(HOUR)],
  );
  assert.equal((await api.campaigns.start(id, { dry_run: false })).status, 'running');
  await refused(rehearse(id), 409, 'invalid_campaign_state');
  for (const dry_run of ['TRUE', '1', 'yes', ''])
    await refused(api.campaigns.start(id, { dry_run: dry_run as unknown as false }), 400, 'invalid_parameter', 'dry_run');
  await refused((await h.api({ scope: 'read' })).campaigns.start(id, { dry_run: true }), 403, 'insufficient_scope');
  await refused(rehearse('cmp_01jd0000000000000000000000'), 404, 'resource_missing', 'id');
});

test('variables without a value are told by step, variant and variable, with some of the contacts', async () => {
  const people = [...Array.from({ length: 12 }, () => ({})), { first_name: 'Ann', company: { name: 'Acme' }, constructor: 'x' }];
  const { id, contacts, steps } = await made({
    steps: [
      {
        subject: 'Hi {{first_name}} {{email}} {{sender_name}}',
        body_html: '<p>{{first_name}} {{company.name}}</p>',
        variants: [{ subject: 'V {{icebreaker | default: "x"}}', body_text: 'x {a|{{first_name}}}' }],
      },
      { body_text: 'Again {{ constructor }}' },
    ],
    people,
  });
  const { ok, errors, warnings } = await rehearse(id);
  assert.deepEqual([ok, errors], [true, []]);
  assert.deepEqual(brief(warnings), [
    'unresolved_variable 0 company.name 12',
    'unresolved_variable 0 first_name 12',
    'unresolved_variable 0 first_name 12',
    'unresolved_variable 1 constructor 12',
  ]);
  const variant = steps[0]!.variants![0]!.id;
  assert.deepEqual(
    warnings.map((one) => [one.step_id, one.variant_id]),
    [
      [steps[0]!.id, null],
      [steps[0]!.id, null],
      [steps[0]!.id, variant],
      [steps[1]!.id, null],
    ],
  );
  for (const one of warnings) assert.ok(one.sample_ids.length === 10 && one.sample_ids.every((each) => contacts.slice(0, 12).includes(each)));
});

test('a text that would leave empty or too large stands in the way, and says for whom', async () => {
  const long = 'x'.repeat(60_000);
  const { id, contacts } = await made({
    steps: [
      { subject: '{{title}}', body_text: '{{ text }}' },
      { subject: '{{topic}}', body_text: 'B {{more}}'.repeat(30) },
    ],
    people: [
      { title: 'T', text: 'x', topic: 'x', more: 'x' },
      { title: ' ', text: '', topic: 'x', more: 'x' },
      { title: 'T', text: 'x', topic: '', more: long },
    ],
  });
  const { ok, errors, warnings } = await rehearse(id);
  assert.deepEqual([ok, brief(errors), warnings], [false, ['empty_subject 0 1', 'empty_body 0 1', 'empty_subject 1 1', 'too_large 1 1'], []]);
  assert.deepEqual(
    errors.map((one) => one.sample_ids),
    [[contacts[1]], [contacts[1]], [contacts[2]], [contacts[2]]],
  );
  const before = await api.campaigns.retrieve(id);
  const error = await refused(api.campaigns.start(id), 422, 'campaign_not_ready');
  assert.deepEqual(error.problems, errors);
  assert.equal((await api.campaigns.retrieve(id)).status, before.status);
  assert.deepEqual((await api.events.list({ resource_id: id })).data, []);
});

test('whoever has had a step is not asked about it again', () => {
  const step = { delay_minutes: 0, body_html: '', variants: null, winning_variant_id: null, auto_winner: null };
  const check = textCheck([
    { ...step, id: 'cst_1', step_order: 0, subject: 'A {{a}}', body_text: 'x' },
    { ...step, id: 'cst_2', step_order: 1, subject: 'B {{b}}', body_text: 'x' },
  ]);
  check.take({ id: 'con_1', step: 1, sources: [] });
  assert.deepEqual(brief(check.faults().warnings), ['unresolved_variable 1 b 1']);
});

test('only what can be sent is looked at: disabled variants are not, a winner is alone', async () => {
  const blank = { subject: '', body_text: '' };
  const open = await made({
    steps: [
      {
        subject: 'A',
        body_text: 'a',
        variants: [
          { subject: 'V', body_text: 'v {{no}}' },
          { ...blank, subject: 'D', disabled: true },
        ],
      },
    ],
  });
  assert.deepEqual(await told(open.id), { errors: [], warnings: ['unresolved_variable 0 no 1'] });
  const won = await made({
    steps: [{ subject: 'A', body_text: 'v {{no}}', variants: [{ subject: 'V', body_text: 'v' }, { subject: 'W' }] }],
    winner: 0,
  });
  assert.deepEqual(await told(won.id), { errors: [], warnings: [] });
  const empty = await made({ steps: [{ subject: 'A', body_text: 'a', variants: [{ subject: 'W' }] }] });
  assert.deepEqual((await told(empty.id)).errors, ['empty_body 0']);
});

test('inboxes that cannot send, people who may not be written to, and nobody at all are told', async () => {
  const [good, paused] = [await sandbox(), await sandbox({ status: 'paused' })];
  const some = await made({ steps: [{ subject: 'A', body_text: 'a' }], inboxes: [good, paused], people: [{}, {}, {}] });
  await api.suppressions.create({ email: (await api.contacts.retrieve(some.contacts[0]!)).email });
  await api.contacts.update(some.contacts[1]!, { global_status: 'unsubscribed' });
  const { ok, contacts, warnings, forecast } = await rehearse(some.id);
  assert.deepEqual([ok, contacts, brief(warnings)], [true, 1, ['inbox_cannot_send 1', 'contact_not_sendable 2']]);
  assert.deepEqual(warnings[0]!.sample_ids, [paused]);
  assert.deepEqual(new Set(warnings[1]!.sample_ids), new Set(some.contacts.slice(0, 2)));
  assert.deepEqual(forecast.map((day) => [day.inbox_id, day.sends]), [[good, 1]]); // prettier-ignore
  const none = await made({ steps: [{ subject: 'A', body_text: 'a' }], inboxes: [paused], people: [] });
  assert.deepEqual(await told(none.id), { errors: ['no_inbox'], warnings: ['inbox_cannot_send 1', 'no_contacts'] });
  const lonely = await made({ steps: [{ subject: 'A', body_text: 'a' }], tags: ['nobody-has-this'] });
  assert.deepEqual(await told(lonely.id), { errors: ['no_inbox'], warnings: ['forecast_cut'] });
  const outside = await made({ steps: [{ subject: 'A', body_text: 'a' }], schedule: { ...ALWAYS, daysOfWeek: [0] }, people: [] });
  assert.deepEqual(await told(outside.id), { errors: [], warnings: ['no_contacts'] });
  assert.equal((await api.campaigns.start(outside.id)).status, 'running');
  await h.settle();
  assert.equal((await api.campaigns.retrieve(outside.id)).send_status, 'no_active_leads');
});

test('more mails than the plan has left this month are told', async () => {
  await using s = await stage();
  const { workspaceId } = await s.h.ctx({ mode: 'live' });
  await rowsOf(s.h.db, `update workspaces set plan = 'pro' where id = $1`, [workspaceId]);
  await rowsOf(s.h.db, `insert into usage_months values ($1, 'live', '2030-01-01', 9999)`, [workspaceId]);
  const sequence = await s.api.sequences.create({ name: 'S', steps: [{ subject: 'A', body_text: 'a' }] });
  const { id } = await s.api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_ids: [s.inbox.id], schedule: ALWAYS });
  const contacts = (await s.api.contacts.batch({ contacts: ['a', 'b', 'c'].map((name) => ({ email: `${name}@people.test` })) })).created;
  await s.api.campaigns.addContacts(id, { contact_ids: contacts.map((one) => one.id) });
  const { ok, warnings } = await s.api.campaigns.start(id, { dry_run: true });
  assert.deepEqual([ok, brief(warnings)], [true, ['quota_exceeded 2']]);
});

test('the forecast is what then happens, day by day and inbox by inbox', async () => {
  // Gaps of half an hour, which are longer than the spread of so many sends: the calendar can go in steps of half an hour.
  const pace = { min_gap_seconds: 1800, max_gap_seconds: 1800 };
  const inboxes = [await sandbox({ ...pace, daily_limit: 40 }), await sandbox({ ...pace, daily_limit: 30, timezone: 'America/New_York' })];
  const schedule = { timezone: 'Europe/Berlin', daysOfWeek: [1, 2, 3, 4, 5], startHour: 11, endHour: 17 };
  const steps = [
    { subject: 'A', body_text: 'a' },
    { body_text: 'b', delay_minutes: 1440 },
    { body_text: 'c', delay_minutes: 2880 },
  ];
  const { id } = await made({ steps, inboxes, schedule, people: Array.from({ length: 9 }, () => ({})) });
  const { forecast, estimated_completion_at: end, first_send_at: first } = await rehearse(id);
  await api.campaigns.start(id);
  for (let days = 0; days < 12 && (await api.campaigns.retrieve(id)).status === 'running'; days++) await h.run(24 * HOUR, 30 * MINUTE);
  const sent = await rowsOf<{ inbox_id: string; first: Date; last: Date; sends: number }>(
    h.db,
    `select s.inbox_id, min(sent_at) as first, max(sent_at) as last, count(*)::int as sends
       from sends s join inboxes i on i.workspace_id = s.workspace_id and i.id = s.inbox_id
      where s.campaign_id = $1 and s.state = 'sent' group by s.inbox_id, (s.sent_at at time zone i.timezone)::date order by min(sent_at), s.inbox_id`,
    [id],
  );
  const happened = sent.map((one) => [one.inbox_id, one.first.toISOString(), one.last.toISOString(), one.sends]);
  const foretold = forecast.map((day) => [day.inbox_id, day.first_send_at, day.last_send_at, day.sends]);
  assert.deepEqual(
    happened,
    foretold.toSorted((a, b) => (`${a[1]}${a[0]}` < `${b[1]}${b[0]}` ? -1 : 1)),
  );
  assert.equal(sent.reduce((sum, one) => sum + one.sends, 0), 27); // prettier-ignore
  assert.deepEqual([first, end], [happened[0]![1], sent.map((one) => one.last.toISOString()).sort().at(-1)]); // prettier-ignore
});

test('an inbox that gets a tag while the campaign runs joins it, one that is paused leaves it', async () => {
  const first = await sandbox({ tags: ['Team'], daily_limit: 2 });
  const { id } = await made({ steps: [{ subject: 'A', body_text: 'a' }], tags: ['team'], people: Array.from({ length: 5 }, () => ({})) });
  await api.campaigns.start(id);
  await h.run(2 * MINUTE);
  const by = async () =>
    (
      await rowsOf<{ inbox_id: string; n: number }>(
        h.db,
        `select inbox_id, count(*)::int as n from sends where campaign_id = $1 and state = 'sent' group by 1`,
        [id],
      )
    ).map((one) => [one.inbox_id, one.n]);
  assert.deepEqual([await by(), (await api.campaigns.retrieve(id)).send_status], [[[first, 2]], 'no_inbox_available']);
  const second = await sandbox({ tags: ['TEAM'], daily_limit: 2 });
  await h.run(10 * MINUTE);
  assert.deepEqual(new Map((await by()) as [string, number][]), new Map([[first, 2], [second, 2]])); // prettier-ignore
  await api.inboxes.update(second, { status: 'paused' });
  await h.run(25 * HOUR, 30 * MINUTE);
  assert.deepEqual(new Map((await by()) as [string, number][]), new Map([[first, 3], [second, 2]])); // prettier-ignore
});
