import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event, Postrider } from '@postrider/sdk';
import { leaseClock, reach } from '#resources/test-clock/index.ts';
import { passesOf } from '#roles/service.ts';
import { house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import { webhooksLoop } from '../webhooks/index.ts';
import { testClockLoop } from './index.ts';

const DAY = 86_400;
const START = Date.parse('2030-01-07T09:00:00Z');
const always = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
const weekdays = { timezone: 'Europe/Berlin', daysOfWeek: [1, 2, 3, 4, 5], startHour: 9, endHour: 17 };
const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };
const people = (count: number) => Array.from({ length: count }, (_, i) => `person${i}@example.com`);

type Wanted = { emails: readonly string[]; sandbox?: object; inboxes?: number; limit?: number; schedule?: object; delayMinutes?: number };

/** A running campaign of three steps over sandbox inboxes. */
async function campaign(api: Postrider, { emails, sandbox = QUIET, inboxes = 1, limit = 500, schedule = always, delayMinutes = 3 * 1_440 }: Wanted) {
  const ids: string[] = [];
  for (let i = 0; i < inboxes; i++) {
    const { id } = await api.inboxes.createSandbox({ email_address: `sender${i}@sandbox.postrider.test`, sandbox_config: sandbox });
    ids.push((await api.inboxes.update(id, { daily_limit: limit })).id);
  }
  const contacts = (await api.contacts.batch({ contacts: emails.map((email) => ({ email })) })).created;
  const step = (subject: string, body: string, delay: number) => ({ subject, body_text: body, delay_minutes: delay });
  const steps = [step('Hello', 'One https://example.com/a', 0), step('', 'Two', delayMinutes), step('', 'Three', delayMinutes)];
  const sequence = await api.sequences.create({ name: 'S', steps });
  const { id } = await api.campaigns.create({ name: 'C', sequence_id: sequence.id, sending_inbox_ids: ids, schedule } as never);
  await api.campaigns.addContacts(id, { contact_ids: contacts.map((one) => one.id) });
  await api.campaigns.start(id);
  return id;
}

/** The whole log, oldest first. */
async function log(api: Postrider): Promise<Event[]> {
  const all: Event[] = [];
  for await (const event of api.events.list({ limit: 100 })) all.push(event);
  return all.toReversed();
}
const kinds = (events: readonly Event[]) =>
  Object.fromEntries([...Map.groupBy(events, (one) => one.type)].map(([type, those]) => [type, those.length]));

/** What happened and when, in words that another run uses too. What happened at one instant has no order of its own. */
function history(events: readonly Event[]): string[] {
  const lines = events.map(({ type, created_at: at, data }) => {
    const { to_email: to, from_email: from, contact_email: contact, email, subject } = data as Record<string, string | undefined>;
    return [at, type, to ?? '', type.startsWith('message') ? (from ?? '') : '', contact ?? email ?? '', subject ?? ''].join(' ');
  });
  return lines.sort();
}

test('three weeks pass in one call: each mail and answer at its own time, in order', async () => {
  await using h = await house();
  const api = await h.api();
  const id = await campaign(api, { emails: [...people(6), 'reply@sandbox.postrider.test'] });
  assert.deepEqual(await api.testClock.retrieve(), { object: 'test_clock', now: '2030-01-07T09:00:00.000Z', advanced_seconds: 0 });
  const answer = await api.testClock.advance({ seconds: 21 * DAY });
  assert.deepEqual(answer, { object: 'test_clock', now: '2030-01-28T09:00:00.000Z', advanced_seconds: 21 * DAY, processed: 6 * 3 + 1 + 1 });
  assert.deepEqual(await api.testClock.retrieve(), { object: 'test_clock', now: '2030-01-28T09:00:00.000Z', advanced_seconds: 21 * DAY });
  const { data: sends } = await api.sends.list({ limit: 100 });
  const days = sends.map((one) => (Date.parse(one.sent_at!) - START) / 1_000 / DAY);
  assert.deepEqual(kinds(sends.map((one, i) => ({ type: `day ${days[i]}` })) as never), { 'day 6': 6, 'day 3': 6, 'day 0': 7 });
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
  const times = (await log(api)).map((one) => one.created_at);
  assert.deepEqual(times, times.toSorted());
  assert.equal(Date.parse(times.at(-1)!), START + 6 * DAY * 1_000);
  const later = await api.contacts.create({ email: 'later@example.com' });
  assert.equal(later.created_at, '2030-01-28T09:00:00.000Z');
  assert.deepEqual(h.lines, []);
});

const LIVELY = { seed: 7, open_probability: 0.6, click_probability: 0.2, reply_probability: 0.2, bounce_probability: 0.1 };

