import { newId } from '#platform/ids.ts';
import { type Db, beforeCommit, rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import type { EventType } from './catalog.ts';

/** One thing that happened. `data` is the GET body of the resource at that moment, with the catalogue's keys merged in. */
export type Happening = {
  type: EventType;
  resourceId: string;
  data: object;
  /** Prior values of changed fields. */
  previous?: object | undefined;
  /** The metadata of the send that this goes back to. */
  metadata?: object | null | undefined;
};

type Pending = Happening & { id: string; workspaceId: string; mode: string; at: Date };
const PENDING = new WeakMap<Db, Pending[]>();

/**
 * Write events in the caller's transaction: they are there exactly when their cause is. They get their gap-free sequence in the
 * transaction's last statement, because the counter row is the one lock that every transaction of a workspace wants.
 */
export function record(ctx: Ctx, ...happenings: Happening[]): void {
  const known = PENDING.get(ctx.db);
  const pending = known ?? [];
  if (!known) {
    PENDING.set(ctx.db, pending);
    beforeCommit(ctx.db, () => write(ctx.db, pending));
  }
  for (const one of happenings) {
    pending.push({ ...one, id: newId(ctx, 'evt', ctx.now), workspaceId: ctx.workspaceId, mode: ctx.mode, at: ctx.now });
  }
}

const WRITE = `
  with happened as (
    select *, row_number() over tenant as nth, count(*) over (partition by workspace_id, mode) as total
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::jsonb[], $9::timestamptz[])
           with ordinality as t (workspace_id, mode, id, type, resource_id, data, previous, metadata, created_at, place)
    window tenant as (partition by workspace_id, mode order by place)
  ), counted as (
    insert into event_counters (workspace_id, mode, last_sequence)
    select distinct workspace_id, mode, total from happened order by workspace_id, mode
    on conflict (workspace_id, mode) do update set last_sequence = event_counters.last_sequence + excluded.last_sequence
    returning workspace_id, mode, last_sequence
  )
  insert into events (workspace_id, mode, id, sequence, type, resource_id, data, previous, metadata, created_at)
  select workspace_id, mode, id, last_sequence - total + nth, type, resource_id, data, previous, metadata, created_at
    from happened join counted using (workspace_id, mode)`;

async function write(db: Db, pending: readonly Pending[]): Promise<void> {
  // What another last act still tells gets a writing of its own.
  PENDING.delete(db);
  // In order, so that lists show what one transaction tells in the order in which it was told.
  const ids = pending.map((one) => one.id).sort();
  const text = (value: object | null | undefined) => (value === undefined || value === null ? null : JSON.stringify(value));
  await rowsOf(db, WRITE, [
    pending.map((one) => one.workspaceId),
    pending.map((one) => one.mode),
    ids,
    pending.map((one) => one.type),
    pending.map((one) => one.resourceId),
    pending.map((one) => text(one.data)),
    pending.map((one) => text(one.previous)),
    pending.map((one) => text(one.metadata)),
    pending.map((one) => one.at),
  ]);
}
