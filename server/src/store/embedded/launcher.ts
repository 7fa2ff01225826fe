// PostgreSQL refuses to run as root, and a database must not outlive the service that started it. Both are arranged around its command line.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export type Launcher = {
  /** Words before the program. */
  prefix: string[];
  /** The user whom the files must belong to, as seen from this process. */
  owner: { uid: number; gid: number };
  /** Switch to the owner by the spawn itself, where no program does it. */
  switches: boolean;
};

const dies = ['setpriv', '--pdeathsig', 'INT'];

/**
 * The ways to run a program here, best first. With `--pdeathsig` the kernel sends SIGINT (a fast shutdown) when the thread that spawned it is
 * gone, so spawn from the main thread. Root looks like an ordinary user inside a user namespace; where those are off, another account serves.
 */
export function launchers(uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0): Launcher[] {
  const owner = { uid, gid };
  if (uid !== 0) return [dies, []].map((prefix) => ({ prefix, owner, switches: false }));
  const inside = ['unshare', '-U', '--map-user=1000', '--map-group=1000'];
  const other = account('postgres') ?? account('nobody') ?? { uid: 65_534, gid: 65_534 };
  const reuid = ['setpriv', `--reuid=${other.uid}`, `--regid=${other.gid}`, '--clear-groups', '--pdeathsig', 'INT'];
  return [
    { prefix: [...inside, ...dies], owner, switches: false },
    { prefix: reuid, owner: other, switches: false },
    { prefix: [], owner: other, switches: true },
  ];
}

/** The first of `ways` that works on this machine. */
export function launcher(ways = launchers()): Launcher {
  const last = ways.at(-1);
  if (!last) throw new Error('No way to run PostgreSQL was given.');
  return ways.find(({ prefix: [program, ...args] }) => program && spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0) ?? last;
}

/** Start `program`; its standard output and errors go to the open file `output`. */
export function launch({ prefix, owner, switches }: Launcher, program: string, args: string[], output: number): ChildProcess {
  const [first = program, ...rest] = [...prefix, program, ...args];
  // A session of its own: Ctrl-C in the terminal must reach the service, which then stops its database, and not both at once.
  return spawn(first, rest, { detached: true, stdio: ['ignore', output, output], ...(switches ? owner : {}) });
}

/** Hand `path` and all that is in it to the launcher's owner, unless it is theirs already. */
export function giveTo({ owner }: Launcher, path: string): void {
  if (lstatSync(path).uid === owner.uid) return;
  const entries = lstatSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];
  for (const entry of entries) chownSync(join(path, entry), owner.uid, owner.gid);
  // The folder itself comes last: it is what tells that all within was done.
  chownSync(path, owner.uid, owner.gid);
}

function account(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}
