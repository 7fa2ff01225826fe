// Started by the tests as a process of its own: runs the database on argv[2] and says so, until it is killed.
import { systemClock } from '#platform/clock.ts';
import { startEmbedded } from './embedded.ts';

const settings = { fsync: 'off', shared_buffers: '16MB' };
const { attached, url } = await startEmbedded({ dataDir: process.argv[2] ?? '', clock: systemClock(), settings });
process.stdout.write(`${JSON.stringify({ attached, url })}\n`);
setInterval(() => {}, 60_000);
