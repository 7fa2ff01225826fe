import { newId } from '#platform/ids.ts';
import { record } from '#resources/events/index.ts';
import { inTransaction } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import { type Wishes, bring, keptErrors, requireAudience, unreadableError } from './bring.ts';
import type { Reading } from './read-file.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

/**
 * Bring a file that has been read into the contacts and, if wished, into an audience: one commit, all good rows or, when anything breaks,
 * none. Gives the finished job; `failed` means that nothing could be read or imported. Throws resource_missing for an unknown audience.
 */
export function importContacts(ctx: Ctx, reading: Reading, wishes: Wishes): Promise<store.Row> {
  return inTransaction(ctx, async (inside) => {
    await requireAudience(inside, wishes);
    const { succeeded, faults, audience } = await bring(inside, reading.good, wishes, { id: wishes.audience_id ?? null, created: false });
    const job = await store.insert(inside, {
      ...newJob(inside),
      status: succeeded > 0 ? 'succeeded' : 'failed',
      total_rows: reading.total,
      succeeded_rows: succeeded,
      failed_rows: reading.total - succeeded,
      errors: reading.unreadable ? [unreadableError(reading.unreadable)] : keptErrors([...reading.faults, ...faults]),
      audience_id: audience.id,
      audience_created: audience.created,
      settled_rows: reading.total,
      started_at: inside.now,
      completed_at: inside.now,
    });
    tellEnded(inside, job);
    return job;
  });
}

/** Keep a file that is too large for the call: a worker carries it out. Throws resource_missing for an unknown audience. */
export function queueImport(ctx: Ctx, file: Buffer, wishes: Wishes): Promise<store.Row> {
  return inTransaction(ctx, async (inside) => {
    await requireAudience(inside, wishes);
    const job = await store.insert(inside, {
      ...newJob(inside),
      audience_id: wishes.audience_id ?? null,
      wishes: JSON.stringify(wishes),
      due_at: inside.clock.wall(),
    });
    await store.insertFile(inside, job.id, file);
    return job;
  });
}

const newJob = (ctx: Ctx): store.Row => ({
  workspace_id: ctx.workspaceId,
  mode: ctx.mode,
  id: newId(ctx, 'imp', ctx.now),
  status: 'queued',
  total_rows: 0,
  succeeded_rows: 0,
  failed_rows: 0,
  errors: [],
  audience_id: null,
  audience_created: false,
  wishes: null,
  due_at: null,
  lease_holder: null,
  leased_until: null,
  fence: 0,
  attempt_count: 0,
  settled_rows: 0,
  created_at: ctx.now,
  started_at: null,
  completed_at: null,
});

/** Tell that an import is over. */
export function tellEnded(ctx: Ctx, job: store.Row): void {
  record(ctx, { type: job.status === 'failed' ? 'import.failed' : 'import.completed', resourceId: job.id, data: present(job) });
}
