import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Clock, systemClock } from '#platform/clock.ts';
import { type Config, allowsPrivateWebhooks } from '#platform/config.ts';
import { httpPoster } from '#platform/egress-http.ts';
import { egress } from '#platform/egress.ts';
import { type Log, logTo } from '#platform/log.ts';
import { systemRandom } from '#platform/random.ts';
import { secretBox } from '#platform/secretbox.ts';
import { mailboxOpener } from '#mail/imap/index.ts';
import { smtpConnector } from '#mail/smtp/index.ts';
import { connect } from '#store/db.ts';
import { startEmbedded } from '#store/embedded/embedded.ts';
import { migrate } from '#store/migrate.ts';
import { wallOf } from '#store/wall.ts';
import type { World } from '#world/ctx.ts';
import { sealingKeys } from './sealing-key.ts';

export type LiveWorld = { world: World; /** Lets go of the database. */ close(): Promise<void> };

/** How this machine introduces itself to mail servers (RFC 5321 4.1.3): its full name, or an address literal where it has none. */
const ownName = () => (/^[\w-]+(\.[\w-]+)+$/.test(hostname()) ? hostname() : '[127.0.0.1]');

export const clockOf = (config: Config): Clock =>
  systemClock({ speed: config.CLOCK_SPEED, since: config.CLOCK_SINCE === undefined ? 0 : Date.parse(config.CLOCK_SINCE) });

/** Of as many connections as a process may open each of its pools gets half; without the wall there is one pool. */
export const connectionsOfEach = (all: number, walled: boolean): number => (walled ? Math.floor(all / 2) : all);

/** The world as it is: the machine's clock, the system's chance, the database (embedded unless DATABASE_URL names one), real mail servers. */
export async function liveWorld(config: Config, log: Log = logTo(config.LOG_LEVEL), connections = config.DATABASE_CONNECTIONS): Promise<LiveWorld> {
  const clock = clockOf(config);
  const box = secretBox(sealingKeys(config, systemRandom), systemRandom);
  const embedded = config.DATABASE_URL === undefined ? await startEmbedded({ dataDir: config.DATA_DIR, clock, log }) : undefined;
  const url = config.DATABASE_URL ?? embedded!.url;
  try {
    const applied = await migrate(url);
    log.debug({ applied }, 'the database is up to date');
    const wall = await wallOf(url);
    if (!wall.raised) log.warn({ because: wall.because }, 'row-level security is off: tenants are kept apart by the statements alone');
    const db = connect(url, { log, max: connectionsOfEach(connections, wall.raised), walled: wall.raised });
    const extraCa = config.MAIL_CA_FILE === undefined ? [] : [readFileSync(config.MAIL_CA_FILE, 'utf8')];
    const out = egress({ allowPrivate: config.ALLOW_PRIVATE_MAIL_HOSTS, extraCa }, clock);
    const mail = {
      connectSmtp: smtpConnector({ egress: out, clock, clientName: ownName() }),
      openMailbox: mailboxOpener({ egress: out, clock, log }),
    };
    const poster = (allowPrivate: boolean) => httpPoster(egress({ allowPrivate, extraCa: [] }, clock), clock);
    const http = { live: poster(false), test: poster(allowsPrivateWebhooks(config)) };
    return {
      world: { clock, random: systemRandom, config, log, box, db, mail, http },
      close: async () => {
        await Promise.all([http.live.close(), http.test.close()]);
        await db.destroy();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}
