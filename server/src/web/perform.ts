// The one way in which a mutation happens: keys, handler and kept answers in one transaction.
import { Refusal } from '#platform/refusal.ts';
import { type Db, inTransaction, isConnectionLost } from '#store/db.ts';
import type { Ctx, World } from '#world/ctx.ts';
import { envelopeOf } from './envelope.ts';
import { gathererByGroup } from './gather.ts';
import { type Claim, type Kept, type Reply, begin, keep } from './idempotency.ts';
import type { Misfit } from './read.ts';
import type { Answer, Input, Route } from './route.ts';

/** One call that may begin: read, checked and allowed. */
export type Job = { ctx: Ctx; input: Input; requestId: string; claim: Claim | undefined };

const MAX_BATCH = 200;
const CONCURRENCY = 2;

/** How the calls of a route are carried out. The answer settles after the commit; it rejects with the Refusal or the error of that call. */
export function performer(world: World, route: Route, baseUrl: string): (job: Job) => Promise<Reply> {
  const { handle, handleAll, isApart, prepare } = route;
  const together = (jobs: readonly Job[]) => performTogether({ world, route, baseUrl }, jobs);
  const groupOf = ({ ctx }: Job) => `${ctx.workspaceId}|${ctx.mode}`;
  if (handleAll) {
    const gathered = gathererByGroup({ maxBatch: MAX_BATCH, concurrency: CONCURRENCY, groupOf, run: together });
    // One by one, and not so many at a time that they keep others from the database.
    const apart = gathererByGroup({ maxBatch: 1, concurrency: CONCURRENCY, groupOf, run: together });
    return (job) => (isApart?.(job.input) ? apart(job) : gathered(job));
  }
  if (!handle) throw new Error(`${route.method} ${route.path} has no handler.`);
  if (route.method === 'GET') return async ({ ctx, input }) => replyOf(await handle(ctx, input));
  return async (job) => {
    const [done] = await (prepare ? performPrepared({ world, route, baseUrl }, prepare, job) : together([job]));
    if (done instanceof Error) throw done;
    return done!;
  };
}

type Means = { world: World; route: Route; baseUrl: string };
const replyOf = ({ status, body }: Answer): Reply => ({ status, text: JSON.stringify(body) });

async function performPrepared(means: Means, prepare: NonNullable<Route['prepare']>, job: Job): Promise<(Reply | Error)[]> {
  const { world } = means;
  // A replay must not talk to the mail server again.
  const [known] = job.claim ? await begin(job.ctx.db, [job.claim], world.clock.wall()) : [];
  if (known) return [known];
  try {
    job.input.prepared = await prepare(job.ctx, job.input);
  } catch (error) {
    return [await refused(means, job, error)];
  }
  return performTogether(means, [job]);
}

/** Jobs in one transaction; when that fails as a whole, each in its own, so that a poisonous one fails alone. Never rejects for one job's fault. */
async function performTogether(means: Means, jobs: readonly Job[]): Promise<(Reply | Error)[]> {
  try {
    // Jobs that come together are one tenant's.
    return await inTransaction(jobs[0]!.ctx, ({ db }) => within(means, db, jobs));
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    if (jobs.length === 1) return [await refused(means, jobs[0]!, error)];
    const results: (Reply | Error)[] = [];
    for (const job of jobs) results.push(...(await performTogether(means, [job])));
    return results;
  }
}

async function within({ world, route, baseUrl }: Means, db: Db, jobs: readonly Job[]): Promise<(Reply | Error)[]> {
  const at = world.clock.wall();
  const keyed = jobs.filter((job) => job.claim !== undefined);
  const begun = await begin(
    db,
    keyed.map((job) => job.claim!),
    at,
  );
  const known = new Map(keyed.map((job, index) => [job, begun[index]]));
  const fresh = jobs.filter((job) => known.get(job) === undefined);
  const calls = fresh.map((job) => ({ ctx: { ...job.ctx, db }, input: job.input }));
  const outcomes = calls.length === 0 ? [] : route.handleAll ? await route.handleAll(calls) : [await route.handle!(calls[0]!.ctx, calls[0]!.input)];
  if (outcomes.length !== calls.length) throw new Error(`${route.path} answered ${outcomes.length} of ${calls.length} calls.`);
  const kept: Kept[] = [];
  fresh.forEach((job, index) => {
    const outcome = outcomes[index]!;
    if (outcome instanceof Refusal) {
      known.set(job, outcome);
      kept.push(...(job.claim ? keptNo(job.claim, outcome, job.requestId, baseUrl) : []));
    } else {
      const reply = replyOf(outcome);
      known.set(job, reply);
      if (job.claim) kept.push(keptYes(job.claim, outcome.body, reply));
    }
  });
  await keep(db, kept, at);
  return jobs.map((job) => known.get(job)!);
}

function keptYes(claim: Claim, body: unknown, { status, text }: Reply): Kept {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  return { claim, status, text: claim.secret ? null : text, resourceId: typeof id === 'string' ? id : null };
}

/** What is kept of a refusal: nothing, where the same call may well not meet it again. */
function keptNo(claim: Claim, refusal: Refusal, requestId: string, baseUrl: string): [] | [Kept] {
  const { status, text } = envelopeOf(refusal, requestId, baseUrl);
  const passing = status === 401 || status === 403 || status === 429 || status >= 500;
  if (passing || refusal.code === 'confirmation_required' || refusal.code.startsWith('idempotency_')) return [];
  return [{ claim, status, text, resourceId: null }];
}

/**
 * What a call is told whose work threw. A Refusal has undone its transaction, so its answer is kept in one of its own. The first call with this
 * key may have ended between our look-up and our lock: then its answer is the answer, whatever its effect made of ours.
 */
async function refused({ baseUrl }: Means, { ctx, claim, requestId }: Job, error: unknown): Promise<Reply | Error> {
  if (!(error instanceof Refusal)) return error instanceof Error ? error : new Error(String(error));
  if (!claim || error.code.startsWith('idempotency_')) return error;
  return (await keepRefusal(ctx, claim, keptNo(claim, error, requestId, baseUrl))) ?? error;
}

/** Answers a call that did not fit: with what its key has been answered before, or by throwing its refusal, which is kept like a handler's. */
export async function refuse({ ctx, claim, requestId, refusal }: Misfit, baseUrl: string): Promise<Reply> {
  const known = claim && (await keepRefusal(ctx, claim, keptNo(claim, refusal, requestId, baseUrl)));
  if (known === undefined || known instanceof Refusal) throw known ?? refusal;
  return known;
}

/** Answers what the key has been answered before; else keeps the refusal, where it is one to keep. */
async function keepRefusal(ctx: Ctx, claim: Claim, kept: readonly Kept[]): Promise<Reply | Refusal | undefined> {
  const at = ctx.clock.wall();
  return inTransaction(ctx, async ({ db }) => {
    const [known] = await begin(db, [claim], at);
    if (known === undefined) await keep(db, kept, at);
    return known;
  });
}
