// How dear a piece of work is, whatever the machine and whatever else it does.

/** The unit: hashing and joining some text, about a tenth of a second of one core of 2026. */
function unit(): number {
  let sum = 0;
  for (let round = 0; round < 12; round++) {
    const parts: string[] = [];
    for (let i = 0; i < 100_000; i++) parts.push(String.fromCharCode(97 + ((i * 31 + round) % 26)));
    const text = parts.join('');
    for (let i = 0; i < text.length; i++) sum = (sum * 33 + text.charCodeAt(i)) | 0;
  }
  return sum;
}

const spent = ({ user, system }: NodeJS.CpuUsage) => user + system;

async function timed(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  return spent(process.cpuUsage(start));
}

/**
 * The processor time of `work` as a multiple of that of a fixed piece of work. Done before and after, and the dearer of the two counts: the kernel
 * keeps its accounts by sampling, and on a busy machine it overlooks a short piece now and then.
 */
export async function costOf(work: () => unknown): Promise<number> {
  unit();
  const before = await timed(unit);
  const cost = await timed(work);
  return cost / Math.max(before, await timed(unit));
}
