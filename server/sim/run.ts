// `npm run sim`: seeds by the thousand, as many at a time as the machine has cores. `--seeds N` (300), `--from N` (1);
// `--seed N --verbose` tells one. `--test`: in test mode, by the test clock.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { withDatabase } from '../tools/test.ts';
import { openGround } from './ground.ts';
import { breachesOf } from './oracles/index.ts';
import { play } from './play.ts';
import { reportOf, traceOf } from './trace.ts';

type Told = { seed: number; breaches: number; mails: number; operations: number; report: string };

/** Every how many seeds a line says how far it is. */
const EVERY = 100;

const modeOf = (test: boolean) => (test ? 'test' : 'live');

async function tellOne(seed: number, { verbose, test }: { verbose: boolean; test: boolean }): Promise<number> {
  const ground = await openGround();
  try {
    const story = await play(ground, seed, modeOf(test));
    if (verbose) console.log(traceOf(story).join('\n'));
    const breaches = breachesOf(story);
    console.log(reportOf(story, breaches));
    for (const { oracle, at, what } of breaches.slice(1)) console.log(`  then    ${oracle} at ${new Date(at).toISOString()}: ${what}`);
    return breaches.length;
  } finally {
    await ground.close();
  }
}

/** A process of its own: seed after seed, each told to whoever asked. */
async function liveSome(first: number, end: number, step: number, test: boolean): Promise<void> {
  const ground = await openGround();
  try {
    for (let seed = first; seed < end; seed += step) {
      const story = await play(ground, seed, modeOf(test));
      const breaches = breachesOf(story);
      const mails = story.entries.filter((entry) => entry.kind === 'mail').length;
      const told: Told = { seed, breaches: breaches.length, mails, operations: story.operations, report: reportOf(story, breaches) };
      process.send?.(told);
    }
  } finally {
    await ground.close();
    process.disconnect?.();
  }
}

/** Answers how many seeds do not hold. */
async function liveAll(from: number, seeds: number, test: boolean): Promise<number> {
  const jobs = Math.max(1, Math.min(seeds, availableParallelism()));
  const sums = { seeds: 0, broken: 0, mails: 0, operations: 0 };
  const hear = (message: unknown) => {
    const told = message as Told;
    sums.seeds++;
    sums.mails += told.mails;
    sums.operations += told.operations;
    if (told.breaches > 0) {
      sums.broken++;
      console.log(told.report);
    }
    if (sums.seeds % EVERY === 0) console.log(`${sums.seeds} seeds lived, ${sums.broken} do not hold`);
  };
  const children = Array.from({ length: jobs }, (_, i) => {
    const child = fork(import.meta.filename, ['--slice', String(from + i), String(from + seeds), String(jobs), ...(test ? ['--test'] : [])]);
    child.on('message', hear);
    return once(child, 'exit');
  });
  const codes = (await Promise.all(children)).map(([code]) => code as number | null);
  console.log(`${sums.seeds} seeds, ${sums.operations} operations, ${sums.mails} mails: ${sums.broken} do not hold.`);
  if (codes.some((code) => code !== 0)) throw new Error('A process of the simulation did not come to its end.');
  return sums.broken;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '300' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    test: { type: 'boolean', default: false },
    slice: { type: 'boolean', default: false },
  },
});

if (values.slice) {
  const [first, end, step] = positionals.map(Number);
  await liveSome(first!, end!, step!, values.test);
} else {
  const { seed, seeds, from } = values;
  const broken = await withDatabase(async (url) => {
    // Where houses look for theirs, those of other processes too.
    process.env['TEST_DATABASE_URL'] = url;
    return seed === undefined ? liveAll(Number(from), Number(seeds), values.test) : tellOne(Number(seed), values);
  });
  process.exitCode = broken > 0 ? 1 : 0;
}
