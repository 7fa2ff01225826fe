// The house rules, as a program: `npm run tidy`.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cycleProblems, importProblems } from './tidy/floors.ts';
import { except, type Exception, type Problem } from './tidy/problem.ts';
import { sizeProblems } from './tidy/sizes.ts';
import { type Source, sourceOf } from './tidy/source.ts';
import { nameProblems, wordProblems } from './tidy/words.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PLACES = ['{server,sdk,cli,dashboard}/**/*.{ts,tsx,mjs,sql}', '*.md', 'docs/**/*.md', '.ci/*'];
const GENERATED = /(?:^|\/)(?:node_modules|dist|golden)(?:\/|$)/;

/** Every breach of the house rules in `files` (path from the repository's root → text), less the `exceptions`, in the order of path and line. */
export function problemsOf(files: Map<string, string>, exceptions: Exception[] = []): Problem[] {
  const sources = [...files].map(([path, text]) => sourceOf(path, text));
  const rules = [importProblems, wordProblems, ({ path }: Source) => nameProblems(path), sizeProblems];
  const each = sources.flatMap((source) => rules.flatMap((rule) => rule(source)));
  const left = except([...each, ...cycleProblems(sources)], exceptions);
  return left.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/** Look at the whole repository; print what is wrong. Answers the number of problems. */
export function tidy(): number {
  const paths = globSync(PLACES, { cwd: ROOT, exclude: (path) => GENERATED.test(path) });
  const files = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
  const exceptions = JSON.parse(readFileSync(join(import.meta.dirname, 'tidy/exceptions.json'), 'utf8')) as Exception[];
  const problems = problemsOf(files, exceptions);
  for (const { rule, path, line, text } of problems) console.log(`${path}:${line}: ${text} [${rule}]`);
  console.log(problems.length ? `${problems.length} problems in ${files.size} files` : `${files.size} files are tidy`);
  return problems.length;
}

if (import.meta.main) process.exitCode = tidy() ? 1 : 0;
