import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { egress } from '#platform/egress.ts';
import { logTo } from '#platform/log.ts';
import { seeded } from '#platform/random.ts';
import { secretBox } from '#platform/secretbox.ts';
import { mailboxOpener } from '#mail/imap/index.ts';
import { type SmtpConnectorOptions, smtpConnector } from '#mail/smtp/index.ts';
import { connect } from '#store/db.ts';
import type { World } from '#world/ctx.ts';
import { testCa } from '../certs/certs.ts';
import { freshDatabase } from '../database.ts';

export type WorldOptions = {
  seed: number;
  /** Where the calendar stands at first. */
  start: string;
  env: Record<string, string>;
  deadlines?: SmtpConnectorOptions['deadlines'];
};

export const HOUSE_URL = 'http://house.test';

/** No request is refused for its rate, nothing is written to the terminal. */
const ENV = { BASE_URL: HOUSE_URL, RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' };
const MAILBOX_LIMITS = { connectMs: 5_000, operationMs: 5_000 };

/** A world of a test's own: its database, a calendar that stands still until it is moved, chance from a seed, mail servers on loopback. */
export async function testWorld({ seed, start, env, deadlines }: WorldOptions) {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'postrider-house-'));
  const config = configFrom({ ...ENV, DATA_DIR: folder, ...env });
  const lines: string[] = [];
  const log = logTo(env['LOG_LEVEL'] ?? 'warn', { write: (line) => void lines.push(line) });
  let now = Date.parse(start);
  const clock: Clock = { ...systemClock(), now: () => new Date(now), wall: () => new Date(now) };
  const random = seeded(seed);
  const out = egress({ allowPrivate: true, extraCa: [testCa] }, clock);
  const mail = {
    connectSmtp: smtpConnector({ egress: out, clock, clientName: 'house.test', ...(deadlines && { deadlines }) }),
    openMailbox: mailboxOpener({ egress: out, clock, log, limits: MAILBOX_LIMITS }),
  };
  const box = secretBox([{ id: 'k1', key: Buffer.alloc(32, seed) }], random);
  const db = connect(database.url, { log, max: 10 });
  const world: World = { clock, random, config, log, box, db, mail };
  return {
    world,
    folder,
    databaseUrl: database.url,
    /** What was logged, line by line. */
    lines,
    move: (ms: number) => void (now += ms),
    close: async () => {
      await db.destroy();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
