import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Clock, systemClock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { egress } from '#platform/egress.ts';
import { type Log, logTo } from '#platform/log.ts';
import { systemRandom } from '#platform/random.ts';
import { secretBox } from '#platform/secretbox.ts';
import { mailboxOpener } from '#mail/imap/index.ts';
import { smtpConnector } from '#mail/smtp/index.ts';
import { connect } from '#store/db.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { migrate } from '#store/migrate.ts';
import type { World } from '#world/ctx.ts';
import { sealingKey } from './sealing-key.ts';

export type LiveWorld = { world: World; /** Lets go of the database. */ close(): Promise<void> };

/** How this machine introduces itself to mail servers (RFC 5321 4.1.3): its full name, or an address literal where it has none. */
const ownName = () => (/^[\w-]+(\.[\w-]+)+$/.test(hostname()) ? hostname() : '[127.0.0.1]');

export const clockOf = (config: Config): Clock =>
  systemClock({ speed: config.CLOCK_SPEED, since: config.CLOCK_SINCE === undefined ? 0 : Date.parse(config.CLOCK_SINCE) });

/** The world as it is: the machine's clock, the system's chance, the database (embedded unless DATABASE_URL names one), real mail servers. */
export async function liveWorld(config: Config, log: Log = logTo(config.LOG_LEVEL), connections = 20): Promise<LiveWorld> {
  const clock = clockOf(config);
  const box = secretBox([sealingKey(config, systemRandom)], systemRandom);
  const embedded = config.DATABASE_URL === undefined ? await startEmbedded({ dataDir: config.DATA_DIR, clock, log }) : undefined;
  const url = config.DATABASE_URL ?? embedded!.url;
  try {
    const applied = await migrate(url);
    log.debug({ applied }, 'the database is up to date');
    const db = connect(url, { log, max: connections });
    const extraCa = config.MAIL_CA_FILE === undefined ? [] : [readFileSync(config.MAIL_CA_FILE, 'utf8')];
    const out = egress({ allowPrivate: config.ALLOW_PRIVATE_MAIL_HOSTS, extraCa }, clock);
    const mail = {
      connectSmtp: smtpConnector({ egress: out, clock, clientName: ownName() }),
      openMailbox: mailboxOpener({ egress: out, clock, log }),
    };
    return {
      world: { clock, random: systemRandom, config, log, box, db, mail },
      close: async () => {
        await db.destroy();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}
