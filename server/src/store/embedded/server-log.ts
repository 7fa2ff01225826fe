import { closeSync, copyFileSync, openSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import type { Clock } from '#platform/clock.ts';

const LIMIT = 5_000_000;
const HOUR = 3_600_000;

export type ServerLog = { open(): number; tail(): string; close(): void };

/** What PostgreSQL says, in the file `path` and, before that, `path`.1: looked at every hour and kept to about 5 MB each. */
export function serverLog(path: string, clock: Clock): ServerLog {
  const tooLong = () => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LIMIT;
  let cancel = () => {};
  const watch = () => {
    cancel = clock.after(HOUR, () => {
      if (tooLong()) {
        // The server holds the file open for appending, so it is emptied in place rather than renamed.
        copyFileSync(path, `${path}.1`);
        truncateSync(path);
      }
      watch();
    });
  };
  return {
    open() {
      if (tooLong()) renameSync(path, `${path}.1`);
      cancel();
      watch();
      return openSync(path, 'a', 0o600);
    },
    tail: () => readFileSync(path, { encoding: 'utf8', flag: 'a+' }).trimEnd().split('\n').slice(-12).join('\n'),
    close: () => cancel(),
  };
}

/** Use an open file and close it, whatever happens. */
export function withFile<T>(file: number, use: (file: number) => T): T {
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}
