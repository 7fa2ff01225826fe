// Deliveries from event to log: what is told to whom, when, how often and in which words.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import Stripe from 'stripe';
import { webhooks } from '@postrider/sdk';
import { inTransaction, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { type House, type HouseOptions, house } from '#testing/house.ts';
import { type Receiver, receiver } from '#testing/receiver/index.ts';
import { webhooksLoop } from './index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Scene = AsyncDisposable & { h: House; api: Awaited<ReturnType<House['api']>>; there: Receiver; id: string; secret: string };

/** A house with one endpoint, verified unless told otherwise. */
async function scene(options: HouseOptions & { events?: ['*'] | ['contact.created']; verify?: boolean } = {}): Promise<Scene> {
  // What is told here is made up.
  const h = await house({ madeUpEvents: true, ...options });
  const there = await receiver();
  const api = await h.api();
  const { id, secret } = await api.webhooks.create({ url: there.url, enabled_events: options.events ?? ['*'] });
  if (options.verify !== false) await deliver(h);
  const close = async () => {
    await there.close();
    await h.close();
  };
  return { h, api, there, id, secret, [Symbol.asyncDispose]: close };
}

/** Everything that is due at this moment. */
async function deliver(h: House): Promise<void> {
  while (await h.webhooks.step()) await h.webhooks.idle();
}

const tell = async (h: House, ...names: string[]) =>
  inTransaction(await h.ctx(), async (ctx) =>
    record(ctx, ...names.map((name) => ({ type: 'contact.created' as const, resourceId: name, data: { name }, metadata: { m: 'ü' } }))),
  );
const logOf = async ({ api, id }: Pick<Scene, 'api' | 'id'>, query = {}) => (await api.webhooks.deliveries(id, { limit: 100, ...query })).data;

test('an endpoint is asked to prove itself, and hears of nothing else before; what happened meanwhile waits for it', async () => {
  await using s = await scene({ verify: false });
  s.there.answer = 500;
  await deliver(s.h);
  const [asked] = s.there.received;
  const { challenge, ...data } = asked!.event.data;
  assert.deepEqual([asked!.event.type, data, asked!.event.sequence], ['webhook.verification', { webhook_id: s.id, url: s.there.url }, null]);
  assert.match(String(challenge), /^[\w-]{32}$/);
  await tell(s.h, 'a');
  await deliver(s.h);
  assert.deepEqual([s.there.received.length, (await s.api.webhooks.retrieve(s.id)).verified_at], [1, null]);
  s.there.answer = 204;
  s.h.tick(2 * MINUTE);
  await deliver(s.h);
  assert.equal((await s.api.webhooks.retrieve(s.id)).verified_at, s.h.now().toISOString());
  assert.deepEqual(s.there.told(), ['contact.created 1']);
  assert.deepEqual(s.there.received[1]!.event.id, asked!.event.id, 'the same question again');
  assert.deepEqual(
    (await s.api.events.list()).data.map((one) => one.type),
    ['contact.created'],
    'the question stands in no log',
  );
  assert.deepEqual((await logOf(s)).map((one) => [one.trigger, one.attempt, one.status, one.response_status]).toReversed(), [
    ['verification', 1, 'failed', 500],
    ['retry', 2, 'succeeded', 204],
    ['event', 1, 'succeeded', 204],
  ]); // prettier-ignore
});

test('one that proves itself after more than a day begins with what happens then', async () => {
  await using s = await scene({ verify: false });
  s.there.answer = 500;
  await tell(s.h, 'long ago');
  await deliver(s.h);
  s.h.tick(DAY + 1);
  s.there.answer = 200;
  assert.equal((await s.api.webhooks.test(s.id)).status, 'succeeded');
  await tell(s.h, 'now');
  await deliver(s.h);
  const names = s.there.received.filter((one) => one.event.sequence !== null).map((one) => one.event.data['name']);
  assert.deepEqual(names, ['now']);
});

test('a delivery: its body is the event, its signature holds for our SDK, for Stripe and for Standard Webhooks', async () => {
  await using s = await scene({ events: ['contact.created'] });
  await tell(s.h, 'ann');
  await deliver(s.h);
  const { headers, body, event } = s.there.received.at(-1)!;
  const [logged] = (await s.api.events.list()).data;
  const { workspace_id: _, ...told } = JSON.parse(body) as Record<string, unknown>;
  assert.deepEqual(told, logged);
  const delivery = (await logOf(s)).find((one) => one.trigger === 'event');
  const expected = {
    'service-event-id': event.id,
    'service-event-type': 'contact.created',
    'service-delivery-id': delivery!.id,
    'service-delivery-attempt': '1',
    'webhook-id': event.id,
    'content-type': 'application/json',
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name);
  const now = s.h.now();
  assert.equal((await webhooks.verify(body, headers, s.secret, { now })).id, event.id);
  const signature = String(headers['service-signature']);
  const seconds = now.getTime() / 1000;
  assert.equal(signature, `t=${seconds},v1=${createHmac('sha256', s.secret).update(`${seconds}.${body}`).digest('hex')}`);
  const stripe = new Stripe('sk_test_unused');
  const read = stripe.webhooks.constructEvent(body, signature, s.secret, 300, undefined, now.getTime());
  assert.deepEqual((read as { id: string }).id, event.id);
  assert.throws(() => stripe.webhooks.constructEvent(`${body} `, signature, s.secret, 300, undefined, now.getTime()));
  const key = Buffer.from(s.secret.replace('whsec_', ''), 'base64');
  assert.equal(key.length, 32);
  const standard = createHmac('sha256', key).update(`${event.id}.${headers['webhook-timestamp']}.${body}`).digest('base64');
  assert.deepEqual([headers['webhook-signature'], headers['webhook-timestamp']], [`v1,${standard}`, String(seconds)]);
});

test('the timetable of retries: seven attempts, one event id, then the failure is told to the others only', async () => {
  await using s = await scene({ events: ['contact.created'] });
  await using other = await receiver();
  await s.api.webhooks.create({ url: other.url, enabled_events: ['webhook.delivery.failed'] });
  await deliver(s.h);
  s.there.answer = 503;
  await s.api.webhooks.update(s.id, { enabled_events: ['*'] });
  await tell(s.h, 'x');
  const at: number[] = [];
  const heard = s.there.received.length;
  const start = s.h.now().getTime();
  for (;;) {
    await deliver(s.h);
    assert.equal(s.there.received.length, heard + at.push((s.h.now().getTime() - start) / MINUTE));
    const [next] = await logOf(s, { status: 'pending' });
    if (!next) break;
    s.h.tick(Date.parse(next.next_attempt_at!) - s.h.now().getTime() - 1);
    await deliver(s.h);
    assert.equal(s.there.received.length, heard + at.length, 'not before its time');
    s.h.tick(1);
  }
  s.h.tick(30 * DAY);
  await deliver(s.h);
  const gaps = at.map((minute, i) => minute - (at[i - 1] ?? 0));
  assert.equal(gaps.length, 7);
  for (const [i, wait] of [0, 1, 5, 30, 120, 480, 1440].entries()) {
    assert.equal(gaps[i], wait, `attempt ${i + 1}`);
  }
  const attempts = s.there.received.slice(heard);
  assert.deepEqual(new Set(attempts.map((one) => one.event.id)).size, 1);
  assert.deepEqual(attempts.map((one) => one.headers['service-delivery-attempt']), ['1', '2', '3', '4', '5', '6', '7']);
  const told = other.received.filter((one) => one.event.type === 'webhook.delivery.failed');
  assert.equal(told.length, 1);
  const { delivery, ...endpoint } = told[0]!.event.data as { delivery: { attempt: number; error: string; id: string }; id: string };
  const log = await logOf(s, { event_type: 'contact.created' });
  const [last, first] = [log[0]!, log.at(-1)!];
  assert.deepEqual([endpoint.id, delivery.attempt, delivery.error, delivery.id], [s.id, 7, 'status', last.id]);
  assert.deepEqual([last.next_attempt_at, last.status, last.trigger, first.trigger], [null, 'failed', 'retry', 'event']);
  assert.deepEqual(s.there.told().filter((one) => one.startsWith('webhook')), []);
}); // prettier-ignore

test('two dead endpoints do not go on about each other for ever', async () => {
  await using s = await scene();
  await using other = await receiver();
  const { id } = await s.api.webhooks.create({ url: other.url, enabled_events: ['*'] });
  await deliver(s.h);
  s.there.answer = other.answer = 500;
  await tell(s.h, 'x');
  for (let hour = 0; hour < 4 * 24; hour += 2) {
    s.h.tick(2 * HOUR);
    await deliver(s.h);
  }
  const types = (await s.api.events.list({ limit: 100 })).data.map((one) => [one.type, one.resource_id]);
  assert.deepEqual(types.toSorted(), [
    ['contact.created', 'x'],
    ['webhook.delivery.failed', s.id],
    ['webhook.delivery.failed', id],
  ].toSorted()); // prettier-ignore
  assert.deepEqual((await logOf(s, { status: 'pending' })).length, 0);
});

test('after seven days of nothing but failures an endpoint is disabled; one success in between begins the count anew', async () => {
  await using s = await scene();
  s.there.answer = 500;
  const days = async (count: number) => {
    for (let hour = 0; hour < count * 24; hour += 8) {
      await tell(s.h, 'x');
      s.h.tick(8 * HOUR);
      await deliver(s.h);
    }
    const { disabled, disabled_reason: reason, consecutive_failures: failures } = await s.api.webhooks.retrieve(s.id);
    return { disabled, reason, failing: failures >= 7 };
  };
  assert.deepEqual(await days(6), { disabled: false, reason: null, failing: true });
  s.there.answer = 200;
  assert.deepEqual(await days(1), { disabled: false, reason: null, failing: false });
  s.there.answer = 500;
  assert.deepEqual(await days(6), { disabled: false, reason: null, failing: true });
  assert.deepEqual(await days(2), { disabled: true, reason: 'failing', failing: true });
  const heard = s.there.received.length;
  await days(3);
  assert.equal(s.there.received.length, heard, 'a disabled endpoint hears nothing');
  const rotated = await s.api.webhooks.rotate(s.id);
  assert.deepEqual([rotated.disabled_reason, rotated.last_failure_at !== null], ['failing', true], 'a new secret enables nothing');
  const enabled = await s.api.webhooks.update(s.id, { disabled: false });
  assert.deepEqual([enabled.disabled, enabled.disabled_reason, enabled.consecutive_failures], [false, null, 0]);
  assert.deepEqual(await days(1), { disabled: false, reason: null, failing: true }, 'the seven days begin anew');
});

test('seven failures within less than seven days, or fewer over more, do not disable', async () => {
  await using s = await scene();
  s.there.answer = 500;
  await tell(s.h, ...Array.from({ length: 20 }, (_, i) => String(i)));
  await s.h.run(2 * HOUR, MINUTE);
  assert.ok((await s.api.webhooks.retrieve(s.id)).consecutive_failures > 20);
  assert.equal((await s.api.webhooks.retrieve(s.id)).disabled, false);
  await using quiet = await scene();
  quiet.there.answer = 500;
  await tell(quiet.h, 'x');
  await deliver(quiet.h);
  quiet.h.tick(8 * 24 * HOUR);
  await deliver(quiet.h);
  const { disabled, consecutive_failures: failures } = await quiet.api.webhooks.retrieve(quiet.id);
  assert.deepEqual([disabled, failures], [false, 2]);
});

test('what happens while an endpoint is disabled is not told later; a replay tells it, and nothing twice that still waits', async () => {
  await using s = await scene({ events: ['contact.created'] });
  await tell(s.h, 'before');
  await deliver(s.h);
  await s.api.webhooks.update(s.id, { disabled: true });
  await tell(s.h, 'meanwhile');
  await deliver(s.h);
  await s.api.webhooks.update(s.id, { disabled: false });
  await tell(s.h, 'after');
  await deliver(s.h);
  const names = () => s.there.received.filter((one) => one.event.sequence !== null).map((one) => one.event.data['name']);
  assert.deepEqual(names(), ['before', 'after']);
  const replay = await s.api.webhooks.replay(s.id, { from_sequence: 2 });
  assert.deepEqual(replay, { object: 'webhook_replay', webhook_id: s.id, from_sequence: 2, to_sequence: 3 });
  s.there.answer = 500;
  await deliver(s.h);
  assert.deepEqual(names(), ['before', 'after', 'meanwhile', 'after']);
  assert.deepEqual(s.there.told().slice(2), ['contact.created 1', 'contact.created 2']);
  s.there.answer = 200;
  await s.api.webhooks.replay(s.id, { from_sequence: 1 });
  await deliver(s.h);
  assert.deepEqual(names().slice(4), ['before'], 'the other two will be tried again anyway');
  s.h.tick(2 * MINUTE);
  await deliver(s.h);
  assert.deepEqual(names().slice(5).toSorted(), ['after', 'meanwhile']);
});

test('a redelivery goes at once, under a number of its own, and takes the place of the retry that waits', async () => {
  await using s = await scene({ events: ['contact.created'] });
  s.there.answer = 500;
  await tell(s.h, 'x');
  await deliver(s.h);
  const [waiting, failed] = [(await logOf(s, { status: 'pending' }))[0], (await logOf(s, { status: 'failed' }))[0]];
  assert.deepEqual(
    [waiting!.status, waiting!.attempt, waiting!.request_headers, waiting!.next_attempt_at],
    ['pending', 2, null, failed!.next_attempt_at],
  );
  const again = await s.api.webhooks.redeliver(s.id, failed!.id);
  assert.deepEqual([again.status, again.trigger, again.attempt, again.event_id], ['pending', 'redeliver', 3, failed!.event_id]);
  s.there.answer = 200;
  await deliver(s.h);
  await s.h.run(2 * DAY, HOUR);
  assert.deepEqual(s.there.told(), ['contact.created 1', 'contact.created 3']);
  const once = await s.api.webhooks.redeliver(s.id, (await logOf(s, { event_type: 'contact.created' }))[0]!.id);
  await deliver(s.h);
  assert.deepEqual([once.attempt, s.there.told().at(-1)], [4, 'contact.created 4'], 'what succeeded may be asked for again');
});

test('a test event goes at once, says that it is one, verifies, and counts for no failure', async () => {
  await using s = await scene({ verify: false });
  s.there.answer = 500;
  const failed = await s.api.webhooks.test(s.id);
  assert.deepEqual([failed.status, failed.response_status, failed.error, failed.trigger, failed.attempt], ['failed', 500, 'status', 'test', 1]);
  const seen = await s.api.webhooks.retrieve(s.id);
  assert.deepEqual([seen.verified_at, seen.consecutive_failures], [null, 0]);
  s.there.answer = 201;
  const done = await s.api.webhooks.test(s.id, { event_type: 'message.replied' });
  const { event, headers, body } = s.there.received.at(-1)!;
  assert.deepEqual([done.status, done.event_type, event.type, event.metadata], ['succeeded', 'message.replied', 'message.replied', { test: true }]);
  assert.deepEqual([done.request_body, headers['service-delivery-id']], [body, done.id]);
  assert.equal((await webhooks.verify(body, headers, s.secret, { now: s.h.now() })).id, event.id);
  assert.notEqual((await s.api.webhooks.retrieve(s.id)).verified_at, null);
  assert.deepEqual((await logOf(s)).filter((one) => one.trigger === 'test').length, 2);
  assert.deepEqual((await s.api.events.list()).data, []);
});

test('after a rotation both secrets sign for a day, then the new one alone', async () => {
  await using s = await scene();
  const { secret: fresh } = await s.api.webhooks.rotate(s.id);
  assert.notEqual(fresh, s.secret);
  const holds = async () => {
    await tell(s.h, 'x');
    await deliver(s.h);
    const { body, headers } = s.there.received.at(-1)!;
    const by = (secret: string) => webhooks.verify(body, headers, secret, { now: s.h.now() }).then(() => true, () => false); // prettier-ignore
    const standard = String(headers['webhook-signature']).split(' ').length;
    return [await by(s.secret), await by(fresh), standard];
  };
  assert.deepEqual(await holds(), [true, true, 2]);
  s.h.tick(DAY - 1);
  assert.deepEqual(await holds(), [true, true, 2]);
  s.h.tick(1);
  assert.deepEqual(await holds(), [false, true, 1]);
});

test('another url is proved anew, and what waits goes there; an answer of the old one proves nothing', async () => {
  await using s = await scene({ events: ['contact.created'] });
  await using next = await receiver(500);
  s.there.answer = 500;
  await tell(s.h, 'x');
  await deliver(s.h);
  const moved = await s.api.webhooks.update(s.id, { url: next.url });
  assert.deepEqual([moved.verified_at, moved.consecutive_failures], [null, 0]);
  await tell(s.h, 'y');
  await s.h.run(3 * MINUTE);
  assert.deepEqual([s.there.told(), next.told()], [['contact.created 1'], []]);
  next.answer = 200;
  await s.h.run(10 * MINUTE);
  assert.deepEqual(next.told().toSorted(), ['contact.created 1', 'contact.created 2']);
  // Asked at the old place, answered when the new one is set already.
  const held = Promise.withResolvers<() => void>();
  s.there.answer = (_received, response) => held.resolve(() => response.writeHead(200).end());
  await s.api.webhooks.update(s.id, { url: s.there.url });
  const stepping = s.h.webhooks.step();
  const letGo = await held.promise;
  next.answer = 500;
  await s.api.webhooks.update(s.id, { url: next.url });
  letGo();
  await stepping;
  await s.h.webhooks.idle();
  await deliver(s.h);
  assert.equal((await s.api.webhooks.retrieve(s.id)).verified_at, null);
});

test('modes do not mix, and neither do workspaces', async () => {
  await using s = await scene();
  for (const who of [{ mode: 'live' }, { workspace: 'other' }] as const) {
    await inTransaction(await s.h.ctx(who), async (ctx) => record(ctx, { type: 'contact.created', resourceId: 'con_x', data: {} }));
  }
  const live = await s.h.api({ mode: 'live' });
  const { id } = await live.webhooks.create({ url: 'https://hooks.example.com/', enabled_events: ['*'] });
  await rowsOf(s.h.db, 'update webhook_endpoints set verified_at = $1 where id = $2', [s.h.now(), id]);
  await tell(s.h, 'test');
  await deliver(s.h);
  assert.deepEqual(s.there.received.filter((one) => one.event.sequence !== null).map((one) => one.event.data), [{ name: 'test' }]);
  const rows = await rowsOf<{ mode: string }>(s.h.db, `select mode from webhook_deliveries where webhook_id = $1 and trigger = 'event'`, [id]);
  assert.deepEqual(rows, []);
}); // prettier-ignore

test('the log shows what was sent, and no signature, secret or answer', async () => {
  await using s = await scene();
  s.there.answer = (_received, response) => void response.writeHead(418, { 'x-secret': 'answer-header' }).end('answer-body');
  await tell(s.h, 'x');
  await deliver(s.h);
  await s.api.webhooks.test(s.id);
  const sent = s.there.received.find((one) => one.event.type === 'contact.created')!;
  const log = await logOf(s);
  const shown = log.find((one) => one.trigger === 'event')!;
  assert.equal(shown.request_body, sent.body);
  assert.deepEqual([shown.response_status, shown.error], [418, 'status']);
  for (const [name, value] of Object.entries(shown.request_headers!)) {
    if (!name.endsWith('signature')) assert.equal(value, sent.headers[name], name);
    else assert.match(value, /^(t=\d+,v1=|v1,)\[redacted\]$/);
  }
  const signatures = s.there.received.flatMap((one) => [
    String(one.headers['service-signature']).split('v1=')[1]!,
    String(one.headers['webhook-signature']).slice(3),
  ]);
  assert.ok(signatures.length >= 4);
  const everything = [
    JSON.stringify(log),
    JSON.stringify(await s.api.webhooks.retrieve(s.id)),
    JSON.stringify(await rowsOf(s.h.db, 'select * from webhook_deliveries', [])),
    JSON.stringify(await rowsOf(s.h.db, 'select * from webhook_endpoints', [])),
    JSON.stringify(await rowsOf(s.h.db, 'select * from idempotency_keys', [])),
    s.h.lines.join('\n'),
  ].join('\n');
  for (const secret of [s.secret, s.secret.slice(6), ...signatures, 'answer-body', 'answer-header']) assert.ok(!everything.includes(secret), secret);
});

test('the log is kept for thirty days; of a deleted endpoint nothing remains, and it hears nothing more', async () => {
  await using s = await scene();
  await tell(s.h, 'old');
  await deliver(s.h);
  s.h.tick(30 * DAY - MINUTE);
  const sweep = async () => {
    const loop = webhooksLoop(s.h.world);
    while (await loop.step()) await loop.idle();
  };
  await sweep();
  assert.equal((await logOf(s)).length, 2);
  s.there.answer = 500;
  await tell(s.h, 'new');
  await deliver(s.h);
  s.h.tick(2 * MINUTE);
  await sweep();
  assert.deepEqual((await logOf(s)).map((one) => one.status).toSorted(), ['failed', 'failed', 'pending'].toSorted());
  const heard = s.there.received.length;
  await s.api.webhooks.delete(s.id);
  await s.h.run(DAY, HOUR);
  await sweep();
  assert.equal(s.there.received.length, heard);
  assert.deepEqual(await rowsOf(s.h.db, 'select id from webhook_deliveries', []), []);
});

test('an attempt that was posted and not written down is made again under another number, and its late outcome changes nothing', async () => {
  const sleeping = Promise.withResolvers<void>();
  let posts = 0;
  await using s = await scene({ verify: false });
  const zombie = webhooksLoop(s.h.world, { crash: () => (++posts === 2 ? sleeping.promise : undefined) });
  await zombie.step();
  await zombie.idle();
  await tell(s.h, 'x');
  await zombie.step();
  while (posts < 2) await new Promise((resolve) => setImmediate(resolve));
  await deliver(s.h);
  assert.deepEqual(s.there.told(), ['contact.created 1'], 'nobody touches what is leased');
  s.h.tick(MINUTE);
  await deliver(s.h);
  assert.deepEqual(s.there.told(), ['contact.created 1', 'contact.created 2']);
  sleeping.resolve();
  await zombie.idle();
  const log = (await logOf(s)).filter((one) => one.event_type === 'contact.created');
  assert.deepEqual(log.map((one) => [one.attempt, one.status, one.error]), [[2, 'succeeded', null], [1, 'failed', 'reset']]); // prettier-ignore
  assert.equal((await s.api.webhooks.retrieve(s.id)).consecutive_failures, 0);
  await zombie.close?.();
});
