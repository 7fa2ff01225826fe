// `npm run fuzz -- --seconds 300 --seed 7`: calls that no honest client makes, until the time is over or one does harm. Without a seed, a new one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '#platform/clock.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { fuzz } from '#testing/fuzz/fuzz.ts';

const { values } = parseArgs({ options: { seed: { type: 'string' }, seconds: { type: 'string', default: '120' } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const dataDir = mkdtempSync(join(tmpdir(), 'postrider-fuzz-'));
try {
  const database = await startEmbedded({ dataDir, clock: systemClock(), settings: { fsync: 'off' } });
  process.env['TEST_DATABASE_URL'] = database.url;
  try {
    console.log(`seed ${seed}, ${values.seconds} s`);
    const { calls, byStatus, slow } = await fuzz({ seed, seconds: Number(values.seconds) });
    console.log(`${calls} calls, none did harm. By status: ${JSON.stringify(byStatus)}. Slower than a second: ${JSON.stringify(slow)}`);
  } finally {
    await database.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
