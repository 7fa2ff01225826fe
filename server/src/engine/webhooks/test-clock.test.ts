// Deliveries of test mode by the test clock: every attempt at its instant of the workspace's time, every exchange in real time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Postrider, webhooks } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { passesOf } from '#roles/service.ts';
import { type House, type HouseOptions, house } from '#testing/house.ts';
import { type Receiver, receiver } from '#testing/receiver/index.ts';
import { testClockLoop } from '../test-clock/index.ts';
import { webhooksLoop } from './index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2030-01-07T09:00:00Z');
const QUIET = { open_probability: 0, click_probability: 0, reply_probability: 0, bounce_probability: 0 };

/** A call that a receiver makes comes a millisecond after what it was told of. */
const JUST_AFTER = 1;
const minutesOf = (ms: number) => (ms - START) / MINUTE;

/** A verified endpoint. */
async function endpoint(h: House, api: Postrider, there: Receiver, types: readonly string[] = ['*']) {
  const answer = there.answer;
  there.answer = 200;
  const { id, secret } = await api.webhooks.create({ url: there.url, enabled_events: types as ['*'] });
  await h.settle();
  there.answer = answer;
  there.received.length = 0;
  return { id, secret };
}

/** Mails that leave at these times after the start: each is told as send.sent, at its instant. */
async function mails(api: Postrider, atMs: readonly number[]): Promise<void> {
  const known = (await api.inboxes.list()).data[0];
  const inbox = known ?? (await api.inboxes.createSandbox({ email_address: 'me@sandbox.postrider.test', sandbox_config: QUIET }));
  if (!known) await api.inboxes.update(inbox.id, { min_gap_seconds: 0, max_gap_seconds: 0 });
  for (const [i, at] of atMs.entries()) {
    const letter = { to: `person${i}@example.com`, subject: 'S', body_text: 'B', send_at: new Date(START + at).toISOString() };
    await api.sends.create({ ...letter, inbox_id: inbox.id });
  }
}

/** Answers `status`, and notes what was asked at which time of the workspace. */
function noting(api: Postrider, there: Receiver, status: (type: string, attempt: number) => number): string[] {
  const seen: string[] = [];
  there.answer = (received, response) => {
    const attempt = Number(received.headers['service-delivery-attempt']);
    void api.testClock.retrieve().then(({ now }) => {
      seen.push(`${minutesOf(Date.parse(now) - JUST_AFTER)} ${received.event.type} ${attempt}`);
      response.writeHead(status(received.event.type, attempt)).end();
    });
  };
  return seen;
}

/** The seven attempts after the first, in minutes. */
const TIMETABLE = [0, 1, 6, 36, 156, 636, 2_076];

test('seven attempts, each at its instant; the signature has real time', async () => {
  await using h = await house();
  await using there = await receiver();
  await using other = await receiver();
  const api = await h.api();
  const { id, secret } = await endpoint(h, api, there, ['send.sent']);
  await endpoint(h, api, other, ['webhook.delivery.failed']);
  await mails(api, [5 * HOUR]);
  const seen = noting(api, there, () => 503);
  const heard = noting(api, other, () => 200);
  assert.equal((await api.testClock.advance({ seconds: (5 * HOUR) / 1_000 - 1 })).processed, 0);
  assert.deepEqual(seen, []);
  const answer = await api.testClock.advance({ seconds: (3 * DAY) / 1_000 });
  assert.equal(answer.processed, 1);
  assert.deepEqual(seen, TIMETABLE.map((one, i) => `${300 + one} send.sent ${i + 1}`)); // prettier-ignore
  const last = START + 5 * HOUR + 2_076 * MINUTE;
  assert.deepEqual(heard, [`${300 + 2_076} webhook.delivery.failed 1`]);
  const [failed] = (await api.events.list({ type: 'webhook.delivery.failed' })).data;
  assert.equal(failed!.created_at, new Date(last).toISOString());
  const shown = await api.webhooks.retrieve(id);
  assert.deepEqual([shown.last_failure_at, shown.consecutive_failures], [new Date(last).toISOString(), 7]);
  const log = (await api.webhooks.deliveries(id, { event_type: 'send.sent' })).data.toSorted((a, b) => a.attempt - b.attempt);
  const minutes = (time: string | null) => time && minutesOf(Date.parse(time)) - 300;
  assert.deepEqual(log.map((one) => minutes(one.created_at)), [0, ...TIMETABLE.slice(0, -1)]); // prettier-ignore
  assert.deepEqual(log.map((one) => minutes(one.next_attempt_at)), [...TIMETABLE.slice(1), null]); // prettier-ignore
  for (const { headers, body } of there.received) {
    assert.equal(headers['webhook-timestamp'], String(START / 1_000), 'the calendar of the machines has not moved');
    assert.equal((await webhooks.verify(body, headers, secret, { now: h.now() })).type, 'send.sent');
  }
  assert.deepEqual(h.lines, []);
});

