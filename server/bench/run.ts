// `npm run bench`: how fast mail leaves, held against nodemailer alone into the same server. Prints a table and writes results.md.
// After `--`: `--rounds 5`, interleaved, the medians count; `--only NAME`, the limit and the contenders whose name holds this, without results.md;
// `--profile FOLDER`, a CPU profile of every process; `--statements`, the statements that cost the database most.
// `--http`: what the API costs instead (see http.ts), `--future N` sends planned.
// `--webhooks`: what hostile receivers cost the others, and the memory of a long queue.
// `--planning`: the planner beside a million who wait, bulk calls beside COPY, the forecast (`--enrolled 1000000`).
// `--data` imports contacts and pages through them instead (`--rows 200000`).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { Postrider } from '@postrider/sdk';
import { sleep, systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { isSandboxSound, runSandbox } from '#roles/demo/sandbox.ts';
import { liveWorld } from '#roles/live-world.ts';
import { rowsOf } from '#store/db.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { certPaths } from '#testing/certs/certs.ts';
import type { World } from '#world/ctx.ts';
import { type Child, begin } from './child.ts';
import { costOf } from './cpu.ts';
import { httpTable } from './http.ts';
import { addressOf } from './letter.ts';
import type { Load } from './post.bench.ts';
import { dataTable } from './data.ts';
import { planningTable } from './planning.ts';
import { type Figures, tableOf, writeResults } from './results.ts';
import { webhooksTable } from './webhooks-long.ts';
import { type Tenant, campaignOf, tenant, verify } from './seed.ts';
import type { Ledger } from './sink.ts';

type Bench = { world: World; sink: Child; port: number; env: Record<string, string> };
/** One measurement; its result in messages a second. */
type Contender = { name: string; measure(bench: Bench): Promise<number> };

const WARM_UP = 400;
const IN_FLIGHT = 48;

const CONTENDERS: Contender[] = [
  { name: 'limit: nodemailer, pool of 5', measure: (bench) => limit(bench, 3_000) },
  { name: 'pipeline, 40 inboxes', measure: (bench) => pipeline(bench, 40, 8_000) },
  { name: 'pipeline, 5 inboxes', measure: (bench) => pipeline(bench, 5, 2_000) },
  { name: 'POST per send, 40 inboxes, Idempotency-Key', measure: (bench) => posts(bench, { inboxes: 40, count: 6_000, keyed: true }) },
  { name: 'POST per send, 40 inboxes, no key', measure: (bench) => posts(bench, { inboxes: 40, count: 6_000, keyed: false }) },
  { name: 'webhook limit: undici, 20 in flight, HMAC', measure: (bench) => hookLimit(bench, 20_000) },
  { name: 'webhook deliveries, 1 endpoint', measure: (bench) => hooks(bench, 1, 20_000) },
  { name: 'webhook deliveries, 4 endpoints', measure: (bench) => hooks(bench, 4, 5_000) },
  { name: 'test clock: 30 days, 1,000 contacts, 3 steps', measure: testClock },
];

async function limit({ sink, port, env }: Bench, count: number): Promise<number> {
  const child = await begin('limit.bench.ts', env);
  await child.ask('send', { port, count: WARM_UP });
  await expectInLedger(sink, WARM_UP);
  const { seconds } = await costOf({ nodemailer: child, sink }, count, () => child.ask<{ seconds: number }>('send', { port, count }));
  await expectInLedger(sink, count);
  await child.stop();
  return count / seconds;
}

async function pipeline({ world, sink, port, env }: Bench, inboxes: number, count: number): Promise<number> {
  const who = await tenant(world, port, inboxes);
  const worker = await begin('pipeline.bench.ts', env);
  await campaignOf(who, WARM_UP);
  await worker.ask('drain');
  await expectInLedger(sink, WARM_UP);
  await campaignOf(who, count, WARM_UP);
  await settleTables(world);
  const { seconds } = await costOf({ worker, sink }, count, () => worker.ask<{ seconds: number }>('drain'));
  await expectInLedger(sink, count);
  await verify(who, WARM_UP + count, WARM_UP + count);
  await worker.stop();
  return count / seconds;
}

type Posts = { inboxes: number; count: number; keyed: boolean };

async function posts({ world, sink, port, env }: Bench, { inboxes, count, keyed }: Posts): Promise<number> {
  const who = await tenant(world, port, inboxes);
  const children = [await begin('api.ts', env), await begin('worker.ts', env), await begin('post.bench.ts', env)] as const;
  const [api, worker, load] = children;
  const url = await api.ask<string>('url');
  const order: Load = { url, key: who.liveKey, inboxIds: who.inboxIds, count: WARM_UP, inFlight: IN_FLIGHT, keyed, run: 'warm-up' };
  await load.ask('post', order);
  await allSent(world, who);
  await expectInLedger(sink, WARM_UP);
  await settleTables(world);
  const started = performance.now();
  await costOf({ api, worker, load, sink }, count, async () => {
    await load.ask('post', { ...order, count, run: 'measured' });
    await allSent(world, who);
  });
  const seconds = (performance.now() - started) / 1000;
  await expectInLedger(sink, count);
  await verify(who, WARM_UP + count, 0);
  for (const child of children.toReversed()) await child.stop();
  return count / seconds;
}

const HOOK_WARM_UP = 2_000;

async function hookLimit({ env }: Bench, count: number): Promise<number> {
  const [sink, child] = [await begin('hook-sink.ts', env), await begin('hook-limit.bench.ts', env)];
  const order = { port: await sink.ask<number>('port'), body: JSON.stringify({ text: 'x'.repeat(1_000) }) };
  await child.ask('post', { ...order, count: HOOK_WARM_UP });
  await expectInLedger(sink, HOOK_WARM_UP);
  const { seconds } = await child.ask<{ seconds: number }>('post', { ...order, count });
  await expectInLedger(sink, count);
  for (const one of [child, sink]) await one.stop();
  return count / seconds;
}

async function hooks({ world, env }: Bench, endpoints: number, events: number): Promise<number> {
  const [sink, worker] = [await begin('hook-sink.ts', env), await begin('webhooks.bench.ts', env)];
  const port = await sink.ask<number>('port');
  const drained = async (told: number) => {
    await worker.ask('prepare', { port, paths: Array.from({ length: endpoints }, (_, i) => `${i}`), events: told });
    await settleTables(world);
    const { seconds, succeeded } = await worker.ask<{ seconds: number; succeeded: number }>('drain');
    await expectInLedger(sink, told * endpoints);
    if (succeeded !== told * endpoints) throw new Error(`${succeeded} deliveries were written down, not ${told * endpoints}.`);
    return (told * endpoints) / seconds;
  };
  await drained(HOOK_WARM_UP);
  const perSecond = await drained(events);
  for (const one of [worker, sink]) await one.stop();
  return perSecond;
}

/** Thirty days of test mode; the goal is that they take ten seconds at most. */
async function testClock({ world, env }: Bench): Promise<number> {
  const { testKey } = await createWorkspace(world, { name: 'Bench' });
  const [api, worker] = [await begin('api.ts', env), await begin('worker.ts', env)];
  const emails = Array.from({ length: 1_000 }, (_, nth) => addressOf(nth));
  const caller = new Postrider({ apiKey: testKey, baseUrl: await api.ask<string>('url') });
  const { figures } = await runSandbox({ api: caller, emails, inboxes: 10, seed: 1, quiet: false, clock: world.clock });
  if (!isSandboxSound(figures, false)) throw new Error(`The thirty days are not sound: ${JSON.stringify(figures)}`);
  process.stderr.write(`the thirty days took ${figures.seconds} s (goal: 10 s)\n`);
  for (const child of [worker, api]) await child.stop();
  return figures.sent / figures.seconds;
}

/** What autovacuum would have done by then in a database that lives longer than a minute. */
const settleTables = (world: World) => rowsOf(world.db, 'analyze', []);

async function allSent({ db, clock }: World, { ctx }: Tenant): Promise<void> {
  const text = `select exists (select 1 from sends where workspace_id = $1 and mode = $2 and state in ('scheduled', 'sending')) as open`;
  for (;;) {
    const [row] = await rowsOf<{ open: boolean }>(db, text, [ctx.workspaceId, ctx.mode]);
    if (!row!.open) return;
    await sleep(clock, 20);
  }
}

async function expectInLedger(sink: Child, count: number): Promise<void> {
  const { messages, distinct } = await sink.ask<Ledger>('take');
  if (messages !== count || distinct !== count) throw new Error(`The server took ${messages} messages (${distinct} different ones), not ${count}.`);
}

/** Run `work` on a database of its own, with the settings that every process of a benchmark gets. */
const COUNTED = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'all', 'pg_stat_statements.track_planning': 'on' };

