// A server as a process of its own: started, waited for until it answers, and ended with all that it started itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export type Program = { pid: number; stop(): Promise<void> };
export type ProgramOptions = {
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  /** Holds `pid` and `output.log`. */
  folder: string;
  /** Where a further log of the server lies, for the error when it does not start. */
  log: string;
  ready(): Promise<boolean>;
};

const START_MS = 20_000;

/** Start a server in the foreground and in a process group of its own. Rejects, with the end of its logs, when it does not become ready. */
export async function startProgram({ command, args, env, folder, log, ready }: ProgramOptions): Promise<Program> {
  const output = openSync(join(folder, 'output.log'), 'a');
  const child = spawn(command, args, { detached: true, stdio: ['ignore', output, output], cwd: folder, env: { ...process.env, ...env } });
  closeSync(output);
  await once(child, 'spawn');
  const pid = child.pid ?? Number.NaN;
  writeFileSync(join(folder, 'pid'), String(pid));
  const until = performance.now() + START_MS;
  while (!(await ready())) {
    if (child.exitCode !== null || performance.now() > until) {
      await endGroup(pid);
      throw new Error(`${command} did not start:\n${[join(folder, 'output.log'), log].map(endOf).join('\n')}`);
    }
    await pause(30);
  }
  return { pid, stop: () => endGroup(pid) };
}

function endOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').slice(-15).join('\n');
  } catch {
    return `(no ${file})`;
  }
}

/** End a process group by the id of its leader: politely, and after five seconds not so. */
export async function endGroup(leader: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const living = membersOf(leader);
    if (living.length === 0) return;
    // Servers end their own children, and say so in their logs, when their leader is told first.
    if (tries === 0 || !living.includes(leader)) tell(living.includes(leader) ? [leader] : living, 'SIGTERM');
    if (tries === 250) tell(living, 'SIGKILL');
    await pause(20);
  }
}

/** The processes of a group that have not ended. Those that wait for somebody to take note of their end have. */
function membersOf(group: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const [state, , itsGroup] = statOf(name);
    return Number(itsGroup) === group && state !== 'Z' && state !== 'X' ? [Number(name)] : [];
  });
}

/** proc(5): what follows the name of the program, which stands in brackets and may hold anything. */
function statOf(pid: string): string[] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It ended while we looked.
    return [];
  }
}

function tell(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Ports of loopback that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** Whether whoever listens on the port greets with these words. */
export function greets(port: number, words: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(5000, () => settle(false));
    socket.once('error', () => settle(false)).once('close', () => settle(false));
    socket.once('data', (chunk) => settle(chunk.toString('latin1').startsWith(words)));
  });
}
