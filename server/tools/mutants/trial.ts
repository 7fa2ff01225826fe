// Named tests, run by Node's own runner in a copy of the tree, and what their failures prove.
import { run } from 'node:test';
import { join } from 'node:path';
import type { Mutant } from './mutant.ts';

/** What a test came to; `error` is null when it passed. */
export type Result = { title: string; ms: number; error: Failure | null };
type Failure = { type: string; words: string; code: string };

export type Verdict =
  /** Every named test has failed, and not because nothing ran. */
  | { kind: 'killed'; by: string; words: string; isTimeout: boolean }
  | { kind: 'survived'; passed: string[] }
  /** Proves nothing: a test did not run, or failed since the code could not even be loaded. */
  | { kind: 'broken'; because: string };

export type Named = Mutant['killedBy'];
type Means = { folder: string; databaseUrl: string; temporary: string; timeoutMs: number; signal: AbortSignal };

/** What a file takes besides its tests. */
const BESIDES_MS = 30_000;
const ENDLESS: Failure = { type: 'testTimeoutFailure', words: 'It did not end in time.', code: '' };

/**
 * Run the named tests alone, one file after the other. Answers what each came to, and what else was reported as failed. A test has `timeoutMs`; what
 * is not heard of even when all of them have had theirs has not ended either.
 */
export async function runNamed(named: Named, { folder, databaseUrl, temporary, timeoutMs, signal }: Means): Promise<Result[]> {
  const titles = Object.values(named).flat();
  const results: Result[] = [];
  const late = AbortSignal.timeout(titles.length * timeoutMs + Object.keys(named).length * BESIDES_MS);
  const events = run({
    files: Object.keys(named).map((file) => join(folder, file)),
    cwd: folder,
    concurrency: 1,
    timeout: timeoutMs,
    signal: AbortSignal.any([signal, late]),
    // What a broken test leaves open must not hold up its process.
    execArgv: ['--disable-warning=ExperimentalWarning', '--test-force-exit'],
    testNamePatterns: titles.map((title) => new RegExp(`${RegExp.escape(title)}$`)),
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl, TMPDIR: temporary },
  });
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.details.type !== 'suite' && data.skip === undefined)
      results.push({ title: data.name, ms: data.details.duration_ms, error: null });
    if (type === 'test:fail') results.push({ title: data.name, ms: data.details.duration_ms, error: failureOf(data.details.error) });
  }
  const unheard = late.aborted ? titles.filter((title) => !results.some((one) => one.title === title)) : [];
  return [...results, ...unheard.map((title) => ({ title, ms: timeoutMs, error: ENDLESS }))];
}

type TestError = Error & { failureType?: string; cause?: unknown };

function failureOf(error: TestError): Failure {
  const cause = error.cause instanceof Error ? error.cause : error;
  const words = `${cause.name}: ${cause.message}`.split('\n').filter(Boolean).join(' ').slice(0, 300);
  return { type: error.failureType ?? '', words, code: 'code' in cause ? String(cause.code) : '' };
}

/** Why a failure says nothing of a guard: the code, the schema or the test's own stage did not come up. Null when it does say something. */
export function emptyBecause({ type, words, code }: Failure): string | null {
  if (type === 'hookFailed' || type === 'cancelledByParent') return words;
  // SQLSTATE class 42: a statement that cannot be understood.
  if (/^42[0-9A-Z]{3}$/.test(code) || /\bThe migration \S+ failed\b/.test(words)) return words;
  return /^(?:SyntaxError|ReferenceError)\b|ERR_MODULE_NOT_FOUND|does not provide an export/.test(words) ? words : null;
}

/** What the results of a mutant's tests prove. */
export function verdictOf(named: Named, results: readonly Result[]): Verdict {
  const titles = Object.values(named).flat();
  const found = titles.map((title) => results.find((one) => one.title === title));
  const missing = titles.filter((_, i) => !found[i]);
  if (missing.length > 0) {
    const other = results.find((one) => one.error && !titles.includes(one.title));
    return { kind: 'broken', because: `did not run: ${missing.join('; ')}${other ? ` (${other.title}: ${other.error!.words})` : ''}` };
  }
  const passed = titles.filter((_, i) => !found[i]!.error);
  if (passed.length > 0) return { kind: 'survived', passed };
  const failures = found.map((one) => one!.error!);
  const because = failures.map(emptyBecause).find((one) => one !== null);
  if (because !== undefined) return { kind: 'broken', because };
  return { kind: 'killed', by: titles.join('; '), words: failures[0]!.words, isTimeout: failures.every(({ type }) => type === 'testTimeoutFailure') };
}
