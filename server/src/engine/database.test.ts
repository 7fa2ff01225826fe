// The database goes away while a worker is in the midst of its work, and comes back.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { connect, rowsOf } from '#store/db.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { authenticate } from '#resources/api-keys/index.ts';
import { type DatabaseProxy, databaseProxy } from '#testing/database-proxy.ts';
import { type Stage, stage } from '#testing/stage.ts';
import { until as untilOr } from '#testing/until.ts';
import { createApp } from '#web/app.ts';
import type { World } from '#world/ctx.ts';
import { campaignsLoop } from './campaigns/index.ts';
import type { CrashPoint } from './crash.ts';
import { housekeepingLoop } from './housekeeping/index.ts';
import { inboundLoop } from './inbound/index.ts';
import { run } from './loop.ts';
import { reconcilerLoop, sendingLoop } from './sending/index.ts';

/** Every clock of the worker runs this much faster: 3 s stand for 12, which is past the leases of 10 s and several times every wait of the loops. */
const SPEED = 4;
const AWAY_MS = 3_000;
const SENDS = 60;
const MINUTE = 60_000;

/** A calendar that runs. */
function running({ h }: Stage) {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    h.tick(Math.round((now - last) * SPEED));
    last = now;
  }, 10);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The whole worker and the API, with the database behind the proxy. */
async function workerBehind(s: Stage, proxy: DatabaseProxy) {
  const { h } = s;
  const { clock, log } = h.world;
  const db = connect(proxy.url, { log, max: 8 });
  const fast = { ...clock, monotonic: () => h.now().getTime(), after: (ms: number, go: () => void) => clock.after(ms / SPEED, go) };
  const world: World = { ...h.world, db, clock: fast };
  const processId = 'worker.1.1';
  const { journalFolder } = h;
  const sending = await sendingLoop(world, { processId, journalFolder });
  const reconciler = reconcilerLoop(world, { processId, journalFolder, isAlive: () => true });
  const loops = [sending, reconciler, campaignsLoop(world), inboundLoop(world, { processId }), housekeepingLoop(world)];
  const ending = new AbortController();
  const ended = run(world, loops, ending.signal);
  const app = createApp({ ...h.world, db }, allRoutes, { authenticate });
  const secret = await h.secretFor({ mode: 'live', autoConfirm: true });
  const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
    app.inject({ method, url, headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }, ...(payload && { payload }) });
  const stop = async () => {
    ending.abort();
    await ended;
    await app.close();
    await db.destroy();
  };
  return { call, stop, [Symbol.asyncDispose]: stop };
}

/** No longer than half a minute; `state` says how things stood then. */
const until = (isSo: Parameters<typeof untilOr>[0], state?: () => Promise<unknown>) => untilOr(isSo, { mostMs: 30_000, ...(state && { state }) });
type Counted = { state: string; n: number };
const statesOf = async (s: Stage) => {
  const rows = await rowsOf<Counted>(s.h.db, 'select state, count(*)::int as n from sends group by state', []);
  return Object.fromEntries(rows.map((row) => [row.state, row.n])) as Partial<Record<string, number>>;
};
/** What is not sent, but for that which is not due by then. */
async function unsent(s: Stage, by: Date | null = null): Promise<number> {
  const open = `state <> 'sent' and (state <> 'scheduled' or due_at <= $1 or $1::timestamptz is null)`;
  return (await rowsOf<Counted>(s.h.db, `select count(*)::int as n from sends where ${open}`, [by]))[0]!.n;
}

/** The servers take their time over a message, so that some are always on their way. */
const slowly = (s: Stage) => s.office.follow(({ phase }) => (phase === 'dot' ? { kind: 'accept', delayMs: 30 } : undefined));

