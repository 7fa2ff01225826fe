import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { type Clock, sleep } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { type Binaries, binaries } from './binaries.ts';
import { ensureCluster, postmasterOf, socketDirOf } from './cluster.ts';
import { type Launcher, launch, launcher } from './launcher.ts';
import { type DataDirLock, lockDataDir } from './lock.ts';
import { type ServerLog, serverLog, withFile } from './server-log.ts';

export type Embedded = { url: string; attached: boolean; stop(): Promise<void> };
export type EmbeddedOptions = { dataDir: string; clock: Clock; log?: Log; settings?: Record<string, string>; how?: Launcher };

type Home = {
  cluster: string;
  socketDir: string;
  how: Launcher;
  programs: Binaries;
  settings: Record<string, string>;
  clock: Clock;
  said: ServerLog;
};

const SETTINGS = {
  listen_addresses: '',
  port: '5432',
  unix_socket_permissions: '0700',
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  max_connections: '100',
  // Tables of a fresh installation grow a thousandfold within a minute: what the planner knows of them must not be a minute old.
  autovacuum_naptime: '5s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A refused statement is told to its caller; repeating each in the log would let the log grow with the load.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

const POLL_MS = 10;
const STOP_MS = 30_000;
/** Recovery after a crash replays at most max_wal_size of log, on a slow disk in minutes. */
const START_MS = 300_000;
/** Said when another server, a dying one, or what is left of a killed one still has the data. */
const IN_THE_WAY = /lock file .* already exists|pre-existing shared memory block|is in use/;

/**
 * Run PostgreSQL on `dataDir`/postgres (made at the first start), or attach to the server that another process of this machine runs there.
 * It listens on a Unix socket only, ends when this process ends, and is started again when it dies by itself. `settings` are server settings
 * on top of ours. `stop` waits for a clean shutdown; where attached it does nothing. Throws a readable error when the server does not come up.
 */
export async function startEmbedded({ dataDir, clock, log, settings = {}, how = launcher() }: EmbeddedOptions): Promise<Embedded> {
  const dir = resolve(dataDir);
  mkdirSync(dir, { recursive: true });
  const lock = await startLock(dir, clock);
  const said = serverLog(join(dir, 'postgres.log'), clock);
  try {
    const programs = binaries();
    const cluster = await ensureCluster(dir, how, programs.initdb, settings.fsync !== 'off');
    const home: Home = { cluster, socketDir: socketDirOf(cluster, how), how, programs, settings, clock, said };
    const { url, child } = await bringUp(home);
    if (!child) said.close();
    return { url, attached: !child, stop: child ? keepUp(home, child, log) : async () => {} };
  } catch (error) {
    said.close();
    throw error;
  } finally {
    lock.release();
  }
}

/** One process at a time makes the cluster and starts the server; whoever waited finds it running. */
async function startLock(dataDir: string, clock: Clock): Promise<DataDirLock> {
  const until = clock.monotonic() + START_MS;
  for (;;) {
    const lock = lockDataDir(dataDir, 'postgres-start');
    if ('release' in lock) return lock;
    if (clock.monotonic() > until) throw new Error(`Process ${lock.heldBy} has been starting the database in ${dataDir} for too long.`);
    await sleep(clock, POLL_MS);
  }
}

/** Find the server or start one, until it takes connections. `child` is absent when the server is another process's. */
async function bringUp(home: Home): Promise<{ url: string; child?: ChildProcess }> {
  const until = home.clock.monotonic() + START_MS;
  let child: ChildProcess | undefined;
  for (;;) {
    const running = postmasterOf(home.cluster);
    if (running?.ready && (await accepts(running.socketDir))) {
      const url = urlOf(running.socketDir);
      return child && running.pid === child.pid ? { url, child } : { url };
    }
    if (child && hasEnded(child)) {
      const said = home.said.tail();
      if (!IN_THE_WAY.test(said)) throw new Error(`PostgreSQL did not start on ${home.cluster}:\n${said}`);
      child = undefined;
    }
    if (!running && !child) child = startServer(home);
    if (home.clock.monotonic() > until) {
      child?.kill('SIGINT');
      throw new Error(`PostgreSQL on ${home.cluster} does not take connections. It last said:\n${home.said.tail()}`);
    }
    await sleep(home.clock, POLL_MS);
  }
}

function startServer({ cluster, socketDir, how, programs, settings, said }: Home): ChildProcess {
  const all = { ...SETTINGS, unix_socket_directories: socketDir, ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return withFile(said.open(), (file) => launch(how, programs.postgres, ['-D', cluster, ...args], file));
}

/** Start the server again whenever it ends unasked. The answer stops it for good. */
function keepUp(home: Home, first: ChildProcess, log?: Log): () => Promise<void> {
  const stopping = new AbortController();
  let child: ChildProcess | undefined = first;
  // Where no --pdeathsig does it, this is what ends the server with the process.
  const atExit = () => child?.kill('SIGINT');
  process.once('exit', atExit);
  const kept = (async () => {
    while (!stopping.signal.aborted) {
      if (child) await ended(child);
      if (stopping.signal.aborted) return;
      log?.error({ code: child?.exitCode, signal: child?.signalCode }, 'The embedded database ended by itself; starting it again');
      try {
        child = (await bringUp(home)).child;
        if (!child) return;
      } catch (error) {
        log?.error({ err: error }, 'The embedded database did not start');
        await sleep(home.clock, 1000, stopping.signal);
      }
    }
  })();
  return async () => {
    stopping.abort();
    if (child) await shutDown(child, home.clock);
    await kept;
    if (child) await shutDown(child, home.clock);
    process.removeListener('exit', atExit);
    home.said.close();
  };
}

/** A fast shutdown; after half a minute an immediate one, from which the next start recovers. */
async function shutDown(child: ChildProcess, clock: Clock): Promise<void> {
  if (hasEnded(child)) return;
  child.kill('SIGINT');
  const cancel = clock.after(STOP_MS, () => child.kill('SIGQUIT'));
  await ended(child);
  cancel();
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function ended(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await once(child, 'exit');
}

const urlOf = (socketDir: string, database = 'postrider') => `postgresql://postrider@/${database}?host=${encodeURIComponent(socketDir)}&port=5432`;

/** Whether the server takes connections; makes the database `postrider` when it is not there. */
async function accepts(socketDir: string): Promise<boolean> {
  const fault = await codeOf(urlOf(socketDir), 'select 1');
  if (fault === '3D000') return [undefined, '42P04'].includes(await codeOf(urlOf(socketDir, 'postgres'), 'create database postrider'));
  if (fault === undefined) return true;
  // Starting up, shutting down, or the socket is not there yet.
  if (['57P03', 'ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'].includes(fault)) return false;
  throw new Error(`The embedded database refuses us: ${fault}`);
}

/** The error code of one statement on a connection of its own; undefined when it went well. */
async function codeOf(url: string, statement: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  // A connection that breaks also fails the statement, which is where it is dealt with.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(statement);
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code ?? (/terminated/.test(message) ? 'ECONNRESET' : message);
  } finally {
    await client.end().catch(() => 'The connection was gone already.');
  }
}
