// The service. `main.ts all` runs the API and the worker in one process, `api` and `worker` the halves.
import { assertLinksLeadSomewhere, ConfigError, configOfProcess } from '#platform/config.ts';
import { lockDataDir } from '#store/embedded/lock.ts';
import type { World } from '#world/ctx.ts';
import { type LiveWorld, liveWorld } from './live-world.ts';
import { type Half, type Role, startApi, startWorker } from './service.ts';

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** Run a role until SIGTERM or SIGINT; the exit code. */
async function main(role: Role): Promise<number> {
  const config = configOfProcess();
  if (role === 'worker') assertLinksLeadSomewhere(config);
  // Halves may be many, the whole is one for each data folder.
  const lock = role === 'all' ? lockDataDir(config.DATA_DIR, 'service') : undefined;
  if (lock && 'heldBy' in lock) {
    say(`Postrider runs already on ${config.DATA_DIR} (process ${lock.heldBy}). Stop it first, or give this one another DATA_DIR and PORT.`);
    return 1;
  }
  try {
    const live = await liveWorld(config);
    return await serve(live, role);
  } finally {
    lock?.release();
  }
}

async function serve({ world, close }: LiveWorld, role: Role): Promise<number> {
  const halves: Half[] = [];
  try {
    if (role !== 'api') halves.push(await startWorker(world));
    if (role !== 'worker') {
      const api = await startApi(world, { expectWorker: role === 'all' });
      // The API stops first: no new intentions while the worker finishes the old ones.
      halves.unshift(api);
      await welcome(world, api.url);
    } else say('The worker is running.');
    await signalled();
    say('Stopping.');
    return 0;
  } finally {
    for (const half of halves) await half.stop();
    await close();
  }
}

async function welcome(world: World, url: string): Promise<void> {
  say(`Postrider listens on ${world.config.BASE_URL ?? url}`);
  const known = await world.db.selectFrom('workspaces').select('id').limit(1).executeTakeFirst();
  if (known) return;
  say('There is no workspace yet. In another terminal, make one and get its keys:');
  say('  npm run --silent admin -- workspace create --name Acme --json');
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      process.off('SIGTERM', end).off('SIGINT', end);
      resolve();
    };
    process.on('SIGTERM', end).on('SIGINT', end);
  });
}

const role = process.argv[2] ?? 'all';
try {
  if (role !== 'all' && role !== 'api' && role !== 'worker') throw new Error(`There is no role ${role}: all, api or worker.`);
  // Everything is closed by now. Left to end by itself Node at times spins for ever in its clean-up, over a broken connection that it still counts.
  process.exit(await main(role));
} catch (error) {
  say(error instanceof ConfigError ? error.message : `Postrider could not start: ${(error as Error).message}`);
  process.exit(1);
}
