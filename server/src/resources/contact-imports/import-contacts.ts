import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import { attachContacts, audienceById, createAudience } from '#resources/audiences/index.ts';
import { upsertContacts } from '#resources/contacts/index.ts';
import { record } from '#resources/events/index.ts';
import { inTransaction } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Reading, RowFault } from './read-file.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

/** Errors that are kept; `failed_rows` counts all. */
export const MAX_ERRORS = 1_000;

export type Wishes = { audience_id?: string | undefined; audience_name?: string | undefined; on_conflict: 'upsert' | 'skip' };

/**
 * Bring a file that has been read into the contacts and, if wished, into an audience: one commit, all good rows or, when anything breaks,
 * none. Gives the finished job; `failed` means that nothing could be read or imported. Throws resource_missing for an unknown audience.
 */
export function importContacts(ctx: Ctx, reading: Reading, wishes: Wishes): Promise<store.Row> {
  return inTransaction(ctx, async (inside) => {
    if (wishes.audience_id !== undefined) await requireAudience(inside, wishes.audience_id);
    const outcomes = await upsertContacts(inside, reading.rows, { onConflict: wishes.on_conflict === 'skip' ? 'keep' : 'merge' });
    const faults = [...reading.faults];
    const contactIds: string[] = [];
    outcomes.forEach((outcome, index) => {
      const { row, email } = reading.rows[index]!;
      if (outcome instanceof Refusal) faults.push({ row, email, column: null, refusal: outcome });
      else contactIds.push(outcome.row.id);
    });
    const audience = contactIds.length ? await intoAudience(inside, contactIds, wishes) : { id: wishes.audience_id ?? null, created: false };
    const job = await store.insert(inside, jobFor(inside, reading, faults, contactIds.length, audience));
    record(inside, { type: job.status === 'failed' ? 'import.failed' : 'import.completed', resourceId: job.id, data: present(job) });
    return job;
  });
}

/** Throws resource_missing for an audience that this workspace and mode does not know. */
export async function requireAudience(ctx: Ctx, id: string): Promise<void> {
  if (!(await audienceById(ctx, id))) throw new Refusal('resource_missing', 'No such audience.', { param: 'audience_id' });
}

type Audience = { id: string | null; created: boolean };

async function intoAudience(ctx: Ctx, contactIds: readonly string[], { audience_id: known, audience_name: name }: Wishes): Promise<Audience> {
  const id = name === undefined ? known : (await createAudience(ctx, { name, description: null })).id;
  if (id === undefined) return { id: null, created: false };
  await attachContacts(ctx, id, contactIds);
  return { id, created: name !== undefined };
}

function jobFor(ctx: Ctx, reading: Reading, faults: RowFault[], succeeded: number, audience: Audience): store.Row {
  return {
    workspace_id: ctx.workspaceId,
    mode: ctx.mode,
    id: newId(ctx, 'imp', ctx.now),
    status: succeeded > 0 ? 'succeeded' : 'failed',
    total_rows: reading.totalRows,
    succeeded_rows: succeeded,
    failed_rows: faults.length,
    errors: keptErrors(faults, reading.unreadable),
    audience_id: audience.id,
    audience_created: audience.created,
    created_at: ctx.now,
    started_at: ctx.now,
    completed_at: ctx.now,
  };
}

/** The errors to keep, in the order of the file. A file that could not be read has one, on its first row. */
export function keptErrors(faults: readonly RowFault[], unreadable: Refusal | null): store.KeptError[] {
  const all = unreadable ? [{ row: 1, email: '', column: null, refusal: unreadable }] : [...faults].sort((a, b) => a.row - b.row);
  return all.slice(0, MAX_ERRORS).map(({ row, email, column, refusal }) => ({ row, email, column, code: refusal.code, message: refusal.message }));
}
