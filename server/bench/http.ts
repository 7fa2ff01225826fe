// `npm run bench -- --http`: what the API costs over its own SQL, how creates gather, and what a million planned sends cost a claim.
import { performance } from 'node:perf_hooks';
import { rowsOf } from '#store/db.ts';
import { type ClaimWish, claimSends, leaseInboxes } from '#engine/sending/claim.ts';
import type { World } from '#world/ctx.ts';
import { begin } from './child.ts';
import type { Order } from './load.ts';
import { median } from './results.ts';
import { type Tenant, campaignOf, tenant } from './seed.ts';

type Ratio = { name: string; goal: number; rounds: { limit: number; ours: number }[] };
const [POSTS, GETS, INSERTS] = [1_500, 3_000, 6_000];
const DUE = 1_000;

/** Measure, and give the table. */
export async function httpTable(world: World, env: Record<string, string>, rounds: number, future: number): Promise<string> {
  const who = await tenant(world, 1, 8);
  const [api, bare, load] = [await begin('api.ts', env), await begin('bare.ts', env), await begin('load.ts', env)];
  await bare.ask('serve', who.ctx.workspaceId);
  const urls = { limit: await bare.ask<string>('url'), ours: await api.ask<string>('url') };
  const run = async (side: 'limit' | 'ours', count: number, inFlight: number, ids: string[] = []) => {
    const order: Order = { url: urls[side], key: who.liveKey, count, inFlight, inboxIds: who.inboxIds, ids };
    const { seconds, ids: made } = await load.ask<{ seconds: number; ids: string[] }>('load', order);
    return { perSecond: count / seconds, made };
  };
  const { made: ids } = await run('ours', 400, 32);
  for (const side of ['limit', 'ours'] as const) await run(side, 400, 32).then(() => run(side, 1_000, 32, ids));
  const ratios: Record<'post' | 'get' | 'create' | 'send' | 'claim', Ratio> = {
    post: { name: 'POST /v1/sends, 32 in flight: node:http with the same SQL', goal: 0.65, rounds: [] },
    get: { name: 'GET /v1/sends/{id}, 32 in flight: node:http with the same SQL', goal: 0.6, rounds: [] },
    create: { name: 'POST /v1/contacts without HTTP, 64 in flight: 16 clients that insert single rows', goal: 1, rounds: [] },
    send: { name: 'POST /v1/sends with HTTP, 64 in flight: the same single rows', goal: 1, rounds: [] },
    claim: { name: `claims with ${future} sends planned: with none`, goal: 0.9, rounds: [] },
  };
  for (let round = 0; round < rounds; round++) {
    ratios.post.rounds.push({ limit: (await run('limit', POSTS, 32)).perSecond, ours: (await run('ours', POSTS, 32)).perSecond });
    ratios.get.rounds.push({ limit: (await run('limit', GETS, 32, ids)).perSecond, ours: (await run('ours', GETS, 32, ids)).perSecond });
    const { seconds } = await bare.ask<{ seconds: number }>('inserts', { count: INSERTS, clients: 16 });
    const limit = INSERTS / seconds;
    const made = await bare.ask<{ seconds: number }>('creates', { count: INSERTS, callers: 64 });
    ratios.create.rounds.push({ limit, ours: INSERTS / made.seconds });
    ratios.send.rounds.push({ limit, ours: (await run('ours', POSTS * 2, 64)).perSecond });
  }
  for (const child of [load, bare, api]) await child.stop();
  ratios.claim.rounds = await claims(world, rounds, future);
  return tableOf(Object.values(ratios));
}

/** Claims a second, without planned sends and with them, each on a tenant of its own. */
async function claims(world: World, rounds: number, future: number) {
  const [none, many] = [await tenant(world, 1, 4), await tenant(world, 1, 4)];
  const limits: number[] = [];
  for (let round = 0; round < rounds; round++) limits.push(await claimed(world, none));
  await plan(world, many, future);
  const found: { limit: number; ours: number }[] = [];
  for (const limit of limits) found.push({ limit, ours: await claimed(world, many) });
  return found;
}

let people = 0;

async function claimed(world: World, who: Tenant): Promise<number> {
  await campaignOf(who, DUE, people);
  people += DUE;
  await rowsOf(world.db, 'analyze sends', []);
  const started = performance.now();
  let count = 0;
  for (;;) {
    const inboxes = (await leaseInboxes(world, 'bench', 100)).filter((inbox) => inbox.workspace_id === who.ctx.workspaceId);
    const wishes: ClaimWish[] = inboxes.map((inbox) => ({ inbox, limit: 25 }));
    const taken = (await claimSends(world, wishes, 'bench')).flat().length;
    await rowsOf(world.db, 'update inboxes set leased_until = null where workspace_id = $1', [who.ctx.workspaceId]);
    if (taken === 0) break;
    count += taken;
  }
  if (count !== DUE) throw new Error(`${count} sends were claimed, not ${DUE}.`);
  return count / ((performance.now() - started) / 1000);
}

/** Sends of next year, as many as a large service has. */
async function plan(world: World, { ctx, inboxIds }: Tenant, count: number): Promise<void> {
  const text = `
    insert into sends (workspace_id, id, mode, inbox_id, to_email, to_email_key, subject, state, rfc822_message_id, thread_references, is_reply,
                       attempt_count, scheduled_at, created_at, due_at, fence)
    select $1, 'snd_' || n, $2, ($3::text[])[1 + n % cardinality($3::text[])], 'p' || n, 'p' || n, 's', 'scheduled', 'm' || n, '{}', false, 0,
           $4::timestamptz + interval '1 year', $4, $4::timestamptz + interval '1 year' + n * interval '1 second', 0
      from generate_series($5::int, $6::int) n`;
  const at = world.clock.now();
  for (let from = 1; from <= count; from += 50_000) {
    await rowsOf(world.db, text, [ctx.workspaceId, ctx.mode, inboxIds, at, from, Math.min(count, from + 49_999)]);
  }
}

function tableOf(ratios: Ratio[]): string {
  const lines = ratios.map(({ name, goal, rounds }) => {
    const [ours, limit] = [median(rounds.map((one) => one.ours)), median(rounds.map((one) => one.limit))];
    const each = rounds.map((one) => one.ours / one.limit);
    const spread = `${Math.min(...each).toFixed(2)}–${Math.max(...each).toFixed(2)}`;
    return `| ${[name, Math.round(ours), Math.round(limit), median(each).toFixed(2), spread, `≥ ${goal}`].join(' | ')} |`;
  });
  return ['| what: beside what | a second | limit | ratio | rounds | goal |', '|---|---|---|---|---|---|', ...lines].join('\n');
}
