// A little service for the tests of this room: real routes over one table of marks.
import pg from 'pg';
import { z } from 'zod';
import { configFrom } from '#platform/config.ts';
import { newId } from '#platform/ids.ts';
import { logTo } from '#platform/log.ts';
import { seeded, systemRandom } from '#platform/random.ts';
import { Refusal } from '#platform/refusal.ts';
import { secretBox } from '#platform/secretbox.ts';
import { connect, rowsOf } from '#store/db.ts';
import { migrate } from '#store/migrate.ts';
import type { Ctx, World } from '#world/ctx.ts';
import type { Principal } from '#world/principal.ts';
import { createApp } from './app.ts';
import { requireConfirmation } from './confirm.ts';
import { created, gatheredRoute, ok, preparedRoute, route } from './route.ts';
import { Email, Id, Line, PageQuery, idParams, listOf } from './wire.ts';

const Mark = z
  .object({ id: Id('con'), object: z.literal('mark'), word: z.string(), kind: z.enum(['plain', 'loud']).default('plain') })
  .meta({ id: 'Mark' });
const NewMark = z.strictObject({
  word: Line(40, 1),
  email: Email.optional(),
  count: z.int().optional(),
  smtp: z.strictObject({ port: z.int().min(1) }).optional(),
  contacts: z.array(z.strictObject({ email: Email })).optional(),
  to: z.union([Email, z.strictObject({ email: Email })]).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
}); // prettier-ignore
const Upload = z.object({ size: z.int(), fields: z.record(z.string(), z.string()), dry_run: z.string() });

export type Demo = Awaited<ReturnType<typeof demo>>;

/** What the routes tell the test, and what the test may hold back. */
const probe = () => ({ batches: [] as number[], prepared: 0, handled: 0, gate: Promise.resolve() });
type Probe = ReturnType<typeof probe>;

async function mark(ctx: Ctx, word: string) {
  const id = newId(ctx, 'con');
  await rowsOf(ctx.db, 'insert into marks (id, workspace_id, word) values ($1, $2, $3)', [id, ctx.workspaceId, word]);
  return { id, object: 'mark' as const, word };
}

const misbehave = (word: string) => {
  if (word === 'refuse') throw new Refusal('campaign_not_ready', 'It is not ready.', { problems: [{ code: 'no_steps' }] });
  if (word === 'forbid') throw new Refusal('plan_limit_reached', 'The plan is full.');
  if (word === 'boom') throw new Error('the password is hunter2');
};

const routesOf = (seen: Probe) => [
  route('GET /v1/marks', { summary: 'List marks.', scope: 'read', query: PageQuery, reply: { 200: listOf(Mark) } }, async (_ctx, { query }) =>
    ok({ object: 'list' as const, data: [], has_more: query.limit === 1, next_cursor: null, prev_cursor: null }),
  ),
  route('POST /v1/marks', { summary: 'Make a mark.', scope: 'write', body: NewMark, reply: { 201: Mark } }, async (ctx, { body }) => {
    seen.handled++;
    const made = await mark(ctx, body.word);
    await seen.gate;
    misbehave(body.word);
    return created(made);
  }),
  route(
    'GET /v1/marks/{id}',
    { summary: 'Retrieve a mark.', scope: 'read', params: idParams({ id: 'con' }), reply: { 200: Mark } },
    async (_ctx, { params }) => ok({ id: params.id, object: 'mark' as const, word: 'found' }),
  ),
  route(
    'DELETE /v1/marks/{id}',
    { summary: 'Delete a mark.', scope: 'admin', confirm: true, params: idParams({ id: 'con' }), reply: { 200: Mark } },
    async (_ctx, { params }) => ok({ id: params.id, object: 'mark' as const, word: 'gone' }),
  ),
  route(
    'POST /v1/marks/{id}/hush',
    { summary: 'Hush a mark.', scope: 'write', confirm: 'at times', params: idParams({ id: 'con' }), reply: { 200: Mark } },
    async (ctx, { params }) => {
      requireConfirmation(ctx);
      return ok({ id: params.id, object: 'mark' as const, word: 'hushed' });
    },
  ),
  route('POST /v1/keys', { summary: 'Make a key.', scope: 'admin', secret: true, body: NewMark, reply: { 201: Mark } }, async (ctx, { body }) =>
    created(await mark(ctx, body.word)),
  ),
  preparedRoute(
    'POST /v1/prepared',
    { summary: 'Make a mark after a look outside.', scope: 'write', body: NewMark, reply: { 201: Mark } },
    async (_ctx, { body }) => {
      seen.prepared++;
      if (body.word === 'unreachable') throw new Refusal('inbox_connection_failed', 'It did not answer.');
      return body.word.toUpperCase();
    },
    async (ctx, { prepared }) => created(await mark(ctx, prepared)),
  ),
  gatheredRoute(
    'POST /v1/gathered',
    { summary: 'Make marks together.', scope: 'write', body: NewMark, reply: { 201: Mark } },
    async (calls) => {
      seen.batches.push(calls.length);
      await seen.gate;
      for (const { input } of calls) if (input.body.word === 'boom') misbehave('boom');
      const rows = calls.map(({ ctx, input }) => ({ id: newId(ctx, 'con'), object: 'mark' as const, word: input.body.word }));
      const [first] = calls;
      const kept = rows.filter((row) => row.word !== 'refuse');
      const columns = [kept.map((row) => row.id), calls.map(() => first!.ctx.workspaceId).slice(0, kept.length), kept.map((row) => row.word)];
      await rowsOf(first!.ctx.db, 'insert into marks (id, workspace_id, word) select * from unnest($1::text[], $2::text[], $3::text[])', columns);
      return rows.map((row) => (row.word === 'refuse' ? new Refusal('campaign_not_ready', 'It is not ready.') : created(row)));
    },
    ({ body }) => body.word.startsWith('apart'),
  ),
  route(
    'POST /v1/uploads',
    { summary: 'Upload.', scope: 'write', upload: true, query: z.strictObject({ dry_run: z.string().default('false') }), reply: { 201: Upload } },
    async (_ctx, { upload, query }) => created({ size: upload!.file.length, fields: upload!.fields, dry_run: query.dry_run }),
  ),
];

