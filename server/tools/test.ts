// The test runner: one database for all test files, Node's own runner and its own words at the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { systemClock } from '#platform/clock.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PLACES = ['server/src/**/*.test.ts', 'server/sim/**/*.test.ts', 'server/tools/**/*.test.ts', 'sdk/**/*.test.ts'];
/** Nothing that a test wrote is worth a disk's confirmation, and in its small tables a plan of their own for some values is worth no planning. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  plan_cache_mode: 'force_generic_plan',
  max_connections: '300',
};

/** Of one test. The longest take ten seconds on a machine of 2026 that does nothing else: this is for what hangs, not for what is slow. */
const MOST_MS = 300_000;

/** Run the test files whose path holds one of `filters` (all without any). Answers the exit code. `seenFolder`: where houses leave what they saw. */
export async function runTests(filters: string[], seenFolder?: string): Promise<number> {
  const found = globSync(PLACES, { cwd: ROOT, exclude: (path) => path.includes('node_modules') }).toSorted();
  const files = filters.length ? found.filter((file) => filters.some((one) => file.includes(one))) : found;
  if (files.length === 0) {
    process.stderr.write(`No test file has a path with ${filters.join(' or ')}.\n`);
    return 1;
  }
  const more = seenFolder === undefined ? {} : { SEEN_FOLDER: seenFolder };
  return withDatabase((url) => holds(files, { ...process.env, ...more, TEST_DATABASE_URL: url }));
}

/** Have `work` done with a database server of its own, given by its URL; nothing of it is left. */
export async function withDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postrider-test-'));
  try {
    const database = await startEmbedded({ dataDir, clock: systemClock(), settings: SETTINGS });
    try {
      return await work(database.url);
    } finally {
      await database.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Failures in more files than this are no accident of a busy machine. */
const FEW = 2;
const MORE_TRIES = 3;

/**
 * Run these test files. Where `CI` is set, what failed in at most `FEW` of them is run `MORE_TRIES` times more, by itself: a test that then holds
 * every time is named as unsteady, and the run holds (decision 23). Answers the exit code.
 */
export async function holds(files: string[], env: NodeJS.ProcessEnv, print: 'inherit' | 'ignore' = 'inherit'): Promise<number> {
  const say = (line: string) => void (print === 'inherit' && process.stdout.write(`${line}\n`));
  const { code, failed } = await nodeTest(files, env, print);
  if (code === 0 || !env.CI || failed.length === 0 || failed.length > FEW) return code;
  for (let i = 1; i <= MORE_TRIES; i++) {
    say(`\nAgain, ${i} of ${MORE_TRIES}: ${failed.join(', ')}`);
    if ((await nodeTest(failed, env, print)).code !== 0) return code;
  }
  say(`\nUNSTEADY: failed once, then held ${MORE_TRIES} times by itself: ${failed.join(', ')}. To be mended.`);
  return 0;
}

async function nodeTest(files: string[], given: NodeJS.ProcessEnv, stdio: 'inherit' | 'ignore'): Promise<{ code: number; failed: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-tests-'));
  const list = join(folder, 'failed');
  const reporter = join(import.meta.dirname, 'failed-files.ts');
  const reports = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${list}`,
  ];
  const how = ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=2', `--test-timeout=${MOST_MS}`];
  how.push('--import', join(import.meta.dirname, 'end-by-exit.ts'));
  const env = { ...given };
  // Inside another test run Node would skip these files and call that a success.
  delete env.NODE_TEST_CONTEXT;
  const child = spawn(process.execPath, [...how, ...reports, ...files], { cwd: ROOT, env, stdio });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    const failed = new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean));
    return { code: code ?? 1, failed: [...failed].map((file) => relative(ROOT, file)) };
  } finally {
    process.off('SIGINT', pass).off('SIGTERM', pass);
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = await runTests(process.argv.slice(2));
