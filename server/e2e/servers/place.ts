// Where a world of servers keeps what it writes, and what stays of it.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export type Place = {
  folder: string;
  /** A new folder in it that every user may enter. */
  subfolder(name: string): string;
  /** Take it all away; the logs of servers stay in `logs` of the run that this belongs to. */
  remove(): void;
};

/** A fresh place, below the folder of the run where there is one. */
export function makePlace(): Place {
  const run = process.env.E2E_FOLDER;
  const folder = mkdtempSync(join(run ?? tmpdir(), 'world-'));
  chmodSync(folder, 0o755);
  const names: string[] = [];
  const keepLogs = (to: string) => {
    mkdirSync(to, { recursive: true });
    for (const name of names) {
      for (const log of ['output.log', 'server.log', 'logs/main']) {
        const path = join(folder, name, log);
        if (existsSync(path)) copyFileSync(path, join(to, `${basename(folder)}-${name}-${log.replace('/', '-')}`));
      }
    }
  };
  return {
    folder,
    subfolder(name) {
      names.push(name);
      const path = join(folder, name);
      mkdirSync(path);
      chmodSync(path, 0o755);
      return path;
    },
    remove() {
      if (run) keepLogs(join(run, 'logs'));
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
