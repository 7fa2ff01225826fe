// HTTP to the outside, for callers who trust nobody there: one deadline for everything, little is read, nothing is followed or decoded.
import type { Socket } from 'node:net';
import { Client, type Dispatcher, type buildConnector } from 'undici';
import type { Clock } from './clock.ts';
import { type Egress, EgressError, faultOf } from './egress.ts';

/** `reset` is every way in which an exchange breaks off, an answer that is no HTTP among them. */
export type HttpFault = 'timeout' | 'dns' | 'tls' | 'refused' | 'reset' | 'blocked_address';

export type HttpPost = {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Machine time for the whole exchange, from the look-up of the name to the last byte of the answer that is read. */
  deadlineMs: number;
  /** Of the answer's body. What is longer is cut off, and its status stands. */
  maxBytes: number;
};

export type HttpPoster = {
  /** Never rejects. Redirects are answers like others; bodies are read and dropped. */
  post(wanted: HttpPost): Promise<{ status: number } | { fault: HttpFault }>;
  /** Break off whatever is under way, and let go of the connections that are kept. */
  close(): Promise<void>;
};

const KEEP_ALIVE_MS = 4_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** A way out for POSTs. Connections are kept for a while, and opened by `egress` alone, so its policy holds for each of them. */
export function httpPoster(egress: Egress, clock: Clock, connectMs = 15_000): HttpPoster {
  const clients = keptClients(connector(egress, connectMs));
  return {
    async post(wanted) {
      const url = new URL(wanted.url);
      const client = clients.take(url.origin);
      const answer = await exchange(client, clock, url, wanted);
      if (answer.isWhole) clients.keep(url.origin, client);
      else clients.drop(client);
      return answer.said;
    },
    close: () => clients.close(),
  };
}

/**
 * One client for each connection, and one request at a time on it. undici's own pool would connect again for a request that was broken off, to
 * find then that nobody waits for it any more: here a client ends with whatever was wrong with its connection. Who must not have too many at
 * once counts them himself.
 */
function keptClients(connect: buildConnector.connector) {
  const all = new Set<Client>();
  const idle = new Map<string, Client[]>();
  const drop = (client: Client) => {
    if (!all.delete(client)) return;
    for (const [origin, kept] of idle) {
      const rest = kept.filter((one) => one !== client);
      if (rest.length > 0) idle.set(origin, rest);
      else idle.delete(origin);
    }
    void client.destroy();
  };
  return {
    drop,
    take(origin: string): Client {
      const known = idle.get(origin)?.pop();
      if (known) return known;
      const client = new Client(origin, {
        connect,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
        // The exchange has one deadline of its own.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      all.add(client);
      client.on('disconnect', () => drop(client));
      return client;
    },
    keep(origin: string, client: Client) {
      if (!all.has(client)) return;
      const kept = idle.get(origin);
      if (kept) kept.push(client);
      else idle.set(origin, [client]);
    },
    async close() {
      await Promise.all([...all].map((client) => client.destroy()));
    },
  };
}

function connector(egress: Egress, timeoutMs: number): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const tls = protocol === 'https:';
    const target = { host: hostname, port: port === '' ? (tls ? 443 : 80) : Number(port), tls, timeoutMs };
    void opened(egress.open(target), callback);
  };
}

async function opened(opening: Promise<Socket>, callback: buildConnector.Callback): Promise<void> {
  let socket: Socket;
  try {
    socket = await opening;
  } catch (error) {
    return callback(error instanceof Error ? error : new Error(String(error)), null);
  }
  return callback(null, socket);
}

type Said = { status: number } | { fault: HttpFault };

/** One request, and whether its answer was read to the end, so that another may follow on the connection. */
function exchange(client: Client, clock: Clock, url: URL, wanted: HttpPost): Promise<{ said: Said; isWhole: boolean }> {
  return new Promise((resolve) => {
    let status = 0;
    let read = 0;
    const end = (said: Said, isWhole = false) => {
      cancel();
      resolve({ said, isWhole });
    };
    const cancel = clock.after(wanted.deadlineMs, () => end({ fault: 'timeout' }));
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart(_controller, code) {
        // 1xx only announces an answer (RFC 9110 15.2).
        if (code >= 200) status = code;
      },
      onResponseData(_controller, chunk) {
        read += chunk.length;
        if (read > wanted.maxBytes) end({ status });
      },
      onResponseEnd: () => end({ status }, true),
      onResponseError: (_controller, error) => end({ fault: httpFaultOf(error) }),
    };
    const { headers, body } = wanted;
    client.dispatch({ path: url.pathname + url.search, method: 'POST', headers, body }, handler);
  });
}

/** What an error of undici or of a socket means to the caller. */
function httpFaultOf(error: Error & { code?: string }): HttpFault {
  if (error instanceof EgressError) return error.fault === 'closed' ? 'reset' : error.fault;
  // A certificate or a record that broke the connection after its handshake.
  if (error.code?.startsWith('ERR_SSL') || error.code?.startsWith('ERR_TLS')) return 'tls';
  const fault = faultOf(error);
  return fault === 'tls' || fault === 'closed' ? 'reset' : fault;
}