test('after seven days of failures the endpoint is disabled, at that instant, and what waits for it goes', async () => {
  await using h = await house();
  await using there = await receiver(500);
  const api = await h.api();
  const { id } = await endpoint(h, api, there, ['send.sent']);
  await mails(api, [0, 3, 6, 7, 8].map((day) => day * DAY + HOUR)); // prettier-ignore
  await api.testClock.advance({ seconds: (7 * DAY + HOUR) / 1_000 - 1 });
  assert.equal((await api.webhooks.retrieve(id)).disabled, false);
  await api.testClock.advance({ seconds: (14 * DAY) / 1_000 });
  const shown = await api.webhooks.retrieve(id);
  assert.deepEqual([shown.disabled_reason, shown.updated_at], ['failing', new Date(START + 7 * DAY + HOUR).toISOString()]);
  assert.deepEqual((await api.webhooks.deliveries(id, { status: 'pending' })).data, []);
  // Two schedules are whole; of the third there were six attempts in 676 minutes of the day, of the fourth one.
  assert.equal(there.told().length, 7 + 7 + 6 + 1);
});

test('the calls of an endpoint, its secrets and its log are in the time of its workspace', async () => {
  await using h = await house();
  await using there = await receiver();
  const api = await h.api();
  await api.testClock.advance({ seconds: (10 * DAY) / 1_000 });
  const made = await endpoint(h, api, there);
  const at = new Date(START + 10 * DAY).toISOString();
  const shown = await api.webhooks.retrieve(made.id);
  assert.deepEqual([shown.created_at, shown.verified_at], [at, at]);
  const tried = await api.webhooks.test(made.id);
  assert.deepEqual([tried.status, tried.created_at, tried.request_headers?.['webhook-timestamp']], ['succeeded', at, String(START / 1_000)]);
  there.answer = 500;
  await api.contacts.create({ email: 'ann@example.com' });
  await h.settle();
  const [waiting] = (await api.webhooks.deliveries(made.id, { status: 'pending' })).data;
  assert.equal(waiting!.next_attempt_at, new Date(START + 10 * DAY + MINUTE).toISOString());
  there.answer = 200;
  await api.webhooks.redeliver(made.id, waiting!.id);
  await h.settle();
  assert.deepEqual(there.told().slice(-2), ['contact.created 1', 'contact.created 3']);
  const { secret: fresh } = await api.webhooks.rotate(made.id);
  const holds = async (email: string) => {
    await api.contacts.create({ email });
    await h.settle();
    const { body, headers } = there.received.at(-1)!;
    const by = (secret: string) => webhooks.verify(body, headers, secret, { now: h.now() }).then(() => true, () => false); // prettier-ignore
    return [await by(made.secret), await by(fresh)];
  };
  await api.testClock.advance({ seconds: DAY / 1_000 - 1 });
  assert.deepEqual(await holds('b@example.com'), [true, true]);
  await api.testClock.advance({ seconds: 1 });
  assert.deepEqual(await holds('c@example.com'), [false, true]);
  assert.ok((await api.webhooks.deliveries(made.id)).data.length > 3);
  await api.testClock.advance({ seconds: (30 * DAY) / 1_000 + 1 });
  assert.deepEqual((await api.webhooks.deliveries(made.id)).data, []);
});

test('a retry comes when the test clock gets there, no sooner and by nobody else; other workspaces do not notice', async () => {
  await using h = await house();
  await using there = await receiver();
  await using others = await receiver();
  const [api, other] = [await h.api(), await h.api({ workspace: 'other' })];
  await endpoint(h, api, there);
  await endpoint(h, other, others);
  there.answer = others.answer = 500;
  for (const each of [api, other]) await each.contacts.create({ email: 'ann@example.com' });
  await h.settle();
  assert.deepEqual([there.told().length, others.told().length], [1, 1]);
  await api.testClock.advance({ seconds: 59 });
  assert.equal(there.told().length, 1);
  await api.testClock.advance({ seconds: 1 });
  await h.settle();
  assert.deepEqual([there.told().length, others.told().length], [2, 1]);
  // Where nobody moves it the clock flows, and the next attempt is five minutes later.
  h.tick(5 * MINUTE - 1);
  await h.settle();
  assert.deepEqual([there.told().length, others.told().length], [2, 2]);
  h.tick(1);
  await api.contacts.create({ email: 'bob@example.com' });
  while (await h.webhooks.step()) await h.webhooks.idle();
  assert.equal(there.told().length, 2, 'the loop of all leaves it alone');
  await h.settle();
  assert.deepEqual(there.told().slice(2).toSorted(), ['contact.created 1', 'contact.created 3']);
  assert.equal((await other.testClock.retrieve()).advanced_seconds, 0);
});

