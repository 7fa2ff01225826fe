// The API in a process of its own, as its role starts it, for benchmarks.
import { configOfProcess } from '#platform/config.ts';
import { liveWorld } from '#roles/live-world.ts';
import { startApi } from '#roles/service.ts';
import { serve } from './child.ts';

const { world, close } = await liveWorld(configOfProcess());
const api = await startApi(world, { expectWorker: false });

serve({ url: () => api.url }, async () => {
  await api.stop();
  await close();
});
