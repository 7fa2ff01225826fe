// kill -9 in the middle of thousands of deliveries.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTransaction, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { type House, house } from '#testing/house.ts';
import { type Receiver, receiver } from '#testing/receiver/index.ts';
import { until } from '#testing/until.ts';

/** For the long form: `WEBHOOK_KILL_EVENTS=5000 npm test -- webhooks/kill` makes 10,000 deliveries. */
const EVENTS = Number(process.env['WEBHOOK_KILL_EVENTS'] ?? 1_250);
const KILLS = [EVENTS * 0.24, EVENTS * 1.2];
const PATIENCE = { mostMs: 90_000 };
const OPEN = `select count(*) from webhook_deliveries where status = 'pending'`;

type Told = Pick<Receiver, 'received'>;

test('workers that are killed in the middle of it: everything arrives at least once, under its own id, and no number is used twice', async () => {
  await using h = await house({ start: new Date(Date.now() - 60_000).toISOString(), seed: 4 });
  await using one = await receiver();
  await using other = await receiver();
  const api = await h.api();
  for (const { url } of [one, other]) await api.webhooks.create({ url, enabled_events: ['*'] });
  while (await h.webhooks.step()) await h.webhooks.idle();
  const events = Array.from({ length: EVENTS }, (_, i) => ({ type: 'contact.created' as const, resourceId: `con_${i}`, data: { i } }));
  await inTransaction(await h.ctx(), async (ctx) => record(ctx, ...events));

  const received = () => one.told().length + other.told().length;
  let lost = 0;
  for (const kills of KILLS) {
    await using _ = worker(h);
    await until(() => received() >= kills, PATIENCE);
    lost += await openCount(h);
  }
  assert.ok(lost > 0, 'something was in hand when they died');
  {
    await using _ = worker(h);
    // Some arrive twice, and between two looks at the log nothing is open: neither says that everything has arrived.
    await until(async () => arrived(one) === EVENTS && arrived(other) === EVENTS && (await openCount(h)) === 0, PATIENCE); // prettier-ignore
  }
  for (const there of [one, other]) everythingArrived(there);
  await everythingIsWritten(h);
});

/** A worker that is killed at the end of its block. */
function worker(h: House): AsyncDisposable {
  const settings = {
    DATABASE_URL: h.databaseUrl,
    DATA_DIR: h.world.config.DATA_DIR,
    SEALING_KEY: Buffer.alloc(32, 4).toString('base64'),
    ALLOW_PRIVATE_WEBHOOKS: 'true',
    LOG_LEVEL: 'error',
  };
  const child = fork(join(import.meta.dirname, 'worker.fixture.ts'), { env: { ...process.env, ...settings } });
  return {
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
      // Nobody waits here until the leases of the dead have run out.
      await rowsOf(h.db, `update webhook_deliveries set leased_until = '-infinity' where status = 'pending' and leased_until is not null`, []);
    },
  };
}

const openCount = async (h: House) => (await rowsOf<{ count: number }>(h.db, OPEN, []))[0]!.count;

const eventsOf = ({ received }: Told) => received.filter((each) => each.event.type !== 'webhook.verification');
const arrived = (there: Told) => new Set(eventsOf(there).map((each) => each.event.id)).size;

function everythingArrived(there: Told): void {
  const told = eventsOf(there);
  assert.equal(arrived(there), EVENTS, 'every event arrived');
  assert.equal(new Set(told.map((each) => each.event.data['i'])).size, EVENTS, 'an event keeps its id');
  assert.equal(new Set(told.map((each) => `${each.event.id} ${each.headers['service-delivery-attempt']}`)).size, told.length, 'no number twice');
  assert.equal(new Set(told.map((each) => each.headers['service-delivery-id'])).size, told.length);
}

async function everythingIsWritten(h: House): Promise<void> {
  const text = `select status, error, response_status from webhook_deliveries where trigger in ('event', 'retry')`;
  const rows = await rowsOf<{ status: string; error: string | null; response_status: number | null }>(h.db, text, []);
  assert.equal(rows.filter((each) => each.status === 'succeeded').length, 2 * EVENTS, 'each was written down as delivered once');
  for (const each of rows) assert.deepEqual([each.error, each.response_status], each.status === 'succeeded' ? [null, 200] : ['reset', null]);
}
