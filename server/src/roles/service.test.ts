// What a running API says of itself: readiness and metrics.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Registry } from 'prom-client';
import { connect, rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { addGauges } from './gauges.ts';
import { readiness } from './readiness.ts';
import { startApi } from './service.ts';

let h: House;
before(async () => void (h = await house({ env: { PORT: '0' } })));
after(() => h.close());

const beat = (id: string) =>
  rowsOf(h.db, `insert into heartbeats values ($1, 'worker', $2) on conflict (process_id) do update set beat_at = excluded.beat_at`, [id, h.now()]);

test('readiness: an API of its own is ready without a worker and says so; one that should run a worker is not', async () => {
  const seen = { database: true, row_level_security: true };
  assert.deepEqual(await readiness(h.world, false), { ok: true, worker: false, worker_beat_at: null, ...seen });
  assert.equal((await readiness(h.world, true)).ok, false);
  await beat('p.1.1');
  const at = h.now().toISOString();
  assert.deepEqual(await readiness(h.world, true), { ok: true, worker: true, worker_beat_at: at, ...seen });
  h.tick(14_999);
  assert.equal((await readiness(h.world, true)).ok, true);
  h.tick(1);
  assert.deepEqual(await readiness(h.world, false), { ok: true, worker: false, worker_beat_at: at, ...seen });
  assert.equal((await readiness(h.world, true)).ok, false, 'a stale sign of life is none');
  const away = connect('postgresql://nobody@127.0.0.1:1/none', { log: h.world.log, walled: false });
  assert.deepEqual(await readiness({ ...h.world, db: away }, false), {
    ok: false,
    database: false,
    worker: false,
    worker_beat_at: null,
    row_level_security: false,
  });
  await away.destroy();
});

test('readiness does not wait for a database that hangs', async () => {
  const held = connect(h.databaseUrl, { log: h.world.log, max: 1 });
  // The one connection is taken; time passes as soon as somebody waits.
  const busy = rowsOf(held, 'select pg_sleep(0.5)', []);
  const clock = { ...h.world.clock, after: (_ms: number, run: () => void) => (setImmediate(run), () => {}) };
  assert.equal((await readiness({ ...h.world, clock, db: held }, false)).database, false);
  await busy;
  await held.destroy();
});

/** What /metrics says of a name: the sum over its labels that hold `only`. */
const figure = (text: string, name: string, only = '') =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => line.includes(only))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

test('metrics: requests by route and status, queues as they are, and no name of anybody', async (t) => {
  const api = await startApi(h.world, { expectWorker: false });
  t.after(() => api.stop());
  const read = async () => {
    // Scrapes that come close together share their figures.
    const real = h.world.clock.monotonic;
    h.world.clock.monotonic = () => real() + (later += 10_000);
    const answer = await fetch(`${api.url}/metrics`);
    h.world.clock.monotonic = real;
    assert.match(answer.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
    return answer.text();
  };
  let later = 0;
  const secret = await h.secretFor();
  const own = await h.api();
  const { id } = await own.inboxes.createSandbox();
  const ask = (path: string, key = secret) => fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  for (const path of ['/v1/inboxes', `/v1/inboxes/${id}`, '/v1/inboxes/inb_x', '/v1/inboxes?limit=0', `/${id}`]) await (await ask(path)).text();
  await (await ask('/v1/inboxes', 'wrong')).text();
  const name = 'postrider_http_request_duration_seconds_count';
  const first = await read();
  assert.equal(figure(first, name, 'method="GET",route="/v1/inboxes",status="200"'), 1);
  assert.equal(figure(first, name, 'route="/v1/inboxes",status="400"'), 1);
  assert.equal(figure(first, name, 'route="/v1/inboxes",status="401"'), 1);
  assert.equal(figure(first, name, 'route="/v1/inboxes/:id",status="200"'), 1);
  assert.equal(figure(first, name, 'route="/v1/inboxes/:id",status="404"'), 1);
  assert.equal(figure(first, name, 'route="none",status="404"'), 1);
  assert.equal(figure(first, 'postrider_database_up'), 1);
  assert.equal(figure(first, 'postrider_sends_due'), 0);
  assert.ok(figure(first, 'postrider_database_connections', 'pool="tenants"') >= 1);
  assert.ok(first.includes('nodejs_eventloop_lag_p99_seconds'));

  const live = await h.ctx({ mode: 'live' });
  await rowsOf(h.db, `update inboxes set mode = 'live', leased_until = $1`, [new Date(h.now().getTime() + 60_000)]);
  await rowsOf(
    h.db,
    `insert into sends (workspace_id, id, mode, inbox_id, to_email, to_email_key, subject, state, rfc822_message_id, thread_references, is_reply,
                        attempt_count, scheduled_at, due_at, created_at, fence)
     select $1, 'snd_' || n, 'live', $2, 'a', 'a', 's', 'scheduled', n::text, '{}', false, 0, $3, $3::timestamptz - n * interval '1 minute', $3, 0
       from generate_series(-1, 4) n`,
    [live.workspaceId, id, h.now()],
  );
  const second = await read();
  assert.equal(figure(second, 'postrider_sends_due', 'live'), 5);
  assert.equal(figure(second, 'postrider_sends_oldest_due_age_seconds', 'live'), 240);
  assert.equal(figure(second, 'postrider_lanes'), 1);
  assert.equal(figure(second, 'postrider_workers'), 0);
  for (const secretish of [id, live.workspaceId, 'example.com', secret]) assert.ok(!second.includes(secretish), secretish);
});

test('webhook deliveries are counted where there are any; without a database the rest is still told', async (t) => {
  const register = new Registry();
  addGauges(register, h.world);
  const there = (await rowsOf<{ there: boolean }>(h.db, `select to_regclass('webhook_deliveries') is not null as there`, []))[0]!.there;
  if (!there) await rowsOf(h.db, `create table webhook_deliveries (mode text, status text, next_attempt_at timestamptz)`, []);
  const text = await register.metrics();
  assert.equal(figure(text, 'postrider_database_up'), 1);
  assert.equal(figure(text, 'postrider_webhook_deliveries_due'), 0);
  const away = connect('postgresql://nobody@127.0.0.1:1/none', { log: h.world.log, walled: false });
  t.after(() => away.destroy());
  const blind = new Registry();
  addGauges(blind, { ...h.world, db: away });
  const other = await blind.metrics();
  assert.equal(figure(other, 'postrider_database_up'), 0);
  assert.ok(!other.includes('postrider_sends_due{'));
  assert.ok(other.includes('nodejs_eventloop_lag_seconds'));
});
