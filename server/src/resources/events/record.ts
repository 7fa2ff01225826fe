import { newId } from '#platform/ids.ts';
import { type Db, type Statement, beforeCommit, rowsOf } from '#store/db.ts';
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

// The counter first, by as much as is told; then each event under its number, which ends where the counter now stands. Its documents come as lines of
// one text: as elements of an array each of their quotes would have to be escaped here and read again there.
const WRITE = `
  with counted as (
    insert into event_counters (workspace_id, mode, last_sequence)
    select * from unnest($1::text[], $2::text[], $3::bigint[])
    on conflict (workspace_id, mode) do update set last_sequence = event_counters.last_sequence + excluded.last_sequence
    returning workspace_id, mode, last_sequence
  )
  insert into events (workspace_id, mode, id, sequence, type, resource_id, data, previous, metadata, created_at)
  select workspace_id, mode, id, last_sequence - still, type, resource_id, data::json, previous::json, metadata::json, created_at
    from rows from (
           unnest($4::text[], $5::text[], $6::text[], $7::int[], $8::text[], $9::text[], $10::timestamptz[]),
           string_to_table($11, E'\\n', ''), string_to_table($12, E'\\n', ''), string_to_table($13, E'\\n', ''))
         as t (workspace_id, mode, id, still, type, resource_id, created_at, data, previous, metadata)
    join counted using (workspace_id, mode)`;

const tenantOf = ({ workspaceId, mode }: Pending) => `${workspaceId} ${mode}`;

/** Rows of one statement: making them into text holds up everything else in this process. */
const CHUNK = 1_000;

async function write(db: Db, pending: readonly Pending[]): Promise<Statement> {
  // What another last act still tells gets a writing of its own.
  PENDING.delete(db);
  // In order, so that lists show what one transaction tells in the order in which it was told.
  const ids = pending.map((one) => one.id).sort();
  const tenants = new Set(pending.map(tenantOf));
  // Counters are locked in the order of their tenants, which several statements could not keep.
  const chunk = tenants.size > 1 ? pending.length : CHUNK;
  let i = 0;
  for (; i + chunk < pending.length; i += chunk) {
    const { text, parameters } = written(pending.slice(i, i + chunk), ids.slice(i, i + chunk));
    await rowsOf(db, text, parameters);
  }
  return written(pending.slice(i), ids.slice(i));
}

/** One a line: no document has a line break in it. An empty line is none. */
const lines = (values: readonly (object | null | undefined)[]) =>
  values.map((value) => (value === undefined || value === null ? '' : JSON.stringify(value))).join('\n');

function written(pending: readonly Pending[], ids: readonly string[]): Statement {
  const tenants = [...Map.groupBy(pending, tenantOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  // How many of its tenant's events are told after it.
  const still = new Map(tenants.map(([tenant, those]) => [tenant, those.length]));
  const left = pending.map((one) => {
    const after = still.get(tenantOf(one))! - 1;
    still.set(tenantOf(one), after);
    return after;
  });
  const parameters = [
    tenants.map(([, [one]]) => one!.workspaceId),
    tenants.map(([, [one]]) => one!.mode),
    tenants.map(([, those]) => those.length),
    pending.map((one) => one.workspaceId),
    pending.map((one) => one.mode),
    ids,
    left,
    pending.map((one) => one.type),
    pending.map((one) => one.resourceId),
    pending.map((one) => one.at),
    lines(pending.map((one) => one.data)),
    lines(pending.map((one) => one.previous)),
    lines(pending.map((one) => one.metadata)),
  ];
  return { text: WRITE, parameters };
}
