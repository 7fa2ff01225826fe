// The test runner: one database for all test files, Node's own runner and its own words at the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

/** Run the test files whose path holds one of `filters` (all without any). Answers the exit code. `seenFolder`: where houses leave what they saw. */
export async function runTests(filters: string[], seenFolder?: string): Promise<number> {
  const found = globSync(PLACES, { cwd: ROOT, exclude: (path) => path.includes('node_modules') }).toSorted();
  const files = filters.length ? found.filter((file) => filters.some((one) => file.includes(one))) : found;
  if (files.length === 0) {
    process.stderr.write(`No test file has a path with ${filters.join(' or ')}.\n`);
    return 1;
  }
  return withDatabase((url) => nodeTest(files, { TEST_DATABASE_URL: url, ...(seenFolder !== undefined && { SEEN_FOLDER: seenFolder }) }));
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

async function nodeTest(files: string[], more: NodeJS.ProcessEnv): Promise<number> {
  // Ends each file by an exit: after connections that broke off, Node at times spins for ever in its own clean-up when all JavaScript is done.
  const args = ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=2', '--test-timeout=120000', '--test-force-exit', ...files];
  const env: NodeJS.ProcessEnv = { ...process.env, ...more };
  // Inside another test run Node would skip these files and call that a success.
  delete env.NODE_TEST_CONTEXT;
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGINT', pass).off('SIGTERM', pass);
  return code ?? 1;
}

if (import.meta.main) process.exitCode = await runTests(process.argv.slice(2));
