import { Refusal } from '#platform/refusal.ts';
import {
  type ContactImportRow,
  type Rows,
  beginImport,
  endImport,
  fileOf,
  giveBack,
  importChunk,
  rowsOf,
  wishesOf,
} from '#resources/contact-imports/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { actingAtItsTime } from '#world/workspace-time.ts';

/** Each chunk renews it. A worker that cannot bring a chunk in this time is no help. */
export const LEASE_MS = 60_000;
/** Rows of a commit: a few tens of milliseconds, in which others of the workspace wait to tell their events. */
const CHUNK = 1_000;
const MAX_ATTEMPTS = 5;
const BACK_OFF_MS = 5_000;

/**
 * Carry out an import, from where the last worker left it to its end. First the whole file is looked at: one that is damaged somewhere imports
 * nothing. Throws ImportTakenOver when the fence is no longer ours; gives the import back when `signal` is aborted.
 */
export async function carryOut(world: World, claimed: ContactImportRow, signal: AbortSignal): Promise<void> {
  const ctxNow = () => actingAtItsTime(world, claimed.workspace_id, claimed.mode);
  let job = claimed;
  const file = await fileOf(await ctxNow(), job.id);
  const { mapping = {} } = wishesOf(job);
  try {
    if (job.status === 'queued') job = await beginImport(await ctxNow(), job, await rowsIn(world, file, mapping));
    for await (const rows of ahead(chunksOf(world, file, mapping, job.settled_rows))) {
      if (signal.aborted) return void (await giveBack(await ctxNow(), job, world.clock.wall()));
      job = await importChunk(await ctxNow(), job, rows, new Date(world.clock.wall().getTime() + LEASE_MS));
    }
  } catch (error) {
    // What the file or the mapping is at fault for will not be better the next time.
    if (!(error instanceof Refusal)) throw error;
    return void (await endImport(await ctxNow(), job, { unreadable: error }));
  }
  await endImport(await ctxNow(), job);
}

type Mapping = NonNullable<ReturnType<typeof wishesOf>['mapping']>;

async function rowsIn(world: World, file: Buffer, mapping: Mapping): Promise<number> {
  let count = 0;
  for await (const { total } of rowsOf(world.clock, file, mapping)) count += total;
  return count;
}

/** What `source` gives, the next one made while the one before is used: reading and writing keep two machines busy. */
async function* ahead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    for (let next = source.next(); ;) {
      const { value, done } = await next;
      if (done) return;
      next = source.next();
      // Its fault is met when it is asked for, or by nobody if we are left before.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await source.return(undefined);
  }
}

/** The rows behind the first `settled` of a file, in chunks of about CHUNK. */
async function* chunksOf(world: World, file: Buffer, mapping: Mapping, settled: number): AsyncGenerator<Rows> {
  let chunk: Rows = { total: 0, good: [], faults: [] };
  let seen = 0;
  for await (const rows of rowsOf(world.clock, file, mapping)) {
    seen += rows.total;
    const open = Math.min(rows.total, seen - settled);
    if (open <= 0) continue;
    chunk.total += open;
    chunk.good.push(...rows.good.filter((row) => row.nth > settled));
    chunk.faults.push(...rows.faults.filter((row) => row.nth > settled));
    if (chunk.total < CHUNK) continue;
    yield chunk;
    chunk = { total: 0, good: [], faults: [] };
  }
  if (chunk.total > 0) yield chunk;
}

/** After a fault of ours: try again, later each time; after some times without progress it has failed, and says so. */
export async function leaveFor(world: World, claimed: ContactImportRow): Promise<void> {
  const ctx = actingFor(world, claimed.workspace_id, claimed.mode);
  const dueAt = new Date(ctx.clock.wall().getTime() + BACK_OFF_MS * claimed.attempt_count);
  const left = await giveBack(ctx, claimed, dueAt);
  if (!left || left.attempt_count < MAX_ATTEMPTS) return;
  const broken = new Refusal('internal_error', 'Something went wrong here; rows that were imported stay.');
  await endImport(ctx, left, { broken });
}