test('the database is away in the midst of a job: everything is sent once, and the loops find back by themselves', async () => {
  await using s = await stage({ senders: ['ann@sender.test', 'bob@sender.test'] });
  slowly(s);
  await s.campaign(Array.from({ length: SENDS / 2 }, (_, i) => `lead${i}@people.test`));
  await Promise.all(Array.from({ length: SENDS / 2 }, (_, i) => s.send(`p${i}@people.test`, { inbox_id: s.inboxes[i % 2]!.id })));
  await using proxy = await databaseProxy(s.h.databaseUrl);
  using _calendar = running(s);
  await using _worker = await workerBehind(s, proxy);
  await until(() => s.office.deliveries.length >= 15);
  proxy.cut();
  await pause(AWAY_MS);
  const whileAway = s.office.deliveries.length;
  assert.ok(whileAway < SENDS, 'there was work left');
  // The loops keep trying.
  await until(() => proxy.turnedAway() >= 10);
  proxy.restore();
  await until(async () => (await unsent(s, s.h.now())) === 0, () => statesOf(s)); // prettier-ignore
  // Those whose release could not be committed were put off for a minute or so.
  s.h.tick(2 * MINUTE);
  await until(async () => (await unsent(s)) === 0, () => statesOf(s)); // prettier-ignore
  assert.equal(s.office.deliveries.length, SENDS);
  assert.equal(new Set(s.office.deliveries.map((one) => one.recipient)).size, SENDS);
  assert.equal((await s.events()).filter((type) => type === 'send.sent').length, SENDS);
  const text = s.h.lines.join('');
  assert.match(text, /the database is out of reach/);
  assert.doesNotMatch(text, /a loop stumbled|an outcome could not be written/);
});

test('calls are told to come again while the database is away, and are served when it is back', async () => {
  await using s = await stage();
  await using proxy = await databaseProxy(s.h.databaseUrl);
  await using worker = await workerBehind(s, proxy);
  const calls = [
    () => worker.call('GET', '/v1/sends'),
    () => worker.call('POST', '/v1/sends', { to: 'one@people.test', subject: 'Hi', body_text: 'Hello', inbox_id: s.inbox.id }),
    () => worker.call('POST', '/v1/contacts', { email: 'one@people.test' }),
  ];
  assert.equal((await calls[0]!()).statusCode, 200);
  proxy.cut();
  for (const call of [...calls, ...calls]) {
    const answer = await call();
    assert.deepEqual([answer.statusCode, answer.json().error.code, answer.headers['retry-after']], [503, 'service_unavailable', '1']);
  }
  proxy.restore();
  assert.deepEqual(await Promise.all(calls.map(async (call) => (await call()).statusCode)), [200, 201, 201]);
  assert.equal((await worker.call('GET', '/v1/sends')).json().data.length, 1);
});

test('a lane that stumbles over the database leaves neither its inbox nor its sends held by a process that lives on', async () => {
  await using s = await stage();
  await using proxy = await databaseProxy(s.h.databaseUrl);
  const db = connect(proxy.url, { log: s.h.world.log, max: 3 });
  const world = { ...s.h.world, db, clock: { ...s.h.world.clock, monotonic: () => s.h.now().getTime() } };
  const crash = (point: CrashPoint) => {
    if (point !== 'CP4 claimed' || s.office.deliveries.length > 0 || proxy.turnedAway() > 0) return;
    s.office.follow(({ phase }) => (phase === 'mail' || phase === 'banner' ? { kind: 'drop' } : undefined));
    proxy.cut();
  };
  const [processId, { journalFolder }] = ['worker.1.1', s.h];
  const sending = await sendingLoop(world, { processId, journalFolder, crash });
  const reconciler = reconcilerLoop(world, { processId, journalFolder, isAlive: () => true });
  const send = await s.send('one@people.test');
  await sending.step();
  await sending.idle();
  assert.match(s.h.lines.join(''), /a lease was left to expire/);
  proxy.restore();
  s.office.follow(undefined);
  for (let i = 0; i < 30; i++) {
    s.h.tick(4_000);
    await sending.step();
    await sending.idle();
    await reconciler.step();
  }
  assert.deepEqual([(await s.row(send.id)).state, s.office.deliveries.length], ['sent', 1]);
  await sending.close?.();
  await db.destroy();
});
