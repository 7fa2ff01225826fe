// `npm run bench -- --webhooks`: what endpoints that mean harm cost the others, and whether a long queue drains without growing memory.
import { begin } from './child.ts';
import { median, quantile } from './results.ts';

const GOOD = ['good/1', 'good/2', 'good/3', 'good/4'];
const BAD = ['hang/1', 'slow/1', 'reset/1', 'fail/1'];
const SECONDS = 15;
const PER_SECOND = 20;
const QUEUED = 100_000;

/** The ages of events when the healthy endpoints got them, beside those that mean harm or without any. */
async function agesBeside(env: Record<string, string>, bad: readonly string[]): Promise<number[]> {
  const [zoo, worker] = [await begin('hook-zoo.ts', env), await begin('webhooks.bench.ts', env)];
  await worker.ask('prepare', { port: await zoo.ask<number>('port'), paths: [...GOOD, ...bad], events: 0 });
  await worker.ask('steady', { seconds: 2, perSecond: PER_SECOND });
  await zoo.ask('take');
  await worker.ask('steady', { seconds: SECONDS, perSecond: PER_SECOND });
  const ages = await zoo.ask<number[]>('take');
  // What hangs does not end by itself.
  await Promise.all([worker.stop(), zoo.stop()]);
  const wanted = SECONDS * PER_SECOND * GOOD.length;
  if (ages.length !== wanted) throw new Error(`The healthy endpoints got ${ages.length} events, not ${wanted}.`);
  return ages;
}

async function longQueue(env: Record<string, string>): Promise<{ perSecond: number; heap: number[] }> {
  const [sink, worker] = [await begin('hook-sink.ts', env), await begin('webhooks.bench.ts', env)];
  await worker.ask('prepare', { port: await sink.ask<number>('port'), paths: ['1', '2', '3', '4'], events: QUEUED / 4 });
  const { seconds, succeeded, heap } = await worker.ask<{ seconds: number; succeeded: number; heap: number[] }>('drain');
  if (succeeded !== QUEUED) throw new Error(`${succeeded} deliveries were written down, not ${QUEUED}.`);
  for (const one of [worker, sink]) await one.stop();
  return { perSecond: QUEUED / seconds, heap };
}

/** Measure and give the table: p50 and p99 of the age of an event when it arrives (ms), memory of the worker while a queue drains (MB). */
export async function webhooksTable(env: Record<string, string>, rounds: number): Promise<string> {
  const alone: number[][] = [];
  const beside: number[][] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await agesBeside(env, []));
    beside.push(await agesBeside(env, BAD));
  }
  const ratio = median(alone.map((ages, i) => quantile(beside[i]!, 0.99) / quantile(ages, 0.99)));
  const line = (name: string, all: number[][]) =>
    `| ${name} | ${median(all.map((one) => quantile(one, 0.5)))} | ${median(all.map((one) => quantile(one, 0.99)))} |`;
  const { perSecond, heap } = await longQueue(env);
  return [
    '| healthy endpoints | p50 ms | p99 ms |',
    '|---|---|---|',
    line('four, alone', alone),
    line('four, beside four that hang, drip, reset and fail', beside),
    '',
    `p99 beside the hostile ones: ${ratio.toFixed(2)} × (goal ≤ 2).`,
    `${QUEUED} queued deliveries: ${Math.round(perSecond)}/s; held by the worker in each third of it: ${heap.join(', ')} MB.`,
  ].join('\n');
}
