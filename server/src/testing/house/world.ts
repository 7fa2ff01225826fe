import { lookup } from 'node:dns/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '#platform/clock.ts';
import { allowsPrivateWebhooks, configFrom } from '#platform/config.ts';
import { httpPoster } from '#platform/egress-http.ts';
import { egress } from '#platform/egress.ts';
import { logTo } from '#platform/log.ts';
import { seeded } from '#platform/random.ts';
import { secretBox } from '#platform/secretbox.ts';
import { mailboxOpener } from '#mail/imap/index.ts';
import { type SmtpConnectorOptions, smtpConnector } from '#mail/smtp/index.ts';
import { connect } from '#store/db.ts';
import { sealingKeyOf } from '#roles/sealing-key.ts';
import type { World } from '#world/ctx.ts';
import { testCa } from '../certs/certs.ts';
import { freshDatabase } from '../database.ts';

export type WorldOptions = {
  seed: number;
  /** Where the calendar stands at first. */
  start: string;
  env: Record<string, string>;
  deadlines?: SmtpConnectorOptions['deadlines'];
  /** Of a receiver of webhooks: the 15 seconds that it has become so many times shorter. */
  hurry?: number;
  /** What names of receivers resolve to; any other is asked of the system. */
  names?: Record<string, string[]>;
  /** What a test brings of its own instead: then the calendar is its to move. */
  own?: Partial<Pick<World, 'clock' | 'random' | 'mail'>>;
};

export const HOUSE_URL = 'http://house.test';

/** No request is refused for its rate, nothing is written to the terminal. */
const MANY = '1000000';
const ENV = { BASE_URL: HOUSE_URL, RATE_LIMIT_PER_SECOND: MANY, RATE_LIMIT_BURST: MANY, AUTH_FAILURES_PER_MINUTE: MANY };
const MAILBOX_LIMITS = { connectMs: 5_000, operationMs: 5_000 };

/** A world of a test's own: its database, a calendar that stands still until it is moved, chance from a seed, mail servers on loopback. */
export async function testWorld({ seed, start, env, deadlines, hurry = 1, names = {}, own = {} }: WorldOptions) {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'postrider-house-'));
  const config = configFrom({ ...ENV, DATA_DIR: folder, ...env });
  const lines: string[] = [];
  const log = logTo(env['LOG_LEVEL'] ?? 'warn', { write: (line) => void lines.push(line) });
  let now = Date.parse(start);
  const clock: Clock = { ...systemClock(), now: () => new Date(now), wall: () => new Date(now) };
  const random = own.random ?? seeded(seed);
  const out = egress({ allowPrivate: true, extraCa: [testCa] }, clock);
  const mail = {
    connectSmtp: smtpConnector({ egress: out, clock, clientName: 'house.test', ...(deadlines && { deadlines }) }),
    openMailbox: mailboxOpener({ egress: out, clock, log, limits: MAILBOX_LIMITS }),
  };
  const box = secretBox([sealingKeyOf(Buffer.alloc(32, seed).toString('base64'))], random);
  const db = connect(database.url, { log, max: 10 });
  const addressesOf = async (host: string) => names[host] ?? (await lookup(host, { all: true })).map((one) => one.address);
  const hurried: Clock = { ...clock, after: (ms, run) => clock.after(ms / hurry, run) };
  const poster = (allowPrivate: boolean) => httpPoster(egress({ allowPrivate, extraCa: [testCa] }, clock, addressesOf), hurried);
  const http = { live: poster(false), test: poster(allowsPrivateWebhooks(config)) };
  const world: World = { clock, random, config, log, box, db, mail, http, ...own };
  return {
    world,
    folder,
    databaseUrl: database.url,
    /** What was logged, line by line. */
    lines,
    move: (ms: number) => void (now += ms),
    close: async () => {
      await Promise.all([http.live.close(), http.test.close()]);
      await db.destroy();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
