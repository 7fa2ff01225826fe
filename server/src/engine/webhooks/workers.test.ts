// Several workers at once, and one that is told to stop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTransaction, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { type House, house } from '#testing/house.ts';
import { type Receiver, receiver } from '#testing/receiver/index.ts';
import { webhooksLoop } from './index.ts';
import { IN_FLIGHT } from './rules.ts';

const tell = async (h: House, count: number) =>
  inTransaction(await h.ctx(), async (ctx) =>
    record(ctx, ...Array.from({ length: count }, (_, i) => ({ type: 'contact.created' as const, resourceId: `con_${i}`, data: { i } }))),
  );

async function verifiedEndpoint(h: House, there: Receiver) {
  const api = await h.api();
  const { id } = await api.webhooks.create({ url: there.url, enabled_events: ['*'] });
  while (await h.webhooks.step()) await h.webhooks.idle();
  return { api, id };
}

test('three workers at once: each event is told once, and so is each replay, redelivery and retry', async () => {
  await using h = await house();
  await using there = await receiver();
  const { api, id } = await verifiedEndpoint(h, there);
  const workers = [webhooksLoop(h.world), webhooksLoop(h.world), webhooksLoop(h.world)];
  const settled = () => Promise.all(workers.map(async (one) => { while (await one.step()) await one.idle(); })); // prettier-ignore
  const attempts = () => there.told().map((one) => Number(one.split(' ')[1]));
  there.answer = 500;
  await tell(h, 300);
  await settled();
  assert.deepEqual([attempts().length, new Set(there.received.map((one) => one.event.id)).size], [300, 301]);
  there.answer = 200;
  h.tick(2 * 60_000);
  await settled();
  assert.equal(attempts().filter((one) => one === 2).length, 300);
  await api.webhooks.replay(id, { from_sequence: 1 });
  await settled();
  assert.equal(attempts().filter((one) => one === 3).length, 300);
  assert.equal(attempts().length, 900);
  for (const one of workers) await one.close?.();
});

test('what a worker had in hand that is known to be dead is made again at once; of one that may live nothing is touched', async () => {
  await using h = await house();
  await using there = await receiver();
  await verifiedEndpoint(h, there);
  const held: (() => void)[] = [];
  there.answer = (_received, response) => void held.push(() => void response.writeHead(200).end());
  await tell(h, 3);
  const dying = webhooksLoop(h.world, { processId: 'here.1.1' });
  await dying.step();
  while (held.length < 3) await new Promise((resolve) => setImmediate(resolve));
  there.answer = 200;
  await rowsOf(h.db, `insert into heartbeats (process_id, role, beat_at) values ('here.1.1', 'worker', $1)`, [h.now()]);
  const told = async (isAlive: (id: string) => boolean) => {
    const other = webhooksLoop(h.world, { processId: 'here.2.2', isAlive });
    while (await other.step()) await other.idle();
    return there.told();
  };
  assert.equal((await told(() => true)).length, 3);
  assert.deepEqual((await told((id) => id !== 'here.1.1')).slice(3), Array(3).fill('contact.created 2'));
  for (const letGo of held) letGo();
  await dying.idle();
  const rows = await rowsOf<{ attempt: number; status: string; error: string | null }>(
    h.db,
    `select distinct attempt, status, error from webhook_deliveries where event_type = 'contact.created' order by attempt`,
    [],
  );
  assert.deepEqual(rows, [
    { attempt: 1, status: 'failed', error: 'reset' },
    { attempt: 2, status: 'succeeded', error: null },
  ]);
});

test('a worker that stops finishes what is on its way and gives the rest back at once', async () => {
  await using h = await house();
  await using there = await receiver();
  await verifiedEndpoint(h, there);
  const held: (() => void)[] = [];
  there.answer = (_received, response) => void held.push(() => void response.writeHead(200).end());
  await tell(h, 2 * IN_FLIGHT);
  const stopping = webhooksLoop(h.world);
  await stopping.step();
  while (held.length < IN_FLIGHT) await new Promise((resolve) => setImmediate(resolve));
  const ended = stopping.close!();
  const leased = `select count(*) from webhook_deliveries where status = 'pending' and leased_until is not null`;
  const leases = async () => (await rowsOf<{ count: number }>(h.db, leased, []))[0]!.count;
  while ((await leases()) > IN_FLIGHT) await new Promise((resolve) => setImmediate(resolve));
  there.answer = 200;
  while (await h.webhooks.step()) await h.webhooks.idle();
  assert.equal(there.told().length, 2 * IN_FLIGHT, 'another one takes them up without waiting for a lease');
  for (const letGo of held) letGo();
  await ended;
  assert.deepEqual([await leases(), new Set(there.told()).size], [0, 1], 'every attempt is the first');
});
