// Everything that the job runs on: a folder, the database (held here, so that it survives whatever is killed), the API and the worker.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { logTo } from '#platform/log.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { certPaths } from '#testing/certs/certs.ts';
import { liveWorld } from '../live-world.ts';
import { type ServiceProcess, startProcess } from './service-process.ts';

export type Stage = {
  baseUrl: string;
  liveKey: string;
  testKey: string;
  folder: string;
  /** Rejects when one of the processes ends by itself. */
  broken: Promise<never>;
  /** Kill the worker with SIGKILL, and start another; resolves when that one runs. */
  replaceWorker(): Promise<void>;
  close(): Promise<void>;
};

/** A clock whose calendar runs `speed` times faster from now on, and the settings that give other processes the same one. */
export function fastClock(speed: number): { clock: Clock; settings: Record<string, string> } {
  const since = systemClock().now();
  return {
    clock: systemClock({ speed, since: since.getTime() }),
    settings: { CLOCK_SPEED: String(speed), CLOCK_SINCE: since.toISOString() },
  };
}

/** Build the stage in a temporary folder; `more` settings come on top of its own. `close` leaves nothing behind. */
export async function openStage(clock: Clock, more: Record<string, string>): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-demo-'));
  const cleanup: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const step of cleanup.splice(0).reverse()) await step();
  };
  try {
    const database = await startEmbedded({ dataDir: folder, clock, log: logTo('silent') });
    cleanup.push(() => database.stop());
    const settings = {
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      PORT: '0',
      ALLOW_PRIVATE_MAIL_HOSTS: 'true',
      MAIL_CA_FILE: certPaths.ca,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      ...more,
    };
    const keys = await workspaceOf(settings);
    return { ...keys, folder, ...(await startHalves({ env: settings, folder, clock, cleanup })), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Migrate, make a workspace, let go. */
async function workspaceOf(settings: Record<string, string>) {
  const { world, close } = await liveWorld(configFrom(settings), logTo('error'), 4);
  try {
    const { liveKey, testKey } = await createWorkspace(world, { name: 'Demo' });
    return { liveKey, testKey };
  } finally {
    await close();
  }
}

type Means = { env: Record<string, string>; folder: string; clock: Clock; cleanup: (() => Promise<void> | void)[] };

async function startHalves({ env, folder, clock, cleanup }: Means): Promise<Pick<Stage, 'baseUrl' | 'broken' | 'replaceWorker'>> {
  const start = (role: 'api' | 'worker', more = {}) => startProcess({ role, env: { ...env, ...more }, logFile: join(folder, `${role}.log`), clock });
  const awake = (worker: ServiceProcess) => worker.says(/(The worker is running)/);
  let fail: (error: unknown) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => (fail = reject));
  broken.catch(() => undefined);
  const api = start('api');
  let closing = false;
  cleanup.push(async () => {
    closing = true;
    await api.stop();
  });
  api.ended.catch(fail);
  const baseUrl = await api.says(/listens on (http:\S+)/);
  const startWorker = () => start('worker', { BASE_URL: baseUrl });
  let worker = startWorker();
  cleanup.push(() => worker.stop());
  worker.ended.catch(fail);
  await awake(worker);
  return {
    baseUrl,
    broken,
    async replaceWorker() {
      await worker.kill();
      if (closing) return;
      worker = startWorker();
      worker.ended.catch(fail);
      await awake(worker);
    },
  };
}
