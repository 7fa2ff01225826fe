// Everything that must hold, step by step: `npm test` and `npm run check`. Words after it narrow the tests to paths that hold them.
// `--write-uncovered` writes down what no test shows (golden/uncovered.txt); `--format` puts the sources into the house's form instead.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { runTests } from './test.ts';
import { isNoWorse } from './uncovered.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'];
const tool = (name: string, ...args: string[]) => [join(ROOT, 'node_modules/.bin', name), ...args];

type Step = { name: string; command: string[] };

const STEPS: Step[] = [
  { name: 'house rules', command: [...NODE, 'server/tools/tidy.ts'] },
  { name: 'types: server', command: tool('tsc', '-p', 'server') },
  ...(existsSync(join(ROOT, 'sdk/src')) ? [{ name: 'types: sdk', command: tool('tsc', '-p', '.') }] : []),
  { name: 'lint', command: tool('oxlint', '--type-aware', '--deny-warnings') },
  { name: 'format', command: tool('oxfmt', '--check') },
  { name: 'unused code', command: tool('knip', '--no-progress') },
  { name: 'generated files', command: [...NODE, 'server/tools/golden.ts', '--check'] },
];

const FORMAT: Step[] = [
  { name: 'lint', command: tool('oxlint', '--type-aware', '--fix') },
  { name: 'format', command: tool('oxfmt') },
];

/** One step: a line with its seconds, and what it said only when it failed. */
async function passes({ name, command: [program = '', ...args] }: Step): Promise<boolean> {
  const start = performance.now();
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => said.push(part));
  const [code] = (await once(child, 'close')) as [number | null];
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (code !== 0) console.log(Buffer.concat(said).toString().trimEnd());
  return code === 0;
}

async function all(steps: Step[]): Promise<string[]> {
  const failed: string[] = [];
  for (const step of steps) if (!(await passes(step))) failed.push(step.name);
  return failed;
}

/** All tests, and then whether they show at least what they showed before. */
async function testAll(write: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-seen-'));
  try {
    const code = await runTests([], folder);
    // A run that failed has not seen everything.
    return code || (isNoWorse(folder, write) ? 0 : 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
if (args.includes('--format')) {
  process.exitCode = (await all(FORMAT)).length ? 1 : 0;
} else {
  const filters = args.filter((one) => !one.startsWith('--'));
  const failed = filters.length ? [] : await all(STEPS);
  const code = filters.length ? await runTests(filters) : await testAll(args.includes('--write-uncovered'));
  if (failed.length) console.log(`Failed before the tests: ${failed.join(', ')}`);
  process.exitCode = failed.length ? 1 : code;
}
