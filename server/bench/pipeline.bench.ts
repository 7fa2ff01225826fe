// A worker with its sending loop: empties what is due and says how long that took, from the first claim to the last commit.
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { sendingLoop } from '#engine/sending/index.ts';
import { run } from '#engine/loop.ts';
import { sleep } from '#platform/clock.ts';
import { configOfProcess } from '#platform/config.ts';
import { liveWorld } from '#roles/live-world.ts';
import { ownProcessId } from '#roles/process-id.ts';
import { rowsOf } from '#store/db.ts';
import { serve } from './child.ts';

const { world, close } = await liveWorld(configOfProcess());
const sending = await sendingLoop(world, { processId: ownProcessId(), journalFolder: join(world.config.DATA_DIR, 'journal') });

const OPEN = `select exists (select 1 from sends where state in ('scheduled', 'sending')) as open`;

/** Run the loop until nothing is open. The clock stops when the last outcome is committed, as the loop itself knows it. */
async function drain(): Promise<{ seconds: number }> {
  const ending = new AbortController();
  const started = performance.now();
  const ended = run(world, [{ ...sending, close: async () => {} }], ending.signal);
  let stopped = started;
  for (;;) {
    await sleep(world.clock, 20);
    if (sending.lanes() > 0) continue;
    await sending.idle();
    stopped = performance.now();
    const [row] = await rowsOf<{ open: boolean }>(world.db, OPEN, []);
    if (!row!.open) break;
  }
  ending.abort();
  await ended;
  return { seconds: (stopped - started) / 1000 };
}

serve({ drain }, async () => {
  await sending.close?.();
  await close();
});
