import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type DataDirLock = { release(): void };

/**
 * Claim `dataDir` for one `role` (its name becomes `<role>.lock`), or tell which live process has it.
 * The file names the holder by process id and start time, so that neither a killed holder nor a recycled process id blocks.
 */
export function lockDataDir(dataDir: string, role: string): DataDirLock | { heldBy: number } {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, `${role}.lock`);
  const mine = `${process.pid} ${startOf(process.pid) ?? ''}\n`;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, mine);
  try {
    for (;;) {
      if (linked(draft, path)) return { release: () => release(path, mine) };
      const theirs = textOf(path);
      if (theirs === undefined) continue;
      const holder = liveHolder(theirs);
      if (holder !== undefined) return { heldBy: holder };
      takeAway(path, theirs);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whether the process exists and is more than a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return statOf(pid)?.[0] !== 'Z';
}

function liveHolder(text: string): number | undefined {
  const [first, start = ''] = text.trim().split(' ');
  const pid = Number(first);
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  return start === '' || start === startOf(pid) ? pid : undefined;
}

/** A hard link appears with its content in one step, which a freshly opened file does not. */
function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Remove the lock that reads `stale`. When another process put its own there meanwhile, that one goes back. */
function takeAway(path: string, stale: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (textOf(aside) !== stale) linked(aside, path);
  rmSync(aside, { force: true });
}

function release(path: string, mine: string): void {
  if (textOf(path) === mine) rmSync(path, { force: true });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** When the process began, in clock ticks since boot (proc(5), `starttime`); undefined where there is no /proc. */
function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** The fields of /proc/<pid>/stat after the program's name, which may itself hold blanks and brackets: [0] is the state. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
