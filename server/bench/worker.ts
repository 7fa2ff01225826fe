// The worker in a process of its own with all of its loops, as its role starts it, for benchmarks.
import { configOfProcess } from '#platform/config.ts';
import { liveWorld } from '#roles/live-world.ts';
import { startWorker } from '#roles/service.ts';
import { serve } from './child.ts';

const { world, close } = await liveWorld(configOfProcess());
const worker = await startWorker(world);

serve({}, async () => {
  await worker.stop();
  await close();
});
