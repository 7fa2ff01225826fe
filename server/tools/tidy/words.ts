import { isTest, placeOf } from './floors.ts';
import type { Problem } from './problem.ts';
import { lineAt, type Source } from './source.ts';

type Word = { rule: string; pattern: RegExp; within: 'code' | 'strings' | 'comments' | 'text'; instead: string; applies(path: string): boolean };

/** Code of the service that gets time, chance and settings from the world. */
const service = (path: string) => placeOf(path).room !== '' && placeOf(path).room !== 'platform' && !isTest(path);
/** Servers for tests aside, which are called by plain means. */
const serves = (path: string) => service(path) && placeOf(path).room !== 'testing';
const everywhere = () => true;
const inSql = (path: string) => path.endsWith('.sql') || (placeOf(path).room !== '' && !isTest(path));
const mayPrint = (path: string) => placeOf(path).room === 'roles' || /^(?:server\/(?:tools|bench|e2e|sim)|cli|dashboard)\//.test(path);

const WORDS: Word[] = [
  { rule: 'clock', within: 'code', pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/, instead: 'the clock', applies: service },
  { rule: 'chance', within: 'code', pattern: /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b/, instead: 'the random source', applies: service },
  { rule: 'timer', within: 'code', pattern: /(?<![.\w])set(?:Timeout|Interval|Immediate)\b/, instead: 'clock.after or sleep', applies: service },
  { rule: 'env', within: 'code', pattern: /\bprocess\.env\b/, instead: 'the config', applies: serves },
  { rule: 'network', within: 'code', pattern: /(?<![.\w])fetch\(/, instead: 'platform/egress', applies: serves },
  { rule: 'console', within: 'code', pattern: /(?<![.\w])console\.\w+/, instead: 'the log', applies: (path) => !mayPrint(path) && !isTest(path) },
  {
    rule: 'sql-time',
    within: 'strings',
    pattern: /(?<![.\w])(?:now|random|gen_random_uuid|clock_timestamp|statement_timestamp)\(\)|\bcurrent_(?:timestamp|date|time)\b/i,
    instead: 'a parameter',
    applies: inSql,
  },
  { rule: 'unfinished', within: 'comments', pattern: /\b(?:TODO|FIXME|XXX)\b|\bfor now\b/i, instead: 'the finished thing', applies: everywhere },
  { rule: 'unfinished', within: 'comments', pattern: /@ts-(?:ignore|expect-error|nocheck)/, instead: 'a type that holds', applies: everywhere },
  {
    rule: 'machine-path',
    within: 'text',
    pattern: /\/(?:home|Users)\/[a-z]\w*|\/w[o]rk\/[a-z]|\/r[o]ot\/[a-z]/,
    instead: 'a relative path',
    applies: everywhere,
  },
];

/** Words that must not stand where they stand, each with what to write in their place. */
export function wordProblems(source: Source): Problem[] {
  return WORDS.flatMap(({ rule, pattern, within, instead, applies }) => {
    if (!applies(source.path)) return [];
    const found = [...source[within].matchAll(new RegExp(pattern, `${pattern.flags}g`))];
    return found.map((hit) => ({ rule, path: source.path, line: lineAt(source.text, hit.index), text: `${hit[0]}: use ${instead}` }));
  });
}

const BANNED_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'misc', 'shared', 'lib']);

/** A file or folder is named after what it is about, in kebab-case (components of the dashboard in the manner of React). */
export function nameProblems(path: string): Problem[] {
  const say = (text: string): Problem[] => [{ rule: 'name', path, line: 1, text }];
  if (!/\.(?:ts|tsx|mjs)$/.test(path)) return [];
  const names = path.split('/');
  const banned = names.find((name) => name.split(/[.-]/).some((word) => BANNED_NAMES.has(word)));
  if (banned) return say(`${banned} says nothing: name it after its noun`);
  const odd = path.endsWith('.tsx') ? undefined : names.find((name) => !/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/.test(name));
  return odd ? say(`${odd}: write it in kebab-case`) : [];
}