/** The statements that cost the database most, one a line: milliseconds in all, calls, microseconds each. */
async function dearest({ db }: World): Promise<string> {
  const rows = await rowsOf<{ ms: number; planning: number; calls: number; query: string }>(
    db,
    `select total_exec_time + total_plan_time as ms, total_plan_time as planning, calls::int, query
       from pg_stat_statements where toplevel order by 1 desc limit 30`,
    [],
  );
  const words = (query: string) => query.replaceAll(/\s+/g, ' ').slice(0, 150);
  const cost = (ms: number, planning: number) => `${ms.toFixed(0)} ms (${planning.toFixed(0)} of it planning)`;
  return rows
    .map(({ ms, planning, calls, query }) => `${cost(ms, planning)}, ${calls} ×, ${((1_000 * ms) / calls).toFixed(0)} µs: ${words(query)}`)
    .join('\n');
}

async function onDatabase<T>(profile: string | undefined, work: (world: World, env: Record<string, string>) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postrider-bench-'));
  const database = await startEmbedded({ dataDir, clock: systemClock(), settings: values.statements ? COUNTED : {} });
  try {
    const settings = {
      DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', ALLOW_PRIVATE_MAIL_HOSTS: 'true', MAIL_CA_FILE: certPaths.ca,
      RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000', ALLOW_PRIVATE_WEBHOOKS: 'true',
    }; // prettier-ignore
    const env = { ...settings, ...(profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }) };
    const { world, close } = await liveWorld(configFrom(settings));
    if (values.statements) await sql`create extension pg_stat_statements`.execute(world.db);
    const result = await work(world, env);
    if (values.statements) console.log(await dearest(world));
    await close();
    return result;
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measured(contenders: readonly Contender[], rounds: number, world: World, env: Record<string, string>): Promise<Figures> {
  const sink = await begin('sink.ts', env);
  try {
    const bench = { world, sink, port: await sink.ask<number>('port'), env };
    const figures: Figures = new Map(contenders.map((one) => [one.name, []]));
    for (let round = 1; round <= rounds; round++) {
      for (const { name, measure } of contenders) {
        const perSecond = await measure(bench);
        figures.get(name)!.push(perSecond);
        process.stderr.write(`round ${round}: ${name}: ${Math.round(perSecond)}/s\n`);
      }
    }
    return figures;
  } finally {
    await sink.stop();
  }
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    profile: { type: 'string' },
    statements: { type: 'boolean', default: false },
    http: { type: 'boolean', default: false },
    future: { type: 'string', default: '1000000' },
    data: { type: 'boolean', default: false },
    planning: { type: 'boolean', default: false },
    enrolled: { type: 'string', default: '1000000' },
    webhooks: { type: 'boolean', default: false },
    rows: { type: 'string', default: '200000' },
  },
});
if (values.http) {
  console.log(await onDatabase(values.profile, (world, env) => httpTable(world, env, Number(values.rounds), Number(values.future))));
} else if (values.data) {
  console.log(await onDatabase(values.profile, (world, env) => dataTable(world, env, Number(values.rows), Number(values.rounds))));
} else if (values.planning) {
  console.log(await planningTable(Number(values.enrolled), Number(values.rounds)));
} else if (values.webhooks) {
  console.log(await onDatabase(values.profile, (_, env) => webhooksTable(env, Number(values.rounds))));
} else {
  // The walk through thirty days takes as long as all others together: it is measured when it is asked for (`--only 'test clock'`).
  const isAsked = (name: string) => (values.only === undefined ? !name.startsWith('test clock') : name.includes(values.only));
  const chosen = CONTENDERS.filter(({ name }, i) => i === 0 || isAsked(name));
  const figures = await onDatabase(values.profile, (world, env) => measured(chosen, Number(values.rounds), world, env));
  console.log(tableOf(figures));
  if (values.only === undefined && values.profile === undefined) writeResults(figures);
}
