// How much processor time a measurement takes, by who takes it. On a machine that others use too it swings far less than messages a second do.
import { readFileSync, readdirSync } from 'node:fs';
import type { Child } from './child.ts';

/** Linux counts in hundredths of a second. */
const TICK_MS = 10;

/** Milliseconds of processor time of a process so far, its ended children among them, where its name is `name`. See proc(5). */
function spentBy(pid: string, name = ''): number {
  try {
    const [before, after] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ') as [string, string];
    const ticks = after.split(' ').slice(11, 15).map(Number);
    return before.endsWith(`(${name}`) || name === '' ? TICK_MS * ticks.reduce((sum, one) => sum + one) : 0;
  } catch {
    // It is gone, or this is no Linux: nothing is known of it.
    return 0;
  }
}

const processes = () => (process.platform === 'linux' ? readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)) : []);

/** Do `work` on `count` messages, and say what one of them cost each of these processes, and PostgreSQL, in microseconds of a core. */
export async function costOf<T>(those: Record<string, Child>, count: number, work: () => Promise<T>): Promise<T> {
  const spent = () => ({
    PostgreSQL: processes().reduce((sum, pid) => sum + spentBy(pid, 'postgres'), 0),
    ...Object.fromEntries(Object.entries(those).map(([name, { pid }]) => [name, spentBy(String(pid))])),
  });
  const before: Record<string, number> = spent();
  const result = await work();
  const costs = Object.entries(spent()).map(([name, ms]) => [name, Math.round((1_000 * (ms - before[name]!)) / count)] as const);
  const all = costs.reduce((sum, [, each]) => sum + each, 0);
  process.stderr.write(`  a message costs ${all} µs: ${costs.map(([name, each]) => `${name} ${each}`).join(', ')}\n`);
  return result;
}
