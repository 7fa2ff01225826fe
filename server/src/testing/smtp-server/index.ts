// A sending server on this machine that does as a script says, and remembers every message it took. Asked by tests, the chaos run and benchmarks.
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { type Clock, systemClock } from '#platform/clock.ts';
import { localhostCert } from '../certs/certs.ts';
import { ServerConversation } from './conversation.ts';
import { type AcceptedMessage, type Counters, EVERYTHING, type Offers, type ReceivedMessage, type Script, type User } from './script.ts';

export type { AcceptedMessage, Action, Moment, Offers, ReceivedMessage, Script, ScriptPhase, User } from './script.ts';

export type SmtpServerOptions = {
  security: 'ssl' | 'starttls';
  users: readonly User[];
  script?: Script;
  /** Called for every message as it goes into the ledger, before the reply is written. */
  onAccepted?: (message: AcceptedMessage) => void;
  offers?: Partial<Offers>;
  certificate?: { cert: string; key: string };
  /** False leaves `raw` empty in the ledger (`onAccepted` still gets it): for benchmarks that would fill the memory. */
  keepRaw?: boolean;
  clock?: Clock;
};

export type SmtpServer = {
  host: '127.0.0.1';
  port: number;
  /** Every message that the server took responsibility for, in order, written down before it said so. */
  ledger: AcceptedMessage[];
  counters: Counters;
  /** Replace the script for whatever comes next. */
  follow(script: Script | undefined): void;
  /** Say this on every open connection, unasked; the line ends are the caller's. */
  interject(text: string): void;
  /** Close every open connection, by reset where `reset`. */
  drop(reset?: boolean): void;
  /** Stop listening and destroy what is open. */
  close(): Promise<void>;
};

/** Start a scripted SMTP server on a free port of 127.0.0.1, with a certificate of the test authority. */
export async function startSmtpServer(options: SmtpServerOptions): Promise<SmtpServer> {
  const ledger: AcceptedMessage[] = [];
  const open = new Map<Socket, ServerConversation>();
  const counters: Counters = { connections: 0, dots: 0, bodyBytes: 0, clearLogins: 0 };
  const accept = (received: ReceivedMessage) => {
    const message = { sequence: ledger.length + 1, ...received };
    ledger.push(options.keepRaw === false ? { ...message, raw: Buffer.alloc(0) } : message);
    options.onAccepted?.(message);
  };
  const house = {
    clock: options.clock ?? systemClock(),
    security: options.security,
    context: createSecureContext(options.certificate ?? localhostCert),
    users: options.users,
    offers: { ...EVERYTHING, ...options.offers },
    script: options.script,
    counters,
    accept,
  };
  const server = createServer((socket) => {
    counters.connections += 1;
    const conversation = new ServerConversation(house, socket, counters.connections);
    open.set(socket, conversation);
    socket.on('close', () => open.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    ledger,
    counters,
    follow: (script) => void (house.script = script),
    interject: (text) => open.forEach((one) => one.interject(text)),
    drop: (reset) => open.forEach((one) => one.drop(reset)),
    async close() {
      const closed = once(server, 'close');
      server.close();
      open.forEach((_, socket) => socket.destroy());
      await closed;
    },
  };
}