async function run(seed: number, days: readonly number[]): Promise<string[]> {
  await using h = await house({ seed });
  const api = await h.api();
  await campaign(api, { emails: people(30), sandbox: LIVELY, limit: 20, schedule: weekdays });
  for (const some of days) await api.testClock.advance({ seconds: some * DAY });
  return history(await log(api));
}

test('the same seed and the same calls give the same history, however the way is cut', async () => {
  const once = await run(1, [9]);
  assert.ok(once.length > 250, `${once.length}`);
  assert.deepEqual(await run(2, [9]), once);
  assert.deepEqual(await run(1, [1, 0.5, 4.5, 3]), once);
});

test('what a caller may not ask', async () => {
  await using h = await house();
  const api = await h.api();
  const live = await h.api({ mode: 'live' });
  await refused(live.testClock.retrieve(), 403, 'mode_mismatch');
  await refused(live.testClock.advance({ seconds: 1 }), 403, 'mode_mismatch');
  await refused(api.testClock.advance({} as never), 422, 'parameter_missing', 'seconds');
  await refused(api.testClock.advance({ seconds: 1, to: '2030-01-08T00:00:00Z' } as never), 422, 'validation_failed', 'to');
  await refused(api.testClock.advance({ to: '2030-01-07T09:00:00Z' }), 422, 'validation_failed', 'to');
  await refused(api.testClock.advance({ to: '2031-02-11T09:00:01Z' }), 422, 'validation_failed', 'to');
  for (const seconds of [0, -1, 1.5, 400 * DAY + 1]) {
    await refused(api.testClock.advance({ seconds }), 422, 'validation_failed', 'seconds');
  }
  assert.equal((await api.testClock.retrieve()).advanced_seconds, 0);
  assert.equal((await api.testClock.advance({ to: '2031-02-11T10:00:00+01:00' })).advanced_seconds, 400 * DAY);
});

test('two calls at once: one after the other; the same call again: once', async () => {
  await using h = await house();
  const api = await h.api();
  const both = await Promise.all([api.testClock.advance({ seconds: 3_600 }), api.testClock.advance({ seconds: 7_200 })]);
  assert.deepEqual(both.map((one) => one.advanced_seconds), [3_600, 7_200]); // prettier-ignore
  assert.equal(Math.max(...both.map((one) => Date.parse(one.now))), START + 10_800_000);
  const same = () => api.testClock.advance({ seconds: 60 }, { idempotencyKey: 'once' });
  // Whoever comes while the first is under way is told so, or waits; the clock moves once.
  await Promise.allSettled([same(), same(), same()]);
  assert.deepEqual(await same(), await same());
  assert.equal((await api.testClock.retrieve()).advanced_seconds, 10_860);
});

test('a worker that is halted on the way: another goes on, nothing is done twice, the history is the same', async () => {
  const undisturbed = await run(1, [9]);
  const halted = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  let batches = 0;
  await using h = await house({
    passes: (own) => ({
      ...own,
      async send(world, workspaceId) {
        if (++batches === 12) {
          halted.resolve();
          await woken.promise;
        }
        return own.send(world, workspaceId);
      },
    }),
  });
  const api = await h.api();
  await campaign(api, { emails: people(30), sandbox: LIVELY, limit: 20, schedule: weekdays });
  const call = api.testClock.advance({ seconds: 9 * DAY });
  await halted.promise;
  const second = testClockLoop(h.world, { processId: 'second.1.1', passes: passesOf('second.1.1', webhooksLoop(h.world)) });
  await second.step();
  await second.idle();
  assert.equal((await api.testClock.retrieve()).advanced_seconds < 9 * DAY, true);
  h.tick(21_000);
  await second.step();
  await second.idle();
  woken.resolve();
  assert.equal((await call).now, new Date(START + 9 * DAY * 1_000).toISOString());
  assert.deepEqual(history(await log(api)), undisturbed);
  assert.deepEqual(h.lines, []);
});

test('a clock is leased to one of those who ask at once, and moved by whoever leased it last', async () => {
  await using h = await house();
  const api = await h.api();
  await api.testClock.advance({ seconds: 60 });
  const { workspaceId } = await h.ctx();
  const until = new Date(h.world.clock.wall().getTime() + 20_000);
  const asked = await Promise.all(['a.1.1', 'b.1.1', 'c.1.1'].map((holder) => leaseClock(h.world, workspaceId, { holder, until })));
  const [older, ...others] = asked.filter((one) => one !== undefined);
  assert.deepEqual(others, []);
  h.tick(20_000);
  const younger = await leaseClock(h.world, workspaceId, { holder: 'd.1.1', until: new Date(until.getTime() + 20_000) });
  const moved = (walk: typeof older, minutes: number) => reach(h.world, walk!, { at: new Date(START + minutes * 60_000), processed: 0, until });
  assert.deepEqual([await moved(older, 120), await moved(younger, 60)], [false, true]);
  assert.equal((await api.testClock.retrieve()).advanced_seconds, 3_600 - 20);
});

