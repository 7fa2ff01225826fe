// One half of the service in a process of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from '#platform/clock.ts';

export type ServiceProcess = {
  role: 'api' | 'worker';
  /** Resolves with the first group of `pattern` in what the process says; throws when it ends before. */
  says(pattern: RegExp): Promise<string>;
  /** Rejects, with its last lines, if the process ends without having been asked to. */
  ended: Promise<never>;
  /** SIGTERM, and wait; SIGKILL where it does not end. */
  stop(): Promise<void>;
  /** SIGKILL, and wait. */
  kill(): Promise<void>;
};

export type ProcessOptions = { role: 'api' | 'worker'; env: Record<string, string>; logFile: string; clock: Clock };

const MAIN = join(import.meta.dirname, '../main.ts');
const POLL_MS = 20;
const STOP_MS = 20_000;
const TAIL_LINES = 12;
// Where there is setpriv, the kernel ends the process when this one is killed without a chance to.
const MORTAL = ['setpriv', '--pdeathsig', 'TERM'];
const prefix = spawnSync(MORTAL[0]!, [...MORTAL.slice(1), 'true'], { stdio: 'ignore' }).status === 0 ? MORTAL : [];

/** Start it; what it says goes to `logFile`. The environment is `env` and nothing else, so that no setting of the caller's gets in. */
export function startProcess({ role, env, logFile, clock }: ProcessOptions): ServiceProcess {
  const log = openSync(logFile, 'a');
  const from = readFileSync(logFile).length;
  // A session of its own: Ctrl-C in the terminal is for the demonstration, which stops its processes in order.
  const words = [...prefix, process.execPath, '--disable-warning=ExperimentalWarning', MAIN, role];
  const child = spawn(words[0]!, words.slice(1), { env, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  const atExit = () => child.kill('SIGKILL');
  process.once('exit', atExit);
  child.once('exit', () => process.off('exit', atExit));
  let asked = false;
  const said = () => readFileSync(logFile).subarray(from).toString('utf8');
  const lastWords = () => said().trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  const ended = (async () => {
    const [code, signal] = await endOf(child);
    if (asked) return new Promise<never>(() => {});
    throw new Error(`The ${role} process ended by itself (${signal ?? `exit code ${code}`}). It last said:\n${lastWords()}`);
  })();
  // Whoever waits hears of it; nobody may be waiting yet.
  ended.catch(() => undefined);
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    asked = true;
    if (hasEnded(child)) return;
    const gone = endOf(child);
    child.kill(signal);
    const cancel = clock.after(STOP_MS, () => child.kill('SIGKILL'));
    await gone;
    cancel();
  };
  return {
    role,
    ended,
    async says(pattern) {
      for (;;) {
        const [, found] = pattern.exec(said()) ?? [];
        if (found !== undefined) return found;
        if (hasEnded(child)) return asked ? '' : ended;
        await sleep(clock, POLL_MS);
      }
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function endOf(child: ChildProcess): Promise<[number | null, string | null]> {
  if (!hasEnded(child)) await once(child, 'exit');
  return [child.exitCode, child.signalCode];
}
