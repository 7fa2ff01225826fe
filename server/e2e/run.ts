// `npm run e2e`: the checks against Debian's mail servers, in Node's own runner and with its own words at the end. Arguments are parts of the
// names of the test files that are wanted; none means all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepareDebian } from './debian.ts';
import { endGroup } from './servers/program.ts';

const ROOT = resolve(import.meta.dirname, '../..');

async function nodeTest(files: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const args = ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=2', '--test-timeout=150000', ...files];
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Servers whose test process ended without stopping them. */
async function stopLeftovers(folder: string): Promise<void> {
  for (const file of globSync('world-*/*/pid', { cwd: folder })) await endGroup(Number(readFileSync(join(folder, file), 'utf8')));
}

async function main(filters: string[]): Promise<number> {
  const found = globSync('server/e2e/*.test.ts', { cwd: ROOT }).toSorted();
  const files = filters.length ? found.filter((file) => filters.some((one) => file.includes(one))) : found;
  if (files.length === 0) throw new Error(`No test file has a name with ${filters.join(' or ')}.`);
  const exim = await prepareDebian();
  const folder = mkdtempSync(join(tmpdir(), 'postrider-e2e-'));
  chmodSync(folder, 0o755);
  // Inside another test run Node would skip these files and call that a success.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const code = await nodeTest(files, { ...inherited, E2E_FOLDER: folder, E2E_EXIM: JSON.stringify(exim) });
  await stopLeftovers(folder);
  for (const world of globSync('world-*', { cwd: folder })) rmSync(join(folder, world), { recursive: true, force: true, maxRetries: 10 });
  if (code === 0 || !existsSync(join(folder, 'logs'))) rmSync(folder, { recursive: true, force: true });
  else process.stderr.write(`What the servers wrote is in ${join(folder, 'logs')}.\n`);
  return code;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
