// The whole service on a database of its own, with a clock that you hold and a seed that you choose. Tests talk to it through the SDK.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Postrider } from '@postrider/sdk';
import { type Clock, systemClock } from '#platform/clock.ts';
import { configFrom } from '#platform/config.ts';
import { egress } from '#platform/egress.ts';
import { logTo } from '#platform/log.ts';
import { seeded } from '#platform/random.ts';
import { secretBox } from '#platform/secretbox.ts';
import { mailboxOpener } from '#mail/imap/index.ts';
import { type SmtpConnectorOptions, smtpConnector } from '#mail/smtp/index.ts';
import { connect, inTransaction } from '#store/db.ts';
import { campaignsLoop } from '#engine/campaigns/index.ts';
import type { CrashHook } from '#engine/crash.ts';
import { housekeepingLoop } from '#engine/housekeeping/index.ts';
import { inboundLoop } from '#engine/inbound/index.ts';
import { reconcilerLoop, sendingLoop } from '#engine/sending/index.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { authenticate, createApiKey } from '#resources/api-keys/index.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { createApp } from '#web/app.ts';
import { type Ctx, type Mode, type Scope, type World, actingFor } from '#world/ctx.ts';
import { testCa } from './certs/certs.ts';
import { freshDatabase } from './database.ts';

export type HouseOptions = {
  seed?: number;
  /** Where the calendar stands at first: a Monday morning unless told otherwise. */
  start?: string;
  env?: Record<string, string>;
  deadlines?: SmtpConnectorOptions['deadlines'];
  crash?: CrashHook;
};

export type House = Awaited<ReturnType<typeof house>>;

/** Build one. `await using` takes it down. */
export async function house({ seed = 1, start = '2030-01-07T09:00:00Z', env = {}, deadlines, crash }: HouseOptions = {}) {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'postrider-house-'));
  const config = configFrom({ DATA_DIR: folder, LOG_LEVEL: 'silent', BASE_URL: 'http://house.test', RATE_LIMIT_PER_SECOND: '1000000', RATE_LIMIT_BURST: '1000000', ...env });
  const lines: string[] = [];
  const log = logTo(env['LOG_LEVEL'] ?? 'warn', { write: (line) => void lines.push(line) });
  const machine = systemClock();
  let now = Date.parse(start);
  const clock: Clock = { ...machine, now: () => new Date(now), wall: () => new Date(now) };
  const random = seeded(seed);
  const out = egress({ allowPrivate: true, extraCa: [testCa] }, clock);
  const mail = {
    connectSmtp: smtpConnector({ egress: out, clock, clientName: 'house.test', ...(deadlines && { deadlines }) }),
    openMailbox: mailboxOpener({ egress: out, clock, log, limits: { connectMs: 5_000, operationMs: 5_000 } }),
  };
  const db = connect(database.url, { log, max: 10 });
  const box = secretBox([{ id: 'k1', key: Buffer.alloc(32, seed) }], random);
  const world: World = { clock, random, config, log, box, db, mail };
  const app = createApp(world, allRoutes, { authenticate });
  const workspaces = new Map<string, string>();

  const workspace = async (name: string) => {
    const known = workspaces.get(name);
    if (known) return known;
    const { workspaceId } = await createWorkspace(world, { name });
    workspaces.set(name, workspaceId);
    return workspaceId;
  };

  const inject = async (url: string, init: { method: string; headers: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> }) => {
    const answer = await app.inject({
      method: init.method as 'GET',
      url: url.replace('http://house.test', ''),
      headers: init.headers,
      ...(init.body !== undefined && { payload: typeof init.body === 'string' ? init.body : Buffer.from(init.body) }),
    });
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    return new Response(answer.rawPayload.length ? new Uint8Array(answer.rawPayload) : null, { status: answer.statusCode, headers });
  };

  let keys = 0;
  type Who = { scope?: Scope; mode?: Mode; workspace?: string; autoConfirm?: boolean };
  const secretFor = async ({ scope = 'admin', mode = 'test', workspace: name = 'one', autoConfirm = false }: Who) => {
    const workspaceId = await workspace(name);
    const wanted = { name: `key ${++keys}`, scope, mode, auto_confirm: autoConfirm };
    const acting = actingFor(world, workspaceId, mode);
    return (await inTransaction(acting, (inside) => createApiKey(inside, wanted))).secret;
  };
  let calls = 0;
  const api = async (who: Who = {}) =>
    new Postrider({
      apiKey: await secretFor(who),
      baseUrl: 'http://house.test',
      fetch: inject,
      timeoutMs: 0,
      maxRetries: 0,
      sleep: async () => {},
      idempotencyKey: () => `call-${seed}-${++calls}`,
    });

  const journalFolder = join(folder, 'journal');
  const sending = await sendingLoop(world, { processId: 'house.1.1', journalFolder, ...(crash && { crash }) });
  const campaigns = campaignsLoop(world);
  const inbound = inboundLoop(world, { processId: 'house.1.1', ...(crash && { crash }) });
  const reconciler = reconcilerLoop(world, { processId: 'house.1.1', journalFolder, isAlive: (id) => id === 'house.1.1' });
  const housekeeping = housekeepingLoop(world);

  /** Carry out everything that is due at this moment of the calendar. */
  const settle = async () => {
    await housekeeping.step();
    await inbound.step();
    await inbound.idle();
    while (await reconciler.step());
    for (let round = 0; round < 50; round++) {
      const planned = await campaigns.step();
      await sending.step();
      const busy = sending.lanes() > 0;
      await sending.idle();
      if (!planned && !busy) break;
    }
  };

  const close = async () => {
    await app.close();
    await sending.close?.();
    await inbound.close?.();
    await db.destroy();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  };

  return {
    world,
    db,
    app,
    lines,
    databaseUrl: database.url,
    journalFolder,
    api,
    secretFor,
    /** To call verbs directly. */
    ctx: async ({ mode = 'test' as Mode, workspace: name = 'one' } = {}): Promise<Ctx> => actingFor(world, await workspace(name), mode),
    now: () => new Date(now),
    /** Move the calendar on; nothing runs by itself. */
    tick: (ms: number) => void (now += ms),
    settle,
    /** Move on in steps, carrying out what falls due at each. */
    async run(ms: number, stepMs = 60_000) {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, now + stepMs);
        await settle();
      }
    },
    sending,
    campaigns,
    inbound,
    reconciler,
    close,
    [Symbol.asyncDispose]: close,
  };
}
