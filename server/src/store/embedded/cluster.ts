import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Launcher, giveTo, launch } from './launcher.ts';
import { isAlive } from './lock.ts';

const MAJOR = '18';
const DRAFT = 'postgres.initdb-';

export type Postmaster = { pid: number; socketDir: string; ready: boolean };

/**
 * The folder of the cluster below `dataDir`; made by initdb when absent. It is made under another name and renamed when it is whole,
 * so that a kill in the middle leaves nothing but a draft, which the next start removes. Call it under the data folder's lock.
 */
export async function ensureCluster(dataDir: string, how: Launcher, initdb: string, fsync: boolean): Promise<string> {
  const cluster = join(dataDir, 'postgres');
  for (const name of readdirSync(dataDir)) if (name.startsWith(DRAFT)) rmSync(join(dataDir, name), { recursive: true, force: true });
  const version = textOf(join(cluster, 'PG_VERSION'))?.trim();
  if (version !== undefined && version !== MAJOR) {
    throw new Error(`${cluster} was made by PostgreSQL ${version}; this release runs ${MAJOR}. Move it with pg_upgrade, or take it as DATABASE_URL.`);
  }
  if (version === undefined) await initialise(dataDir, cluster, how, initdb, fsync);
  giveTo(how, cluster);
  return realpathSync(cluster);
}

async function initialise(dataDir: string, cluster: string, how: Launcher, initdb: string, fsync: boolean): Promise<void> {
  const draft = join(dataDir, `${DRAFT}${process.pid}`);
  const output = join(dataDir, `${DRAFT}${process.pid}.log`);
  mkdirSync(draft, { mode: 0o700 });
  giveTo(how, draft);
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8'];
  const args = ['-D', draft, '-U', 'postrider', '--auth=trust', ...locale, ...(fsync ? [] : ['--no-sync'])];
  const file = openSync(output, 'w');
  try {
    const [code] = (await once(launch(how, initdb, args, file), 'exit')) as [number | null];
    if (code !== 0) throw new Error(`initdb failed in ${dataDir}:\n${textOf(output) ?? ''}`);
    renameSync(draft, cluster);
    if (fsync) syncFolder(dataDir);
  } finally {
    closeSync(file);
    rmSync(output, { force: true });
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The folder for the socket: the cluster's own, or a private short one where the path would not fit into a socket address (108 bytes). */
export function socketDirOf(cluster: string, how: Launcher): string {
  if (Buffer.byteLength(cluster) < 80) return cluster;
  const dir = join(tmpdir(), `postrider-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  giveTo(how, dir);
  chmodSync(dir, 0o700);
  return dir;
}

/**
 * The server that runs on `cluster`, by its postmaster.pid. A file whose process is gone, is a zombie or is some other program that got the
 * same process id names nobody; in the latter two cases PostgreSQL would take it at its word and refuse to start, so it is removed.
 */
export function postmasterOf(cluster: string): Postmaster | undefined {
  const path = join(cluster, 'postmaster.pid');
  const lines = textOf(path)?.split('\n');
  const pid = Number(lines?.[0] ?? '');
  if (!lines || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (isAlive(pid) && worksIn(pid, cluster)) return { pid, socketDir: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' };
  rmSync(path, { force: true });
  return undefined;
}

/** A postmaster's working folder is its cluster. Where that cannot be read, the process gets the benefit of the doubt. */
function worksIn(pid: number, cluster: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch (error) {
    return process.platform !== 'linux' || (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
