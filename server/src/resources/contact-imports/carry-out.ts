// The parts of an import that waits, each one commit: begun, brought chunk by chunk, ended. Whoever carries them out holds a fence.
import { inTransaction } from '#store/db.ts';
import type { Refusal } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { type Wishes, bring, keptErrors, unreadableError } from './bring.ts';
import { tellEnded } from './import-contacts.ts';
import { MAX_ERRORS, type Rows } from './read-file.ts';
import * as store from './store.ts';

/** Another worker has taken this import over: nothing of the transaction that noticed it was written. */
export class ImportTakenOver extends Error {
  override name = 'ImportTakenOver';
}

const mine = (row: store.Row | undefined): store.Row => {
  if (!row) throw new ImportTakenOver('Another worker carries out this import.');
  return row;
};

export const wishesOf = (job: store.Row) => job.wishes as Wishes;

/** The file can be read and has `total` rows: it is being processed. */
export const beginImport = async (ctx: Ctx, job: store.Row, total: number): Promise<store.Row> =>
  mine(await store.saveMine(ctx, job, { status: 'processing', total_rows: total, started_at: job.started_at ?? ctx.now }));

/** Bring a chunk of rows, with their events, memberships and the job's progress, in one commit; `leasedUntil` keeps the lease. */
export function importChunk(ctx: Ctx, job: store.Row, rows: Rows, leasedUntil: Date): Promise<store.Row> {
  return inTransaction(ctx, async (inside) => {
    const brought = await bring(inside, rows.good, wishesOf(job), { id: job.audience_id, created: job.audience_created });
    const errors = [...(job.errors as store.KeptError[]), ...keptErrors([...rows.faults, ...brought.faults])].slice(0, MAX_ERRORS);
    return mine(
      await store.saveMine(inside, job, {
        settled_rows: job.settled_rows + rows.total,
        succeeded_rows: job.succeeded_rows + brought.succeeded,
        failed_rows: job.failed_rows + rows.total - brought.succeeded,
        ...(errors.length > (job.errors as store.KeptError[]).length && { errors: JSON.stringify(errors) }),
        audience_id: brought.audience.id,
        audience_created: brought.audience.created,
        // One, and not none: this time counts.
        attempt_count: 1,
        leased_until: leasedUntil,
      }),
    );
  });
}

/** All rows are settled, or none will be (`unreadable`, or `broken` by a fault of ours): tell it and let go of the file. */
export function endImport(ctx: Ctx, job: store.Row, { unreadable, broken }: { unreadable?: Refusal; broken?: Refusal } = {}): Promise<store.Row> {
  const why = unreadable ?? broken;
  return inTransaction(ctx, async (inside) => {
    const ended = mine(
      await store.saveMine(inside, job, {
        status: why || job.succeeded_rows === 0 ? 'failed' : 'succeeded',
        ...(why && { errors: JSON.stringify([unreadableError(why), ...(job.errors as store.KeptError[])].slice(0, MAX_ERRORS)) }),
        started_at: job.started_at ?? inside.now,
        completed_at: inside.now,
        due_at: null,
        wishes: null,
        lease_holder: null,
        leased_until: null,
      }),
    );
    await store.removeFile(inside, job.id);
    tellEnded(inside, ended);
    return ended;
  });
}
