// The limit of the HTTP figures: node:http alone, without a check of anything, around the same verbs and the same SQL as the API's.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configOfProcess } from '#platform/config.ts';
import { newId } from '#platform/ids.ts';
import { inTransaction, rowsOf } from '#store/db.ts';
import { createSends } from '#resources/sends/create.ts';
import { byId } from '#resources/sends/store.ts';
import { NewSend, recipientOf } from '#resources/sends/letter-wire.ts';
import { present } from '#resources/sends/wire.ts';
import { liveWorld } from '#roles/live-world.ts';
import { actingFor } from '#world/ctx.ts';
import { serve } from './child.ts';
import { creates } from './creates.ts';

const { world, close } = await liveWorld(configOfProcess());
let workspaceId = '';

async function answer(method: string, url: string, body: string): Promise<unknown> {
  const ctx = actingFor(world, workspaceId, 'live');
  if (method === 'GET') {
    const row = await byId(ctx, url.slice('/v1/sends/'.length));
    if (!row) throw new Error('No such send.');
    return present(row);
  }
  const wanted = NewSend.parse(JSON.parse(body));
  const to = recipientOf(wanted);
  if (to instanceof Error) throw to;
  const [row] = await inTransaction(ctx, (inside) => createSends(inside, [{ ...wanted, to, inbox_id: wanted.inbox_id! }]));
  if (!row || row instanceof Error) throw row ?? new Error('No send.');
  return present(row);
}

const server = createServer((req, res) => {
  const parts: Buffer[] = [];
  req.on('data', (part: Buffer) => parts.push(part));
  req.on('end', () => {
    answer(req.method!, req.url!, Buffer.concat(parts).toString()).then(
      (value) => res.writeHead(req.method === 'GET' ? 200 : 201, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
      (error: Error) => res.writeHead(500).end(error.message),
    );
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const INSERT = `
  insert into idempotency_keys (workspace_id, mode, key, method, path, body_hash, response_body, created_at)
  values ($1, 'live', $2, 'POST', '/', $3, $4, $5)`;

/** Single rows, each in a transaction of its own, by `clients` at once. */
async function inserts({ count, clients }: { count: number; clients: number }): Promise<{ seconds: number }> {
  let next = 0;
  const text = 'x'.repeat(1_000);
  const one = async () => {
    while (next++ < count) await rowsOf(world.db, INSERT, [workspaceId, newId(world, 'req'), 'h', text, world.clock.now()]);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, one));
  return { seconds: (performance.now() - started) / 1000 };
}

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const made = (order: { count: number; callers: number }) => creates(world, workspaceId, order);
serve({ url, inserts, creates: made, serve: (id: string) => void (workspaceId = id) }, async () => {
  server.close();
  await close();
});
