// What no test has shown yet: operations that the SDK never called, fields that were always empty, codes that were never answered.
// The list may only shrink: server/golden/uncovered.txt. A full run of the tests compares; `npm run check -- --write-uncovered` writes.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allRoutes } from '#resources/all-routes.ts';
import { declaredFields } from '#testing/fields.ts';
import type { Seen } from '#testing/watch.ts';
import { operationIdOf } from '#web/operation-id.ts';
import { PROBLEMS } from '#web/problems.ts';

const LIST = join(import.meta.dirname, '../golden/uncovered.txt');
const HEAD = '# What no test has shown yet. May only shrink; see server/tools/uncovered.ts.';

/** All that the description promises. */
export function promised(): Seen {
  const fields = new Set<string>();
  for (const route of allRoutes) for (const schema of Object.values(route.spec.reply)) declaredFields(schema, operationIdOf(route), fields);
  return { operations: allRoutes.map(operationIdOf), fields: [...fields], codes: Object.keys(PROBLEMS) };
}

/** The lines of what is promised and not seen, in order. */
export function uncovered(all: Seen, seen: readonly Seen[]): string[] {
  const missing = (part: keyof Seen, word: string) => {
    const shown = new Set(seen.flatMap((one) => one[part]));
    return all[part].filter((one) => !shown.has(one)).map((one) => `${word} ${one}`);
  };
  return [...missing('codes', 'code'), ...missing('fields', 'field'), ...missing('operations', 'operation')].sort();
}

/** What the houses of a run have left in `folder`. */
export function seenIn(folder: string): Seen[] {
  return globSync('*.json', { cwd: folder }).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Seen);
}

const known = () => (existsSync(LIST) ? readFileSync(LIST, 'utf8').split('\n') : []).filter((line) => line !== '' && !line.startsWith('#'));

/** Compare a full run with the list: prints what is new and what is done. False when anything is new. */
export function isNoWorse(folder: string, write: boolean): boolean {
  const now = uncovered(promised(), seenIn(folder));
  const before = known();
  const fresh = now.filter((line) => !before.includes(line));
  const done = before.filter((line) => !now.includes(line));
  if (write) writeFileSync(LIST, `${[HEAD, ...now].join('\n')}\n`);
  else if (done.length) console.log(`Covered now, take out of golden/uncovered.txt:\n${done.map((line) => `  ${line}`).join('\n')}`);
  if (fresh.length && !write) console.log(`No test shows this; show it:\n${fresh.map((line) => `  ${line}`).join('\n')}`);
  return write || fresh.length === 0;
}
