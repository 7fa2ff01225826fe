import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const HOST = hostname().replace(/[^A-Za-z0-9-]/g, '-');

/** When a process began, in the kernel's ticks, where it tells; so that a process id that is used again is not taken for the old one. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

/** Names this process in leases, attempts and journals: machine, process id, start. */
export const ownProcessId = () => `${HOST}.${process.pid}.${startOf(process.pid) ?? '0'}`;

/** Whether the process of that name may still live. One of another machine may, for all that is known here. */
export function mayBeAlive(processId: string): boolean {
  const [host, pid, start] = processId.split('.');
  if (host !== HOST || pid === undefined || start === undefined) return true;
  if (start !== '0') return startOf(Number(pid)) === start;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
