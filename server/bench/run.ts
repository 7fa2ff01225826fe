// `npm run bench`: how fast mail leaves, held against nodemailer alone into the same server. Prints a table and writes results.md.
//   -- --rounds 5   rounds, interleaved; the medians count      -- --only pipeline   contenders whose name holds this, and the limit
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { sleep, systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { liveWorld } from '#roles/live-world.ts';
import { rowsOf } from '#store/db.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { certPaths } from '#testing/certs/certs.ts';
import type { World } from '#world/ctx.ts';
import { type Child, begin } from './child.ts';
import type { Load } from './post.bench.ts';
import { campaignOf, tenant, verify } from './seed.ts';
import type { Ledger } from './sink.ts';
