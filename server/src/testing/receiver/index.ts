// Receivers of webhooks: one that listens and answers as it is told, and one that does to a socket whatever a script says.
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, createServer as createRawServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export type Received = { path: string; headers: IncomingHttpHeaders; body: string; event: ReceivedEvent };
export type ReceivedEvent = {
  id: string;
  type: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown> | null;
  sequence: number | null;
};
/** A status, or the answer itself. */
type Answer = number | ((received: Received, response: ServerResponse) => void);

export type Receiver = AsyncDisposable & {
  url: string;
  received: Received[];
  /** Answer so from now on; 200 at first. */
  answer: Answer;
  /** What was received, without the verifications, as type and attempt. */
  told(): string[];
  close(): Promise<void>;
};

/** A receiver on loopback that reads each request whole and answers it. */
export async function receiver(answer: Answer = 200): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => void take(request, response));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const self: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer,
    told: () =>
      received
        .filter((one) => one.event.type !== 'webhook.verification')
        .map((one) => `${one.event.type} ${one.headers['service-delivery-attempt']}`),
    close,
    [Symbol.asyncDispose]: close,
  };
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const one = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body) as ReceivedEvent };
    received.push(one);
    if (typeof self.answer === 'number') response.writeHead(self.answer).end('{"a":1}');
    else self.answer(one, response);
  }
  return self;
}

/** What a hostile receiver does with a connection, once the first bytes have come. */
export type Script = (socket: Socket) => void;
export type RawReceiver = AsyncDisposable & { url: string; connections(): number; /** Bytes written to whoever called. */ written(): number };

/** A receiver that runs `script` on each connection when something has been read from it; over TLS with `tls`. */
export async function rawReceiver(script: Script, tls?: { cert: string; key: string }): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let written = 0;
  const meet = (socket: Socket) => {
    connections++;
    sockets.add(socket);
    // Whoever is cut off in the middle of its mischief gets an error that concerns nobody.
    socket.on('error', () => undefined).on('close', () => {
      sockets.delete(socket);
      written += socket.bytesWritten;
    }); // prettier-ignore
    socket.once('data', () => script(socket));
  };
  const server = tls ? createTlsServer(tls, meet).on('tlsClientError', () => undefined) : createRawServer(meet);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/`,
    connections: () => connections,
    written: () => written + [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
