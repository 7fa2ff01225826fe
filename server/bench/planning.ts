// `npm run bench -- --planning`: what a look of the planner costs beside many who wait, a bulk call beside COPY, the forecast of a start.
// `--rounds N` looks at each campaign, in turn; `--enrolled N` instead of a million.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { liveWorld } from '#roles/live-world.ts';
import { rowsOf } from '#store/db.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import type { World } from '#world/ctx.ts';
import { bulkOf } from './bulk.bench.ts';
import { field, rehearsal, tick } from './planning.bench.ts';
import { median } from './results.ts';

const FORECAST_CONTACTS = 10_000;

/** Measure all three and give the table. The two sides of a ratio take turns; medians of each round's own ratio. */
export async function planningTable(enrolled: number, rounds: number): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postrider-bench-'));
  const database = await startEmbedded({ dataDir, clock: systemClock() });
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_BURST: '1000000',
  };
  const { world, close } = await liveWorld(configFrom(settings));
  try {
    const bulks = await inRounds(world, rounds, () => bulkOf(world, database.url));
    const forecasts = await inRounds(world, rounds, () => rehearsal(world, FORECAST_CONTACTS));
    const [few, many] = [await field(world, 1_000), await field(world, enrolled)];
    const ticks = await inRounds(world, rounds, async () => ({ few: await tick(world, few), many: await tick(world, many) }));
    return [
      '| what: beside what | ours | limit | ratio | rounds | goal |',
      '|---|---|---|---|---|---|',
      line(`look of the planner, ${enrolled} enrolled, 1,000 due: 1,000 enrolled, 1,000 due`, ticks, ['many', 'few'], '≤ 1.2'),
      line('POST /v1/sends with 1,000 sandbox recipients: the same rows by COPY', bulks, ['call', 'copy'], '≥ 0.3'),
      `| dry run of a start, ${FORECAST_CONTACTS} contacts, two steps | ${ms(forecasts)} | | | ${spread(forecasts, 0)} | ≤ 2000 ms |`,
    ].join('\n');
  } finally {
    await close();
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The first round warms up; then the database knows its tables, as it would after a minute of life. */
async function inRounds<T>(world: World, rounds: number, measure: () => Promise<T>): Promise<T[]> {
  await measure();
  await rowsOf(world.db, 'vacuum analyze', []);
  const all: T[] = [];
  for (let round = 1; round <= rounds; round++) {
    all.push(await measure());
    process.stderr.write(`round ${round}: ${JSON.stringify(all.at(-1))}\n`);
  }
  return all;
}

/** A time beside its limit: how much of its speed is left where the goal is a least, how many times as long it takes where it is a most. */
function line<K extends string>(name: string, rounds: readonly Record<K, number>[], [ours, limit]: readonly [K, K], goal: string): string {
  const ratios = rounds.map((one) => (goal.startsWith('≤') ? one[ours] / one[limit] : one[limit] / one[ours]));
  const cells = [name, ms(rounds.map((one) => one[ours])), ms(rounds.map((one) => one[limit])), median(ratios).toFixed(2), spread(ratios, 2), goal];
  return `| ${cells.join(' | ')} |`;
}

const ms = (all: readonly number[]) => `${Math.round(median(all))} ms`;
const spread = (all: readonly number[], digits: number) => `${Math.min(...all).toFixed(digits)}–${Math.max(...all).toFixed(digits)}`;
