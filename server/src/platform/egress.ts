// The only module that opens a connection to the outside: SMTP, IMAP, webhooks (egress-http.ts) and, later, OAuth ask here.
import { lookup } from 'node:dns/promises';
import { type Socket, connect as connectTcp, isIP } from 'node:net';
import { type SecureContext, type TLSSocket, connect as connectTls, createSecureContext, rootCertificates } from 'node:tls';
import type { Clock } from './clock.ts';
import { isPublic } from './ip.ts';

export type EgressFault = 'dns' | 'blocked_address' | 'refused' | 'reset' | 'timeout' | 'tls' | 'closed';

/** Why no connection came about; `fault` is for rules, `message` for people. Never carries a secret. */
export class EgressError extends Error {
  override name = 'EgressError';
  readonly fault: EgressFault;
  constructor(fault: EgressFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export type EgressPolicy = {
  /** Loopback, private and link-local targets: for development and tests only. */
  allowPrivate: boolean;
  /** Certificate authorities (PEM) that are trusted besides the system's. */
  extraCa: readonly string[];
};

export type Target = { host: string; port: number; tls: boolean; timeoutMs: number };

export type Egress = {
  /** Open TCP, and TLS on top when `tls` is set. The name is resolved once, and the very address that was checked is dialled. */
  open(target: Target): Promise<Socket | TLSSocket>;
  /** Upgrade an open connection (STARTTLS); the certificate must be for `host`. */
  upgrade(socket: Socket, host: string, timeoutMs: number): Promise<TLSSocket>;
  /** The address that `open` would dial, after the same checks: for libraries that insist on dialling for themselves. */
  resolve(host: string): Promise<string>;
  /** What such a library needs to judge certificates as `open` does. */
  tlsOptions(host: string): { secureContext: SecureContext; servername?: string; host: string };
};

/** The addresses of a host name; rejects with a `code` where it has none. */
type AddressesOf = (host: string) => Promise<string[]>;
const systemAddresses: AddressesOf = async (host) => (await lookup(host, { all: true })).map((one) => one.address);

/** The way out under `policy`. `addressesOf` is asked once for each connection. */
export function egress(policy: EgressPolicy, clock: Clock, addressesOf: AddressesOf = systemAddresses): Egress {
  // Made once: reading the roots takes longer than a handshake.
  let context: SecureContext | undefined;
  const secureContext = () => (context ??= createSecureContext({ ca: [...rootCertificates, ...policy.extraCa], minVersion: 'TLSv1.2' }));
  const tlsOptions = (given: string) => {
    const host = bare(given);
    return { secureContext: secureContext(), host, ...(isIP(host) ? {} : { servername: host }) };
  };
  const resolve = (host: string) => resolveAllowed(host, policy, addressesOf);
  const secured = (socket: Socket | undefined, host: string, timeoutMs: number, dial: { host: string; port: number } | undefined) => {
    const tls = connectTls({ ...tlsOptions(host), ...(socket ? { socket } : dial!) });
    return ready(clock, tls, 'secureConnect', timeoutMs);
  };
  return {
    resolve,
    tlsOptions,
    async open({ host, port, tls, timeoutMs }) {
      const address = await withDeadline(clock, resolve(host), timeoutMs, `No address for ${host} in time.`);
      if (tls) return secured(undefined, host, timeoutMs, { host: address, port });
      return ready(clock, connectTcp({ host: address, port, noDelay: true }), 'connect', timeoutMs);
    },
    upgrade: (socket, host, timeoutMs) => secured(socket, host, timeoutMs, undefined),
  };
}

async function resolveAllowed(host: string, policy: EgressPolicy, addressesOf: AddressesOf): Promise<string> {
  const literal = bare(host);
  let addresses: string[];
  if (isIP(literal)) addresses = [literal];
  else {
    // An all-numeric spelling (127.1, 0x7f000001) is no host name, but resolvers read it as an address: refuse it by name.
    if (/^(0x[0-9a-f]+|\d+)(\.(0x[0-9a-f]+|\d+)){0,3}\.?$/i.test(literal)) throw new EgressError('blocked_address', `${host} is not a host name.`);
    try {
      addresses = await addressesOf(literal);
    } catch (error) {
      throw new EgressError('dns', `The host ${host} was not found (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
    }
  }
  // One forbidden address condemns the name: a mixed answer is how rebinding begins.
  if (!policy.allowPrivate && !addresses.every(isPublic)) throw new EgressError('blocked_address', `The host ${host} is not a public address.`);
  const [first] = addresses;
  if (!first) throw new EgressError('dns', `The host ${host} has no address.`);
  return first;
}

/**
 * Whether a host could be anybody's on the Internet, as far as its spelling tells: no private literal, no name without a dot and none of a
 * domain that is kept for private use (RFC 6761, RFC 8375, ICANN's `internal`). What a name resolves to is judged when it is dialled.
 */
export function mayBePublic(host: string): boolean {
  const name = bare(host).toLowerCase().replace(/\.$/, '');
  if (isIP(name)) return isPublic(name);
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa|\d+|0x[0-9a-f]*)$/.test(name);
}

/** The host without the brackets in which URLs write an IPv6 address. */
const bare = (host: string) => (host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host);

function ready<S extends Socket>(clock: Clock, socket: S, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      cancel();
      socket.off(event, onReady).off('error', onError).off('close', onClose);
      end();
    };
    const fail = (fault: EgressFault, message: string) =>
      settle(() => {
        // Errors that a dying socket still reports concern nobody any more; without a listener they would end the process.
        socket.on('error', () => undefined).destroy();
        reject(new EgressError(fault, message));
      });
    const onReady = () => settle(() => resolve(socket));
    const onError = (error: NodeJS.ErrnoException) => fail(faultOf(error), error.message);
    const onClose = () => fail('closed', 'The connection was closed.');
    const cancel = clock.after(timeoutMs, () => fail('timeout', `No connection within ${timeoutMs} ms.`));
    socket.once(event, onReady).once('error', onError).once('close', onClose);
  });
}

/** The fault that a socket's error tells of. */
export function faultOf(error: NodeJS.ErrnoException): EgressFault {
  const code = error.code ?? '';
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'refused';
  if (code === 'ETIMEDOUT') return 'timeout';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'dns';
  return 'tls';
}

async function withDeadline<T>(clock: Clock, work: Promise<T>, timeoutMs: number, message: string): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(timeoutMs, () => reject(new EgressError('timeout', message)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
