// How long the API takes to answer while a worker imports a large file, beside how long it takes when nothing else is at work.
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { importById, queueImport } from '#resources/contact-imports/index.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { sleep, systemClock } from '#platform/clock.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import { begin } from './child.ts';
import { fileOf } from './import.bench.ts';

/** A caller asks this often, whatever becomes of the calls before. */
const EVERY_MS = 20;
const IDLE_MS = 10_000;

export type Waits = { idle: number[]; beside: number[] };

/** Milliseconds of each call, reads and writes in turn: first alone, then from an import's first row to its last. */
export async function waitsOf(world: World, env: Record<string, string>, rows: number): Promise<Waits> {
  const { workspaceId, liveKey } = await createWorkspace(world, { name: 'Beside' });
  const ctx = actingFor(world, workspaceId, 'live');
  const [api, worker] = [await begin('api.ts', env), await begin('worker.ts', env)];
  const url = await api.ask<string>('url');
  const deadline = (ms: number) => {
    const end = performance.now() + ms;
    return async () => performance.now() < end;
  };
  await calls(url, liveKey, deadline(IDLE_MS / 4));
  const idle = await calls(url, liveKey, deadline(IDLE_MS));
  const job = await queueImport(ctx, fileOf(rows), { on_conflict: 'upsert', audience_name: 'Everybody' });
  const beside = await calls(url, liveKey, () => isAtWork(ctx, job.id));
  for (const child of [worker, api]) await child.stop();
  return { idle, beside };
}

async function isAtWork(ctx: Ctx, id: string): Promise<boolean> {
  const job = await importById(ctx, id);
  if (job?.status === 'failed') throw new Error('The import failed.');
  return job?.status !== 'succeeded';
}

let people = 0;

async function calls(url: string, key: string, goesOn: () => Promise<boolean>): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const waits: number[] = [];
  const under = new Set<Promise<unknown>>();
  for (let nth = 0; nth % 25 !== 0 || (await goesOn()); nth++) {
    const started = performance.now();
    const one = call(agent, url, key, nth).then(() => waits.push(performance.now() - started));
    under.add(one);
    void one.finally(() => under.delete(one));
    await sleep(systemClock(), EVERY_MS);
  }
  await Promise.all(under);
  agent.destroy();
  return waits;
}

function call(agent: Agent, url: string, key: string, nth: number): Promise<void> {
  const body = nth % 2 ? '' : JSON.stringify({ email: `beside${people++}@example.org` });
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }) };
  return new Promise((resolve, reject) => {
    const target = new URL(body ? '/v1/contacts' : '/v1/contacts?limit=10', url);
    const sent = request(target, { agent, method: body ? 'POST' : 'GET', headers }, (answer) => {
      answer.resume().on('error', reject);
      answer.on('end', () => (answer.statusCode === (body ? 201 : 200) ? resolve() : reject(new Error(`The API answered ${answer.statusCode}.`))));
    });
    sent.on('error', reject).end(body);
  });
}
