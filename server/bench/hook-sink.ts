// A receiver of webhooks in a process of its own: reads each request, answers 200 and counts what was different.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from './child.ts';

let requests = 0;
let events = new Set<string>();
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    requests++;
    events.add(`${request.url} ${request.headers['service-event-id']}`);
    response.writeHead(200, { 'content-length': 2 }).end('ok');
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');

serve({
  port: () => (server.address() as AddressInfo).port,
  take() {
    const told = { messages: requests, distinct: events.size };
    requests = 0;
    events = new Set();
    return told;
  },
});
