// A mutation with an Idempotency-Key has its effect once. The kept answer and the effect are one commit.
import { createHash } from 'node:crypto';
import { Refusal } from '#platform/refusal.ts';
import { type Db, rowsOf } from '#store/db.ts';
import type { Mode } from '#world/ctx.ts';
import type { Upload } from './route.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;

/** An answer as it goes over the wire. */
export type Reply = { status: number; text: string; replayed?: true };

/** A call that carries a key. `path` is the whole target with its query; `secret` marks answers that are shown once. */
export type Claim = { workspaceId: string; mode: Mode; key: string; method: string; path: string; bodyHash: string; secret: boolean };

/** An answer to keep under its claim. `text` is null where the answer is shown once. */
export type Kept = { claim: Claim; status: number; text: string | null; resourceId: string | null };

/** The key of the header, 1 to 255 visible ASCII characters; undefined without one. Throws `invalid_parameter`. */
export function keyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new Refusal('invalid_parameter', 'Idempotency-Key takes 1 to 255 visible ASCII characters.', { param: 'Idempotency-Key' });
}

/** What makes two bodies the same: the bytes as they came; of an upload the file and its fields, in whatever order. */
export function hashOf(body: Buffer | Upload): string {
  const hash = createHash('sha256');
  if (Buffer.isBuffer(body)) return hash.update(body).digest('hex');
  hash.update(JSON.stringify(Object.entries(body.fields).sort(([a], [b]) => (a < b ? -1 : 1))));
  return hash.update('\0').update(body.file).digest('hex');
}

// The lock lives as long as the transaction, so a key whose first call is still running is known without waiting for its row.
const BEGIN = `
  select pg_try_advisory_xact_lock(hashtextextended(wanted.workspace_id || '|' || wanted.mode || '|' || wanted.key, 0)) as mine,
         kept.method, kept.path, kept.body_hash, kept.response_status, kept.response_body, kept.resource_id
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality as wanted (workspace_id, mode, key, place)
    left join idempotency_keys kept
      on kept.workspace_id = wanted.workspace_id and kept.mode = wanted.mode and kept.key = wanted.key and kept.created_at > $4
   order by wanted.place`;

type Row = {
  mine: boolean;
  method: string | null;
  path: string | null;
  body_hash: string | null;
  response_status: number | null;
  response_body: string | null;
  resource_id: string | null;
};

/**
 * Take the keys of `claims` for the rest of the transaction. For each: undefined when the call is the first and may go on, the kept answer,
 * or the refusal to give. `at` is machine time.
 */
export async function begin(db: Db, claims: readonly Claim[], at: Date): Promise<(Reply | Refusal | undefined)[]> {
  if (claims.length === 0) return [];
  const columns = [claims.map((one) => one.workspaceId), claims.map((one) => one.mode), claims.map((one) => one.key)];
  const rows = await rowsOf<Row>(db, BEGIN, [...columns, new Date(at.getTime() - KEPT_MS)]);
  const taken = new Set<string>();
  return claims.map((claim, index) => {
    const row = rows[index]!;
    if (row.method !== null) return judged(claim, row);
    // A transaction may take its own lock twice, so two calls of one batch with one key must be told apart here.
    const name = JSON.stringify([claim.workspaceId, claim.mode, claim.key]);
    if (!row.mine || taken.has(name)) return inProgress();
    taken.add(name);
    return undefined;
  });
}

function judged(claim: Claim, row: Row): Reply | Refusal {
  const samePlace = row.method === claim.method && row.path === claim.path;
  if (samePlace && row.response_body === null) {
    const what = row.resource_id ?? 'an object';
    const message = `This Idempotency-Key has created ${what}, whose secret was shown then and cannot be shown again.`;
    return new Refusal('idempotency_replay_unavailable', message, row.resource_id === null ? {} : { resourceId: row.resource_id });
  }
  if (!samePlace || row.body_hash !== claim.bodyHash || row.response_body === null || row.response_status === null) {
    return new Refusal('idempotency_key_reused', 'This Idempotency-Key belongs to another call. Take a new key for each new call.');
  }
  return { status: row.response_status, text: row.response_body, replayed: true };
}

export const inProgress = () =>
  new Refusal('idempotency_in_progress', 'The first call with this Idempotency-Key is still running.', { retryAfterSeconds: 1 });

// A row past its time counts as absent and is replaced.
const KEEP = `
  insert into idempotency_keys as kept
         (workspace_id, mode, key, method, path, body_hash, response_status, response_body, resource_id, created_at)
  select *, $10::timestamptz
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[], $9::text[])
  on conflict (workspace_id, mode, key) do update
     set method = excluded.method, path = excluded.path, body_hash = excluded.body_hash, response_status = excluded.response_status,
         response_body = excluded.response_body, resource_id = excluded.resource_id, created_at = excluded.created_at
   where kept.created_at <= $11
  returning kept.key`;

/**
 * Keep answers, in the transaction of their effects. Throws `idempotency_in_progress` when another call got in between: then the
 * transaction must not commit.
 */
export async function keep(db: Db, kept: readonly Kept[], at: Date): Promise<void> {
  if (kept.length === 0) return;
  const rows = await rowsOf(db, KEEP, [
    kept.map((one) => one.claim.workspaceId),
    kept.map((one) => one.claim.mode),
    kept.map((one) => one.claim.key),
    kept.map((one) => one.claim.method),
    kept.map((one) => one.claim.path),
    kept.map((one) => one.claim.bodyHash),
    kept.map((one) => one.status),
    kept.map((one) => one.text),
    kept.map((one) => one.resourceId),
    at,
    new Date(at.getTime() - KEPT_MS),
  ]);
  if (rows.length < kept.length) throw inProgress();
}
