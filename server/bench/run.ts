// `npm run bench`: how fast mail leaves, held against nodemailer alone into the same server. Prints a table and writes results.md.
// After `--`: `--rounds 5`, interleaved, the medians count; `--only NAME`, the limit and the contenders whose name holds this, without results.md;
// `--profile FOLDER`, a CPU profile of every process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { sleep, systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { liveWorld } from '#roles/live-world.ts';
import { rowsOf } from '#store/db.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { certPaths } from '#testing/certs/certs.ts';
import type { World } from '#world/ctx.ts';
import { type Child, begin } from './child.ts';
import type { Load } from './post.bench.ts';
import { type Figures, tableOf, writeResults } from './results.ts';
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
];

async function limit({ sink, port, env }: Bench, count: number): Promise<number> {
  const child = await begin('limit.bench.ts', env);
  await child.ask('send', { port, count: WARM_UP });
  await expectInLedger(sink, WARM_UP);
  const { seconds } = await child.ask<{ seconds: number }>('send', { port, count });
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
  const { seconds } = await worker.ask<{ seconds: number }>('drain');
  await expectInLedger(sink, count);
  await verify(who, WARM_UP + count, WARM_UP + count);
  await worker.stop();
  return count / seconds;
}

type Posts = { inboxes: number; count: number; keyed: boolean };

async function posts({ world, sink, port, env }: Bench, { inboxes, count, keyed }: Posts): Promise<number> {
  const who = await tenant(world, port, inboxes);
  const children = [await begin('api.ts', env), await begin('worker.ts', env), await begin('post.bench.ts', env)] as const;
  const [api, , load] = children;
  const url = await api.ask<string>('url');
  const order: Load = { url, key: who.liveKey, inboxIds: who.inboxIds, count: WARM_UP, inFlight: IN_FLIGHT, keyed, run: 'warm-up' };
  await load.ask('post', order);
  await allSent(world, who);
  await expectInLedger(sink, WARM_UP);
  await settleTables(world);
  const started = performance.now();
  await load.ask('post', { ...order, count, run: 'measured' });
  await allSent(world, who);
  const seconds = (performance.now() - started) / 1000;
  await expectInLedger(sink, count);
  await verify(who, WARM_UP + count, 0);
  for (const child of children.toReversed()) await child.stop();
  return count / seconds;
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

async function measured(contenders: readonly Contender[], rounds: number, profile: string | undefined): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postrider-bench-'));
  const database = await startEmbedded({ dataDir, clock: systemClock() });
  const children: Child[] = [];
  try {
    const settings = {
      DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', ALLOW_PRIVATE_MAIL_HOSTS: 'true', MAIL_CA_FILE: certPaths.ca,
      RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000',
    }; // prettier-ignore
    const env = { ...settings, ...(profile && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }) };
    const { world, close } = await liveWorld(configFrom(settings));
    const sink = await begin('sink.ts', env);
    children.push(sink);
    const bench = { world, sink, port: await sink.ask<number>('port'), env };
    const figures: Figures = new Map(contenders.map((one) => [one.name, []]));
    for (let round = 1; round <= rounds; round++) {
      for (const { name, measure } of contenders) {
        const perSecond = await measure(bench);
        figures.get(name)!.push(perSecond);
        process.stderr.write(`round ${round}: ${name}: ${Math.round(perSecond)}/s\n`);
      }
    }
    await close();
    return figures;
  } finally {
    for (const child of children) await child.stop();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' }, profile: { type: 'string' } } });
const chosen = CONTENDERS.filter(({ name }, i) => i === 0 || values.only === undefined || name.includes(values.only));
const figures = await measured(chosen, Number(values.rounds), values.profile);
console.log(tableOf(figures));
if (values.only === undefined && values.profile === undefined) writeResults(figures);
