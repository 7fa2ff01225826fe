// The API on a database of its own with a clock that stands still, called by hand and answered in raw JSON: for what an SDK would not send.
import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { logTo } from '#platform/log.ts';
import { seeded } from '#platform/random.ts';
import { secretBox } from '#platform/secretbox.ts';
import { authenticate } from '#resources/api-keys/index.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { connect, rowsOf } from '#store/db.ts';
import { createApp } from '#web/app.ts';
import { type Ctx, type Mode, type World, actingFor } from '#world/ctx.ts';
import { freshDatabase } from './database.ts';
import { watchAnswers } from './watch.ts';

/** An answer as it came: the fields that tests reach into have types, without proof; the assertions are the proof. */
export type Answered = { status: number; body: Body; headers: Record<string, unknown> };
export type Body = {
  [field: string]: unknown;
  id: string;
  email: string;
  secret: string;
  data: Body[];
  created: Body[];
  errors: Body[];
  steps: Body[];
  variants: Body[];
  attributes: Record<string, unknown>;
  error: { code: string; param: string; message: string; resource_id: string };
};
type Told = { type: string; resource_id: string; data: Body; previous: Body };
type How = { key?: string; idem?: string; type?: string };

export type Desk = AsyncDisposable & {
  world: World;
  app: FastifyInstance;
  /** Secrets: admin keys of two workspaces. */
  keys: Record<'test' | 'live' | 'otherTest' | 'otherLive', string>;
  /** Let time pass. */
  pass(ms: number): void;
  /** `call('POST /v1/contacts', body)` as the first workspace's test key, or another. */
  call(line: string, body?: unknown, how?: How): Promise<Answered>;
  /** What was told since the last question, oldest first. */
  told(): Promise<Told[]>;
  count(table: string): Promise<number>;
  ctx(mode?: Mode): Ctx;
};

const NO_HTTP: World['http']['test'] = { post: () => Promise.resolve({ fault: 'refused' }), close: () => Promise.resolve() };

/** Open a desk; the first workspace is on `plan`. */
export async function desk(plan: 'pro' | 'hyper' = 'hyper'): Promise<Desk> {
  const database = await freshDatabase();
  let now = Date.parse('2026-11-21T09:00:00.000Z');
  const clock: Clock = { ...systemClock(), now: () => new Date(now), wall: () => new Date(now) };
  const random = seeded(7);
  const log = logTo('fatal');
  const world: World = {
    clock,
    random,
    log,
    config: configFrom({ RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000' }),
    box: secretBox([{ id: 'k', key: Buffer.alloc(32, 1) }], random),
    db: connect(database.url, { log, max: 8 }),
    mail: { connectSmtp: () => Promise.reject(new Error('No mail here.')), openMailbox: () => Promise.reject(new Error('No mail here.')) },
    http: { live: NO_HTTP, test: NO_HTTP },
  };
  const one = await createWorkspace(world, { name: 'One', plan });
  const other = await createWorkspace(world, { name: 'Other' });
  const app = createApp(world, allRoutes, { authenticate });
  const watch = watchAnswers(app, allRoutes);
  const keys = { test: one.testKey, live: one.liveKey, otherTest: other.testKey, otherLive: other.liveKey };
  let heard = 0;
  return {
    world,
    app,
    keys,
    pass: (ms) => void (now += ms),
    call: (line, body, how = {}) => callOn(app, line, body, { key: keys.test, ...how }),
    async told() {
      const rows = await rowsOf<Told>(
        world.db,
        'select type, resource_id, data, previous from events order by workspace_id, mode, sequence offset $1',
        [heard],
      );
      heard += rows.length;
      return rows;
    },
    count: async (table) => (await rowsOf<{ count: number }>(world.db, `select count(*) from ${table}`, []))[0]!.count,
    ctx: (mode = 'test') => actingFor(world, one.workspaceId, mode),
    async [Symbol.asyncDispose]() {
      await app.close();
      await world.db.destroy();
      await database.drop();
      watch.close();
    },
  };
}

async function callOn(app: FastifyInstance, line: string, body: unknown, { key, idem, type = 'application/json' }: How): Promise<Answered> {
  const [method, url] = line.split(' ') as ['GET' | 'POST' | 'PATCH' | 'DELETE', string];
  const headers = {
    authorization: `Bearer ${key}`,
    ...(idem === undefined ? {} : { 'idempotency-key': idem }),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
  const payload = body === undefined ? {} : { payload: type === 'application/json' ? JSON.stringify(body) : (body as string | Buffer) };
  const reply = await app.inject({ method, url, headers, ...payload });
  return { status: reply.statusCode, body: JSON.parse(reply.body) as Body, headers: reply.headers };
}