test('what a receiver does when it hears of something happens then, and the walk comes to it', async () => {
  await using h = await house();
  await using there = await receiver();
  const api = await h.api();
  await endpoint(h, api, there, ['send.sent']);
  await mails(api, [DAY]);
  const [inbox] = (await api.inboxes.list()).data;
  there.answer = async ({ event }, response) => {
    const to = { 'person0@example.com': 'soon@example.com', 'soon@example.com': 'later@example.com' }[String(event.data['to_email'])];
    const send_at = new Date(START + DAY + HOUR).toISOString();
    const letter = { subject: 'S', body_text: 'B', inbox_id: inbox!.id };
    if (to) await api.sends.create({ ...letter, to, ...(to.startsWith('later') && { send_at }) });
    response.writeHead(204).end();
  };
  // The mail to be sent at once is sent by the call itself.
  assert.equal((await api.testClock.advance({ seconds: (3 * DAY) / 1_000 })).processed, 2);
  const sent = (await api.sends.list()).data.map((one) => Date.parse(one.sent_at!) - START);
  assert.deepEqual(sent.toSorted((a, b) => a - b), [DAY, DAY + JUST_AFTER, DAY + HOUR]); // prettier-ignore
  assert.equal(there.told().length, 3);
});

/** Eight days of mails, a receiver that fails at some, another that is told of it: what happened, and who heard what when. */
async function history(options: HouseOptions, days: readonly number[], meanwhile: (h: House) => Promise<void> = async () => {}): Promise<string[]> {
  await using h = await house(options);
  await using there = await receiver();
  await using other = await receiver();
  const api = await h.api();
  await endpoint(h, api, there);
  await endpoint(h, api, other, ['webhook.delivery.failed', 'send.sent']);
  const seen = noting(api, there, (_type, attempt) => (attempt < 3 ? 500 : 200));
  const heard = noting(api, other, (type) => (type === 'send.sent' ? 503 : 200));
  await mails(api, [0, 1, 1.01, 4, 4, 6.5, 7].map((day) => Math.round(day * DAY))); // prettier-ignore
  const going = meanwhile(h);
  for (const some of days) await api.testClock.advance({ seconds: some * (DAY / 1_000) });
  await going;
  const events: string[] = [];
  for await (const one of api.events.list({ limit: 100 })) events.push(`${one.created_at} ${one.type}`);
  assert.deepEqual(h.lines, []);
  return [...events.sort(), ...[...new Set(seen)].sort(), ...heard.sort()];
}

test('the same calls give the same history, webhooks included, whatever the seed and however the way is cut', async () => {
  const once = await history({ seed: 1 }, [9]);
  // The other one is disabled on the seventh day: the schedules of the last two mails are not brought to their end.
  assert.equal(once.filter((one) => one.endsWith('Z webhook.delivery.failed')).length, 5);
  assert.deepEqual((await history({ seed: 2 }, [9])).join('\n'), once.join('\n'));
  assert.deepEqual((await history({ seed: 3 }, [1, 0.5, 4.5, 3])).join('\n'), once.join('\n'));
});

test('a worker that is halted after a post: another goes on, the attempt is made again under another number, nothing is lost', async () => {
  const once = await history({}, [9]);
  const halted = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  let posts = 0;
  const crash: HouseOptions['crash'] = (point) => {
    if (point !== 'CP14 posted' || ++posts !== 20) return undefined;
    halted.resolve();
    return woken.promise;
  };
  let lost: { attempt: number; error: string | null }[] = [];
  const again = await history({ crash }, [9], async (h) => {
    await halted.promise;
    // Whatever else is on its way at that moment comes to its end: only one is halted.
    const inHand = () => rowsOf(h.db, `select 1 from webhook_deliveries where status = 'pending' and leased_until is not null`, []);
    while ((await inHand()).length > 1) await pause(5);
    const hands = webhooksLoop(h.world);
    const second = testClockLoop(h.world, { processId: 'second.1.1', passes: passesOf('second.1.1', hands) });
    h.tick(46_000);
    while ((await rowsOf(h.db, 'select 1 from test_clock_advances where done_at is null', [])).length > 0) {
      await second.step();
      await second.idle();
    }
    woken.resolve();
    await h.testClock.idle();
    await h.webhooks.idle();
    lost = await rowsOf(h.db, `select attempt, error from webhook_deliveries where error = 'reset'`, []);
    await second.close();
    await hands.close?.();
  });
  assert.equal(lost.length, 1);
  const events = (of: readonly string[]) => of.filter((one) => one.startsWith('20'));
  assert.deepEqual(events(again).join('\n'), events(once).join('\n'));
});

