// `npm run bench -- --data`: contacts in large numbers: importing them, paging through them, and how long others wait for the API meanwhile.
// `--rows 1000000` takes more than the usual 200,000.
import type { World } from '#world/ctx.ts';
import { type Waits, waitsOf } from './import-beside.ts';
import { copyAndUpsert, importByWorker } from './import.bench.ts';
import { pagesOf } from './pages.bench.ts';
import { median, quantile } from './results.ts';

type Round = { copy: number; worker: number; pages: Awaited<ReturnType<typeof pagesOf>>; waits: Waits };

/** Run all and give the table. Medians of `rounds`; ratios are medians of each round's own. */
export async function dataTable(world: World, env: Record<string, string>, rows: number, rounds: number): Promise<string> {
  const databaseUrl = env['DATABASE_URL']!;
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const copy = await copyAndUpsert(world, databaseUrl, rows);
    const worker = await importByWorker(world, rows);
    const pages = await pagesOf(world, databaseUrl, rows);
    measured.push({ copy, worker, pages, waits: await waitsOf(world, env, rows) });
  }
  const line = (name: string, of: (one: Round) => number, limit: (one: Round) => number, goal: string) =>
    `| ${name} | ${Math.round(median(measured.map(of)))} | ${median(measured.map((one) => of(one) / limit(one))).toFixed(2)} | ${goal} |`;
  const p99 = (waits: readonly number[]) => quantile(waits, 0.99);
  const waited = (of: (waits: Waits) => number[]) => median(measured.map((one) => p99(of(one.waits)))).toFixed(1);
  const longer = median(measured.map(({ waits }) => p99(waits.beside) / p99(waits.idle))).toFixed(1);
  return [
    `| ${rows} contacts | per second | ratio | goal |`,
    '|---|---|---|---|',
    line('limit: COPY and one upsert', (one) => one.copy, (one) => one.copy, ''),
    line('import by a worker, with events and memberships', (one) => one.worker, (one) => one.copy, '≥ 0.4'),
    line('limit: a page of 50, the same SQL by hand', (one) => one.pages.hand, (one) => one.pages.hand, ''),
    line('first page over the API', (one) => one.pages.first, (one) => one.pages.hand, '≥ 0.6'),
    line('page from the middle, against the first', (one) => one.pages.middle, (one) => one.pages.first, '≥ 0.67'),
    line('page near the end, against the first', (one) => one.pages.end, (one) => one.pages.first, '≥ 0.67'),
    '',
    `Calls of the API wait ${waited((one) => one.idle)} ms (p99) alone and ${waited((one) => one.beside)} ms`,
    `beside an import: ${longer} × (goal ≤ 5).`,
  ].join('\n'); // prettier-ignore
}