test('what has waited since before the clock was moved leaves at the time of the clock: no other loop takes it', async () => {
  await using h = await house();
  const api = await h.api();
  const { id: inboxId } = await api.inboxes.createSandbox({ sandbox_config: QUIET });
  await api.inboxes.update(inboxId, { status: 'paused' });
  const { id } = await api.sends.create({ inbox_id: inboxId, to: 'one@example.com', subject: 'S', body_text: 'B' });
  await api.testClock.advance({ seconds: 3_600 });
  await api.inboxes.update(inboxId, { status: 'active' });
  await h.sending.step();
  await h.sending.idle();
  assert.equal((await api.sends.retrieve(id)).state, 'scheduled');
  await h.settle();
  assert.equal(Date.parse((await api.sends.retrieve(id)).sent_at!), START + 3_600_000);
});

test('a worker that stumbles goes on by itself', async () => {
  let batches = 0;
  await using h = await house({
    passes: (own) => ({
      ...own,
      async send(world, workspaceId) {
        const sent = await own.send(world, workspaceId);
        if (++batches === 3) throw new Error('stumbled on purpose');
        return sent;
      },
    }),
  });
  const api = await h.api();
  const id = await campaign(api, { emails: people(5) });
  await api.testClock.advance({ seconds: 10 * DAY });
  assert.deepEqual(kinds(await log(api))['send.sent'], 15);
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
  assert.equal(h.lines.length, 1);
});

test('after it was moved the clock flows: what is begun then is carried out in its time, and no other workspace notices', async () => {
  await using h = await house();
  const [api, other] = [await h.api(), await h.api({ workspace: 'other' })];
  await api.testClock.advance({ seconds: 10 * DAY });
  const emails = people(3);
  await campaign(api, { emails, delayMinutes: 10 });
  await campaign(other, { emails, delayMinutes: 10 });
  await h.settle();
  await h.run(30 * 60_000);
  const times = async (of: Postrider) =>
    (await of.sends.list({ limit: 100 })).data.map((one) => Date.parse(one.sent_at!) - START).toSorted((a, b) => a - b);
  const minutes = [0, 0, 0, 10, 10, 10, 20, 20, 20].map((one) => one * 60_000);
  assert.deepEqual((await times(other)).map((one) => Math.floor(one / 60_000) * 60_000), minutes); // prettier-ignore
  assert.deepEqual((await times(api)).map((one) => Math.floor((one - 10 * DAY * 1_000) / 60_000) * 60_000), minutes); // prettier-ignore
  assert.equal((await other.testClock.retrieve()).advanced_seconds, 0);
  const live = await h.api({ mode: 'live' });
  assert.equal((await live.contacts.create({ email: 'now@example.com' })).created_at, h.now().toISOString());
});

test('a paused inbox, a pause of the campaign and a cap are as in life', async () => {
  await using h = await house();
  const api = await h.api();
  const id = await campaign(api, { emails: people(12), limit: 5, delayMinutes: 60 });
  await api.testClock.advance({ seconds: 3_600 });
  assert.equal((await api.sends.list({ state: 'sent', limit: 100 })).data.length, 5);
  const inbox = (await api.inboxes.list()).data[0]!;
  assert.equal(inbox.status, 'over_quota_today');
  await api.testClock.advance({ seconds: DAY });
  assert.equal((await api.sends.list({ state: 'sent', limit: 100 })).data.length, 10);
  await api.campaigns.pause(id);
  await api.testClock.advance({ seconds: 3 * DAY });
  assert.equal((await api.sends.list({ state: 'sent', limit: 100 })).data.length, 10);
  const letter = { to: 'one@example.com', subject: 'S', body_text: 'B', send_at: new Date(START + 6 * DAY * 1_000).toISOString() };
  const one = await api.sends.create({ ...letter, inbox_id: inbox.id });
  await api.inboxes.update(inbox.id, { status: 'paused' });
  await api.testClock.advance({ seconds: 5 * DAY });
  assert.deepEqual([(await api.sends.retrieve(one.id)).state, (await api.sends.retrieve(one.id)).failure_reason], ['failed', 'expired']);
  await api.inboxes.update(inbox.id, { status: 'active' });
  await api.campaigns.resume(id);
  await api.testClock.advance({ seconds: 10 * DAY });
  assert.equal((await api.sends.list({ state: 'sent', limit: 100 })).data.length, 36);
  assert.equal((await api.campaigns.retrieve(id)).status, 'completed');
});
