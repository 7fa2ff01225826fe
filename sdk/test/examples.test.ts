// The examples, each run: what is signed gets through with its bytes as they were, and nothing else does.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { serve } from '@hono/node-server';
import type { WebhookEvent } from '../src/index.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
// JSON that no printer would give back like this.
const BODY = '{ "id": "evt_1",  "type":"send.sent", "data": {"subject":"Gr\\u00fc\\u00dfe ✉", "n": 1.0} }\n';

type OnEvent = (event: WebhookEvent) => Promise<void>;
type Example<R> = { [name in 'receiver' | 'handler']: (secret: string, onEvent: OnEvent) => R };
const example = async <R>(name: string) => (await import(new URL(`../examples/${name}.mjs`, import.meta.url).href)) as Example<R>;

async function listening(server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Each framework, listening. */
const SERVERS: Record<string, (onEvent: OnEvent) => Promise<Server>> = {
  'node-http': async (onEvent) => listening((await example<Server>('node-http')).receiver(SECRET, onEvent)),
  express: async (onEvent) => listening(createServer((await example<RequestListener>('express')).receiver(SECRET, onEvent))),
  async hono(onEvent) {
    const app = (await example<{ fetch: (request: Request) => Promise<Response> }>('hono')).receiver(SECRET, onEvent);
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
    if (!server.listening) await once(server, 'listening');
    return server;
  },
  async fastify(onEvent) {
    type App = { server: Server; listen(where: { port: number; host: string }): Promise<string> };
    const app = (await example<App>('fastify')).receiver(SECRET, onEvent);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  async 'next-route'(onEvent) {
    const answer = (await example<(request: Request) => Promise<Response>>('next-route')).handler(SECRET, onEvent);
    const server = serve({ fetch: answer, port: 0, hostname: '127.0.0.1' }) as Server;
    if (!server.listening) await once(server, 'listening');
    return server;
  },
};

const signed = (body: string, secret = SECRET, seconds = Math.floor(Date.now() / 1000)) =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;

for (const [name, start] of Object.entries(SERVERS)) {
  test(`the example for ${name} takes what is signed and refuses the rest`, async () => {
    const events: WebhookEvent[] = [];
    let broken = false;
    const server = await start(async (event) => {
      if (broken) throw new Error('The database is away.');
      events.push(event);
    });
    try {
      const { port } = server.address() as AddressInfo;
      const post = async (signature: string | null, body = BODY) => {
        const headers = { 'content-type': 'application/json', ...(signature && { 'service-signature': signature }) };
        return (await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers, body })).status;
      };
      assert.equal(await post(signed(BODY)), 204);
      assert.deepEqual(events, [JSON.parse(BODY)]);
      assert.equal(await post(null), 400);
      assert.equal(await post(signed(BODY, 'whsec_other')), 400);
      assert.equal(await post(signed(BODY, SECRET, Math.floor(Date.now() / 1000) - 400)), 400);
      assert.equal(await post(signed(BODY), JSON.stringify(JSON.parse(BODY))), 400);
      assert.equal(events.length, 1);
      broken = true;
      assert.equal(await post(signed(BODY)), 500, 'what could not be dealt with is asked for again');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}
