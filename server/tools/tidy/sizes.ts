import { isTest } from './floors.ts';
import type { Problem } from './problem.ts';
import { lineAt, type Source, withoutTypes } from './source.ts';

const FILE = 300;
const TEST_FILE = 600;
const FUNCTION = 50;
const LINE = 150;
/** A bracket after one of these and its condition opens a block, not a function. */
const STATEMENT = /(?:^|[^.\w])(?:if|for|for\s+await|while|switch|catch|with)\s*$/;

/** A group of test cases is a list, not a function. */
const DESCRIBE = /^\s*(?:describe|suite)\(/;

/** Files, functions and lines that are too long. */
export function sizeProblems(source: Source): Problem[] {
  const { path, text } = source;
  if (!/\.(?:ts|tsx|mjs)$/.test(path) || path.endsWith('.gen.ts')) return [];
  const lines = text.split('\n');
  const limit = isTest(path) ? TEST_FILE : FILE;
  const count = lines.length - 1;
  const long = lines.flatMap((line, i) => (line.length > LINE ? [i + 1] : []));
  return [
    ...(count > limit ? [{ rule: 'file-length', path, line: limit + 1, text: `${count} lines: split it (${limit})` }] : []),
    ...long.map((line) => ({ rule: 'line-length', path, line, text: `longer than ${LINE} characters` })),
    ...longFunctions(source),
  ];
}

function longFunctions(source: Source): Problem[] {
  let code: string | undefined;
  try {
    code = withoutTypes(source);
  } catch (error) {
    return [{ rule: 'syntax', path: source.path, line: 1, text: `does not run with its types stripped: ${(error as Error).message}` }];
  }
  if (code === undefined) return [];
  const open: number[] = [];
  const found: Problem[] = [];
  for (const { 0: bracket, index } of code.matchAll(/[{}]/g)) {
    if (bracket === '{') open.push(index);
    else {
      const start = open.pop();
      if (start === undefined || !opensFunction(code, start) || DESCRIBE.test(code.slice(code.lastIndexOf('\n', start) + 1, start))) continue;
      const [first, last] = [lineAt(code, start), lineAt(code, index)];
      const lines = last - first + 1;
      if (lines > FUNCTION)
        found.push({ rule: 'function-length', path: source.path, line: first, text: `a function of ${lines} lines: split it (${FUNCTION})` });
    }
  }
  return found;
}

/** Whether the bracket at `at` opens the body of a function: after `=>`, or after the `)` of something that is no statement. */
function opensFunction(code: string, at: number): boolean {
  const before = code.slice(0, at).trimEnd();
  if (before.endsWith('=>')) return true;
  if (!before.endsWith(')')) return false;
  let depth = 0;
  for (let i = before.length - 1; i >= 0; i--) {
    if (before[i] === ')') depth++;
    else if (before[i] === '(' && --depth === 0) return !STATEMENT.test(before.slice(Math.max(0, i - 40), i));
  }
  return false;
}