/**
 * The service on a database of its own beside `url`, with a clock that `pass` moves.
 * Keys: `<scope>`, `<scope>_auto` (confirms by itself), `<scope>_2` (another workspace).
 */
export async function demo(url: string, { settings = {} }: { settings?: Record<string, string> } = {}) {
  const name = `web_${systemRandom.bytes(8).toString('hex')}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const own = url.replace(/@([^/]*)\/[^?]*/, `@$1/${name}`);
  await migrate(own);
  const lines: string[] = [];
  const log = logTo('info', { write: (line) => void lines.push(line) });
  const db = connect(own, { log });
  await rowsOf(db, 'create table marks (id text primary key, workspace_id text not null, word text not null)', []);
  // The wall takes in the new table.
  await migrate(own);
  const seen = probe();
  const random = seeded(7);
  const time = { ms: Date.UTC(2026, 10, 21) };
  const clock = {
    now: () => new Date(time.ms),
    wall: () => new Date(time.ms),
    monotonic: () => time.ms,
    after: (_ms: number, run: () => void) => (queueMicrotask(run), () => {}),
  };
  const box = secretBox([{ id: 'k1', key: Buffer.alloc(32, 1) }], random);
  const config = configFrom({
    RATE_LIMIT_PER_SECOND: '10', RATE_LIMIT_BURST: '100000', AUTH_FAILURES_PER_MINUTE: '1000000', BASE_URL: 'https://api.example.com', ...settings,
  }); // prettier-ignore
  const world: World = { clock, random, config, log, box, db, mail: {} as World['mail'], http: {} as World['http'] };
  const routes = routesOf(seen);
  const health = { ok: true };
  const app = createApp(world, routes, { authenticate: async (_world, secret) => principalOf(secret), ready: async () => health });
  await app.ready();
  return {
    app, world, routes, db, lines, seen, health,
    pass: (ms: number) => void (time.ms += ms),
    marks: async () => (await rowsOf<{ word: string }>(db, 'select word from marks order by id', [])).map((row) => row.word),
    kept: async () => (await rowsOf<{ count: number }>(db, 'select count(*) as count from idempotency_keys', []))[0]!.count,
    reset: async () => {
      Object.assign(seen, probe());
      await rowsOf(db, 'truncate marks, idempotency_keys', []);
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await db.destroy();
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  }; // prettier-ignore
}

function principalOf(secret: string): Principal | undefined {
  const [, scope, variant] = /^(read|write|admin)(_auto|_2)?$/.exec(secret) ?? [];
  if (scope === undefined) return undefined;
  return {
    workspaceId: variant === '_2' ? 'wsp_two' : 'wsp_one',
    mode: 'test',
    scope: scope as Principal['scope'],
    apiKeyId: null,
    autoConfirm: variant === '_auto',
  };
}
