// A worker with its delivery loop: tells endpoints what the log holds, and says how long that took, to the last line of the log of deliveries.
import { performance } from 'node:perf_hooks';
import { run } from '#engine/loop.ts';
import { webhooksLoop } from '#engine/webhooks/index.ts';
import { sleep } from '#platform/clock.ts';
import { configOfProcess } from '#platform/config.ts';
import { record } from '#resources/events/index.ts';
import { createWebhook } from '#resources/webhooks/create-webhook.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { liveWorld } from '#roles/live-world.ts';
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Ctx, actingFor } from '#world/ctx.ts';
import { serve } from './child.ts';

const { world, close } = await liveWorld(configOfProcess());
const DATA = { object: 'contact', email: 'somebody@example.com', attributes: { company: 'x'.repeat(600) }, lead_status: null };
let ctx: Ctx;

type Scene = { port: number; paths: string[]; events: number };

/** A tenant of its own with verified endpoints, and events that nobody has been told yet. */
async function prepare({ port, paths, events }: Scene): Promise<void> {
  const { workspaceId } = await createWorkspace(world, { name: 'webhooks' });
  ctx = actingFor(world, workspaceId, 'test');
  for (const path of paths) {
    await inTransaction(ctx, (inside) => createWebhook(inside, { url: `http://127.0.0.1:${port}/${path}`, enabled_events: ['*'] }));
  }
  await rowsOf(world.db, 'update webhook_endpoints set verified_at = $1 where workspace_id = $2', [ctx.now, workspaceId]);
  await rowsOf(world.db, 'delete from webhook_deliveries where workspace_id = $1', [workspaceId]);
  for (let told = 0; told < events; told += 1_000) {
    const names = Array.from({ length: Math.min(1_000, events - told) }, (_, i) => `con_${told + i}`);
    await inTransaction(ctx, async (inside) =>
      record(inside, ...names.map((name) => ({ type: 'contact.created' as const, resourceId: name, data: { ...DATA, id: name } }))),
    );
  }
}

const OPEN = `
  select exists (select 1 from webhook_endpoints e join event_counters c on c.workspace_id = e.workspace_id and c.mode = e.mode
                  where e.workspace_id = $1 and e.taken_sequence < c.last_sequence)
      or exists (select 1 from webhook_deliveries where workspace_id = $1 and status = 'pending') as open`;

/** Deliver until nothing is left. `heap`: what the process held at least in each third of the time (MB), which is what no collection frees. */
async function drain(): Promise<{ seconds: number; succeeded: number; heap: number[] }> {
  const heap: number[] = [];
  const ending = new AbortController();
  const loop = webhooksLoop(world);
  const started = performance.now();
  const ended = run(world, [loop], ending.signal);
  for (;;) {
    const [row] = await rowsOf<{ open: boolean }>(world.db, OPEN, [ctx.workspaceId]);
    if (!row!.open) break;
    heap.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
    await sleep(world.clock, 10);
  }
  const seconds = (performance.now() - started) / 1000;
  ending.abort();
  await ended;
  const [row] = await rowsOf<{ count: number }>(
    world.db,
    `select count(*) from webhook_deliveries where workspace_id = $1 and status = 'succeeded'`,
    [ctx.workspaceId],
  );
  const third = Math.ceil(heap.length / 3);
  return { seconds, succeeded: row!.count, heap: [0, 1, 2].map((nth) => Math.min(...heap.slice(nth * third, (nth + 1) * third))) };
}

/** Tell `perSecond` events a second for some time while deliveries run. */
async function steady({ seconds, perSecond }: { seconds: number; perSecond: number }): Promise<void> {
  const ending = new AbortController();
  const ended = run(world, [webhooksLoop(world)], ending.signal);
  for (let told = 0; told < seconds * perSecond; told++) {
    const now = actingFor(world, ctx.workspaceId, 'test');
    await inTransaction(now, async (inside) => record(inside, { type: 'contact.created', resourceId: `con_${told}`, data: DATA }));
    await sleep(world.clock, 1000 / perSecond);
  }
  await sleep(world.clock, 1_000);
  ending.abort();
  await ended;
}

serve({ prepare, drain, steady }, close);
