import { ImapFlow } from 'imapflow';
import type { Clock } from '#platform/clock.ts';
import type { Egress } from '#platform/egress.ts';
import type { Log } from '#platform/log.ts';
import { MailboxError, type MailServer } from '../mail.ts';
import { isPlainLoss, mailboxError } from './faults.ts';
import type { MailboxLimits } from './limits.ts';

const LOGOUT_MS = 2000;
/** How often the bytes that came in are counted. */
const METER_MS = 250;
/** What a response carries besides the literal that was asked for. */
const MARGIN = 64 * 1024;

export type Doors = { egress: Egress; clock: Clock; log: Log };

/** An imapflow connection on which every piece of work has a deadline, a byte limit and one kind of error. After a failure it is closed. */
export class Connection {
  readonly client: ImapFlow;
  #doors: Doors;
  #limits: MailboxLimits;
  #last: Promise<unknown> = Promise.resolve();
  /** Why the connection broke, where something else than the failing command told. */
  #cause: MailboxError | null = null;

  private constructor(client: ImapFlow, doors: Doors, limits: MailboxLimits) {
    this.client = client;
    this.#doors = doors;
    this.#limits = limits;
    client.on('error', (error: unknown) => {
      this.#cause ??= mailboxError(error);
    });
  }

  /** Connect and log in. The address is resolved and judged by egress, and that very address is dialled; TLS is verified for the name. */
  static async open(server: MailServer, doors: Doors, limits: MailboxLimits): Promise<Connection> {
    const deadline = doors.clock.monotonic() + limits.connectMs;
    const address = await within(doors.clock, limits.connectMs, doors.egress.resolve(server.host)).catch((error: unknown) => {
      throw mailboxError(error);
    });
    const connection = new Connection(new ImapFlow(settings(server, address, doors.egress, limits)), doors, limits);
    await connection.#bounded(Math.max(1, deadline - doors.clock.monotonic()), async () => {
      await connection.client.connect();
      // After PREAUTH nobody asked for the password, so that nothing shows whose mailbox this is. Only the usual greeting leaves its words.
      if (connection.client.greeting === undefined) throw new MailboxError('protocol', 'The server greets with PREAUTH.');
    });
    return connection;
  }

  /** Do one piece of work, after whatever was asked for before. */
  work<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#bounded(this.#limits.operationMs, run));
    // The next in line waits for this one's end, not for its success.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** LOGOUT, politely but briefly. */
  async close(): Promise<void> {
    try {
      if (this.client.usable) await within(this.#doors.clock, LOGOUT_MS, this.client.logout());
    } catch (error) {
      this.#doors.log.debug({ fault: mailboxError(error).fault }, 'A mailbox did not say goodbye.');
    }
    this.client.close();
  }

  async #bounded<T>(ms: number, run: () => Promise<T>): Promise<T> {
    const stop = this.#meter();
    try {
      return await within(this.#doors.clock, ms, run());
    } catch (error) {
      const known = isPlainLoss(error) ? (this.#cause ?? mailboxError(error)) : mailboxError(error);
      // What went wrong on the connection leaves it undefined. A missing folder does not.
      if (known.fault !== 'missing') this.client.close();
      throw known;
    } finally {
      stop();
    }
  }

  /** Closes the connection once the server has sent more than one call may bring. */
  #meter(): () => void {
    const before = this.client.stats().received;
    let cancel = () => {};
    const look = () => {
      if (this.client.stats().received - before > this.#limits.receivedBytes) {
        this.#cause ??= new MailboxError('protocol', 'The server sent more than was asked for.');
        this.client.close();
      } else cancel = this.#doors.clock.after(METER_MS, look);
    };
    cancel = this.#doors.clock.after(METER_MS, look);
    return () => cancel();
  }
}

function settings({ host, port, security, credentials }: MailServer, address: string, egress: Egress, limits: MailboxLimits) {
  const { secureContext, servername } = egress.tlsOptions(host);
  return {
    host: address,
    port,
    ...(servername === undefined ? {} : { servername }),
    secure: security === 'ssl',
    ...(security === 'starttls' ? { doSTARTTLS: true } : {}),
    auth:
      'password' in credentials
        ? { user: credentials.username, pass: credentials.password }
        : { user: credentials.username, accessToken: credentials.accessToken },
    // No `host` in here: it would be dialled instead of the address.
    tls: { secureContext },
    logger: false as const,
    clientInfo: { name: 'Postrider', version: false, vendor: false, 'support-url': false } as const,
    disableAutoIdle: true,
    disableAutoEnable: true,
    disableCompression: true,
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.connectMs,
    socketTimeout: limits.operationMs,
    maxLiteralSize: limits.messageBytes + MARGIN,
    maxLineLength: 8 * 1024 * 1024,
    maxResponseSize: limits.messageBytes + 8 * 1024 * 1024 + MARGIN,
  };
}

async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(new MailboxError('timeout', `The mail server did not answer within ${Math.round(ms)} ms.`)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
