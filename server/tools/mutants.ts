// Takes the guards of the product away, one at a time, and asks the tests whether they notice: `npm run mutants`, or `-- --only <name>…`
// for those whose names begin so. Works in a copy of the tree. Ends with 1 when a guard could go without a test that fails, or the list has rotted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { applyTo, copyTree, writeBeside } from './mutants/copy.ts';
import { MUTANTS } from './mutants/list.ts';
import type { Mutant } from './mutants/mutant.ts';
import { type Named, type Result, type Verdict, runNamed, verdictOf } from './mutants/trial.ts';
import { withDatabase } from './test.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** A test without its guard may wait for what never comes: it is given some times what it takes with it, and this at least. */
const TIMES = 4;
const LEAST_MS = 30_000;

type Bench = { folder: string; temporary: string; databaseUrl: string; signal: AbortSignal };

const secondsSince = (start: number) => ((performance.now() - start) / 1000).toFixed(1);

/** Run the tests of `named`; of what they leave on the disk and in the database server nothing remains. */
async function tried(bench: Bench, named: Named, timeoutMs: number): Promise<Result[]> {
  try {
    return await runNamed(named, { ...bench, timeoutMs });
  } finally {
    rmSync(bench.temporary, { recursive: true, force: true });
    mkdirSync(bench.temporary);
    await dropDatabases(bench.databaseUrl, '^t_[0-9]+_[0-9]+$');
  }
}

/** What the tests' template of a database is made from: with another schema, or another wall around it, it must be made anew. */
const SCHEMA = /^server\/(?:db|src\/store)\//;

async function withFreshTemplate<T>({ databaseUrl }: Bench, { edits }: Mutant, work: () => Promise<T>): Promise<T> {
  if (!edits.some(({ file }) => SCHEMA.test(file))) return work();
  const forget = () => dropDatabases(databaseUrl, '^template_[0-9a-f]{16}$');
  await forget();
  try {
    return await work();
  } finally {
    await forget();
  }
}

async function dropDatabases(url: string, pattern: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select datname as name from pg_database where datname ~ $1', [pattern]);
    for (const { name } of rows) {
      await client.query(`alter database ${name} is_template false`);
      await client.query(`drop database ${name} with (force)`);
    }
  } finally {
    await client.end();
  }
}

/** All that the mutants name, with every guard in its place: each must pass. Answers how long each took, by title; throws when one does not. */
async function unmutated(bench: Bench, mutants: readonly Mutant[]): Promise<Map<string, number>> {
  const named: Record<string, string[]> = {};
  for (const { killedBy } of mutants) for (const [file, titles] of Object.entries(killedBy)) (named[file] ??= []).push(...titles);
  const results = await tried(bench, named, LEAST_MS * TIMES);
  bench.signal.throwIfAborted();
  const bad = results.filter(({ error }) => error !== null).map(({ title, error }) => `${title}: ${error!.words}`);
  const missing = Object.values(named).flat().filter((title) => !results.some((one) => one.title === title)); // prettier-ignore
  if (bad.length + missing.length > 0) {
    throw new Error(`With all guards in their places these do not pass:\n  ${[...bad, ...missing.map((one) => `${one}: did not run`)].join('\n  ')}`);
  }
  return new Map(results.map(({ title, ms }) => [title, ms]));
}

/**
 * A failure must be one of behaviour: code that does not even type proves nothing. Throws with what the compiler says of any file without its
 * guard. Each stands beside its original under a name of its own, so that one look is enough for all.
 */
async function checkTypes({ folder, signal }: Bench, mutants: readonly Mutant[]): Promise<void> {
  const start = performance.now();
  const files = mutants.flatMap((mutant) => writeBeside(folder, mutant));
  const project = join(folder, 'server/tsconfig.mutants.json');
  writeFileSync(project, JSON.stringify({ extends: './tsconfig.json', include: [], files }));
  const child = spawn(join(ROOT, 'node_modules/.bin/tsc'), ['-p', project], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = () => child.kill();
  signal.addEventListener('abort', stop);
  const said: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => said.push(part));
  const [code] = (await once(child, 'close')) as [number | null];
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  for (const file of [...files, project]) rmSync(file);
  if (code !== 0) throw new Error(`Without guards the types do not hold:\n${Buffer.concat(said).toString()}`);
  console.log(`the types hold without the guards (${secondsSince(start)} s)`);
}

