// Started by the tests as a process of its own: carries out imports in the database argv[2] until it is killed.
import { systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { liveWorld } from '#roles/live-world.ts';
import { mayBeAlive, ownProcessId } from '#roles/process-id.ts';
import { run } from '../loop.ts';
import { importsLoop } from './index.ts';

const { world } = await liveWorld(configFrom({ DATABASE_URL: process.argv[2], DATA_DIR: process.argv[3], LOG_LEVEL: 'error' }));
await run({ ...world, clock: systemClock() }, [importsLoop(world, { processId: ownProcessId(), isAlive: mayBeAlive })], new AbortController().signal);
