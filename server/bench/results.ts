// The figures as a table, and as results.md beside the benchmark.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

/** Messages a second by contender, a figure for each round. The first contender is the limit. */
export type Figures = Map<string, number[]>;

export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The figure that `share` of all do not exceed. */
export const quantile = (figures: readonly number[], share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * share))]!;

const GOALS = { pipeline: '2.0', POST: '1.0', 'webhook deliveries': '0.4' };
const goalOf = (name: string) => Object.entries(GOALS).find(([begin]) => name.startsWith(begin))?.[1] ?? '';

type Line = { name: string; perSecond: number; spread: string; ratio: number; goal: string };

function linesOf(figures: Figures): Line[] {
  const [first = []] = figures.values();
  // Webhooks have a limit of their own.
  const hookLimit = [...figures].find(([name]) => name.startsWith('webhook limit'))?.[1];
  const limitOf = (name: string) => (name.startsWith('webhook') ? (hookLimit ?? first) : first);
  return [...figures].map(([name, rounds]) => ({
    name,
    perSecond: Math.round(median(rounds)),
    spread: `${Math.round(Math.min(...rounds))}–${Math.round(Math.max(...rounds))}`,
    ratio: median(rounds.map((figure, round) => figure / limitOf(name)[round]!)),
    goal: goalOf(name),
  }));
}

/** The table: medians, least and greatest, and the median of each round's ratio to the limit. */
export function tableOf(figures: Figures): string {
  const rows = linesOf(figures).map((one) => [one.name, String(one.perSecond), one.spread, one.ratio.toFixed(2), one.goal]);
  const all = [['', 'msgs/s', 'rounds', 'ratio', 'goal'], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all.map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')).join('\n');
}

const BEGIN = '<!-- figures -->';
const END = '<!-- end of figures -->';

/** Replace the figures of results.md; its words stay as they are. */
export function writeResults(figures: Figures): void {
  const path = join(import.meta.dirname, 'results.md');
  const text = readFileSync(path, 'utf8');
  const before = text.slice(0, text.indexOf(BEGIN) + BEGIN.length);
  const after = text.slice(text.indexOf(END));
  const rounds = Math.max(...[...figures.values()].map((one) => one.length));
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`;
  const today = new Date().toISOString().slice(0, 10);
  const cells = ({ name, perSecond, spread, ratio, goal }: Line) => [name, perSecond, spread, ratio.toFixed(2), goal && `≥ ${goal}`];
  const lines = linesOf(figures).map((one) => `| ${cells(one).join(' | ')} |`);
  const table = ['| contender | msgs/s | rounds | ratio | goal |', '|---|---|---|---|---|', ...lines].join('\n');
  writeFileSync(path, `${before}\n${today}, Node ${process.versions.node}, ${machine}, ${rounds} rounds.\n\n${table}\n${after}`);
}