async function judge(bench: Bench, mutant: Mutant, took: ReadonlyMap<string, number>): Promise<Verdict> {
  const restore = applyTo(bench.folder, mutant);
  try {
    const usual = Math.max(...Object.values(mutant.killedBy).flat().map((title) => took.get(title)!)); // prettier-ignore
    const limit = Math.ceil(Math.max(LEAST_MS, TIMES * usual));
    return verdictOf(mutant.killedBy, await withFreshTemplate(bench, mutant, () => tried(bench, mutant.killedBy, limit)));
  } finally {
    restore();
  }
}

const SAID: Record<Verdict['kind'], (verdict: never) => string> = {
  killed: ({ by, words, isTimeout }: Extract<Verdict, { kind: 'killed' }>) => `${by} · ${isTimeout ? 'it did not end in time' : words.slice(0, 100)}`,
  survived: ({ passed }: Extract<Verdict, { kind: 'survived' }>) => `passed without it: ${passed.join('; ')}`,
  broken: ({ because }: Extract<Verdict, { kind: 'broken' }>) => `proves nothing: ${because}`,
};

/** Try each; print a line for each. Answers how many were not killed. */
async function tryAll(bench: Bench, mutants: readonly Mutant[]): Promise<number> {
  const start = performance.now();
  copyTree(ROOT, bench.folder);
  await checkTypes(bench, mutants);
  const green = performance.now();
  const took = await unmutated(bench, mutants);
  console.log(`${took.size} named tests pass with all guards (${secondsSince(green)} s)\n`);
  const width = Math.max(...mutants.map(({ guard }) => guard.length));
  const counts = { killed: 0, survived: 0, broken: 0 };
  for (const mutant of mutants) {
    const begun = performance.now();
    const verdict = await judge(bench, mutant, took);
    bench.signal.throwIfAborted();
    counts[verdict.kind]++;
    const kind = verdict.kind === 'killed' ? 'killed  ' : verdict.kind.toUpperCase().padEnd(8);
    console.log(`${kind} ${mutant.guard.padEnd(width)} ${secondsSince(begun).padStart(6)} s  ${SAID[verdict.kind](verdict as never)}`);
  }
  console.log(
    `\n${mutants.length} guards: ${counts.killed} killed, ${counts.survived} survived, ${counts.broken} prove nothing (${secondsSince(start)} s)`,
  );
  return counts.survived + counts.broken;
}

function wanted([flag, ...names]: readonly string[]): Mutant[] {
  if (flag === undefined) return [...MUTANTS];
  const known = flag === '--only' && names.length > 0 && names.every((name) => MUTANTS.some(({ guard }) => guard.startsWith(name)));
  if (!known) throw new Error(`Usage: npm run mutants [-- --only <name>…]. There are: ${MUTANTS.map(({ guard }) => guard).join(', ')}.`);
  return MUTANTS.filter(({ guard }) => names.some((name) => guard.startsWith(name)));
}

async function main(): Promise<number> {
  const mutants = wanted(process.argv.slice(2));
  const ending = new AbortController();
  const stop = () => ending.abort(new Error('Stopped.'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'postrider-m-')));
  try {
    const [folder, temporary] = [join(place, 'tree'), join(place, 't')];
    for (const one of [folder, temporary]) mkdirSync(one);
    const bench = { folder, temporary, signal: ending.signal };
    return (await withDatabase((databaseUrl) => tryAll({ ...bench, databaseUrl }, mutants))) ? 1 : 0;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

main().then(
  (code) => (process.exitCode = code),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