test('a receiver that hangs is waited for within bounds, then left behind; the others hear everything at its time', async () => {
  // A machine that stands still for a second or two makes no receiver slow; the exchange itself has time enough to be answered at the end.
  await using h = await house({ patience: { quickMs: 3_000, slowMs: 5_000, mostMs: 60_000 }, hurry: 0.1 });
  await using hanging = await receiver();
  await using well = await receiver();
  const api = await h.api();
  const { id } = await endpoint(h, api, hanging, ['send.sent']);
  await endpoint(h, api, well, ['send.sent']);
  const held: (() => void)[] = [];
  hanging.answer = (_received, response) => void held.push(() => void response.writeHead(200).end());
  const seen = noting(api, well, () => 200);
  await mails(api, [1, 2, 3, 4].map((day) => day * DAY)); // prettier-ignore
  const { now } = await api.testClock.advance({ seconds: (5 * DAY) / 1_000 });
  assert.equal(now, new Date(START + 5 * DAY).toISOString());
  assert.deepEqual(seen, [1, 2, 3, 4].map((day) => `${(day * DAY) / MINUTE} send.sent 1`)); // prettier-ignore
  assert.ok((await api.webhooks.deliveries(id, { status: 'pending' })).data.length > 0, 'its answers are still awaited');
  hanging.answer = 200;
  for (const letGo of held) letGo();
  await h.settle();
  await h.settle();
  const log = (await api.webhooks.deliveries(id, { event_type: 'send.sent' })).data;
  assert.deepEqual([log.length, new Set(log.map((one) => one.status))], [4, new Set(['succeeded'])]);
  assert.equal((await api.webhooks.retrieve(id)).last_success_at, new Date(START + 5 * DAY).toISOString());
});

test('a receiver that is never slow, but never quick either, is waited for within bounds too', async () => {
  // Nothing that this receiver does is slow; of what it is waited for each millisecond counts as much as if it were.
  await using h = await house({ patience: { quickMs: 600_000, slowMs: 100, mostMs: 100 } });
  await using idle = await receiver();
  const api = await h.api();
  const { id } = await endpoint(h, api, idle, ['send.sent']);
  const wayOn = Promise.withResolvers<void>();
  let calls = 0;
  // By its third call the walk has waited long enough; whoever waited for the fourth, too, would wait for ten minutes.
  idle.answer = (_received, response) => void (++calls > 3 ? wayOn.promise : pause(60)).then(() => response.writeHead(200).end());
  await mails(api, [1, 2, 3, 4, 5, 6].map((day) => day * DAY)); // prettier-ignore
  await Promise.race([api.testClock.advance({ seconds: (7 * DAY) / 1_000 }), pause(60_000, undefined, { ref: false })]);
  const behind = (await api.webhooks.deliveries(id, { status: 'pending' })).data.length;
  const { now } = await api.testClock.retrieve();
  wayOn.resolve();
  assert.equal(now, new Date(START + 7 * DAY).toISOString(), 'the walk has come to its end');
  assert.ok(behind >= 3, `${behind}`);
});

test('walks that wait for receivers leave their places to others', async () => {
  await using h = await house();
  await using hanging = await receiver();
  const held: (() => void)[] = [];
  const waiting: Promise<unknown>[] = [];
  let ended = 0;
  const those = await Promise.all([1, 2, 3, 4, 5].map((i) => h.api({ workspace: `hanging ${i}` })));
  for (const api of those) {
    await endpoint(h, api, hanging, ['send.sent']);
    await mails(api, [DAY]);
  }
  hanging.answer = (_received, response) => void held.push(() => void response.writeHead(200).end());
  for (const [i, api] of those.entries()) {
    waiting.push(api.testClock.advance({ seconds: (2 * DAY) / 1_000 }).then(() => ended++));
    while (held.length <= i) await new Promise((resolve) => setImmediate(resolve));
  }
  const api = await h.api({ workspace: 'free' });
  await mails(api, [DAY]);
  assert.equal((await api.testClock.advance({ seconds: (2 * DAY) / 1_000 })).processed, 1);
  assert.equal(ended, 0, 'more walks wait than there are places');
  for (const letGo of held) letGo();
  await Promise.all(waiting);
});
