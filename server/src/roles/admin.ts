// The operator's command: works beside a running service and without one.
import { parseArgs } from 'node:util';
import { ConfigError, configOfProcess } from '#platform/config.ts';
import { logTo } from '#platform/log.ts';
import { PLANS, type Plan, createWorkspace } from '#resources/workspaces/index.ts';
import { liveWorld } from './live-world.ts';

const USAGE = `Usage:
  npm run --silent admin -- workspace create --name NAME [--plan pro|scale|hyper] [--json]`;

class UsageError extends Error {
  override name = 'UsageError';
}

async function main(words: string[]): Promise<void> {
  const { positionals, values } = parsed(words);
  if (positionals.join(' ') !== 'workspace create') throw new UsageError(USAGE);
  const name = values.name?.trim();
  if (!name) throw new UsageError(`A workspace needs a name.\n${USAGE}`);
  if (name.length > 120) throw new UsageError('A name has at most 120 characters.');
  const plan = values.plan ?? 'hyper';
  if (!Object.hasOwn(PLANS, plan)) throw new UsageError(`There is no plan ${plan}: ${Object.keys(PLANS).join(', ')}.`);
  const { world, close } = await liveWorld(configOfProcess(), logTo('error'), 4);
  try {
    const { workspaceId, liveKey, testKey } = await createWorkspace(world, { name, plan: plan as Plan });
    const shown = { workspace_id: workspaceId, live_key: liveKey, test_key: testKey };
    process.stdout.write(values.json ? `${JSON.stringify(shown)}\n` : textOf(shown));
  } finally {
    await close();
  }
}

function parsed(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowPositionals: true,
      options: { name: { type: 'string' }, plan: { type: 'string' }, json: { type: 'boolean' } },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

const textOf = (shown: { workspace_id: string; live_key: string; test_key: string }) => `
Workspace  ${shown.workspace_id}
Live key   ${shown.live_key}
Test key   ${shown.test_key}

Both keys have the admin scope and are shown this once. The live key sends real mail; the test key never does.
`;

try {
  await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof UsageError || error instanceof ConfigError;
  process.stderr.write(`${expected ? error.message : `This did not work: ${(error as Error).message}`}\n`);
  process.exitCode = expected ? 2 : 1;
}
