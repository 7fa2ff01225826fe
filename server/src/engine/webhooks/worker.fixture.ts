// A worker of its own process with nothing but the delivery loop, made to be killed.
import { run } from '../loop.ts';
import { configOfProcess } from '#platform/config.ts';
import { liveWorld } from '#roles/live-world.ts';
import { webhooksLoop } from './index.ts';

const { world } = await liveWorld(configOfProcess());
await run(world, [webhooksLoop(world)], new AbortController().signal);
