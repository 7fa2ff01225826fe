// Receivers of which some mean harm, in a process of its own: /good answers at once and notes how old the event was; /hang, /slow, /reset and
// /fail do what they are called.
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './child.ts';

let ages: number[] = [];

const DEEDS: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  hang: () => undefined,
  slow: (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 1_000);
    response.on('close', () => clearInterval(drip));
  },
  reset: (request) => request.socket.resetAndDestroy(),
  fail: (_, response) => response.writeHead(500).end(),
};

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined);
  request.on('end', () => {
    const deed = DEEDS[(request.url ?? '').split('/')[1] ?? ''];
    if (deed) return deed(request, response);
    const { created_at: at, type } = JSON.parse(Buffer.concat(parts).toString()) as { created_at: string; type: string };
    if (type !== 'webhook.verification') ages.push(Date.now() - Date.parse(at));
    response.writeHead(200, { 'content-length': 2 }).end('ok');
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');

serve({
  port: () => (server.address() as AddressInfo).port,
  take() {
    const told = ages;
    ages = [];
    return told;
  },
});
