// The database as a caller's requests see it: through connections that stand before the wall (see wall.ts).
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { Db } from './db.ts';
import { prepare } from './prepared.ts';
import type { Tables } from './tables.gen.ts';
import { MODE_SETTING, TENANT_ROLE, WORKSPACE_SETTING } from './wall.ts';

type Mode = 'live' | 'test';
type Door = (workspaceId: string, mode: Mode) => Db;

const DOORS = new WeakMap<object, Door>();
/** Most tenants whose Db is kept; it holds no connection, so making one anew is cheap. */
const MOST = 1_000;

/**
 * `db` as one workspace and mode sees it: no statement reads or writes a row of another. The same `db` where there is no wall, and inside a
 * transaction, which stays whose it is.
 */
export const forTenant = (db: Db, workspaceId: string, mode: Mode): Db => DOORS.get(db)?.(workspaceId, mode) ?? db;

/** Whether `db` has a wall (see wall.ts). */
export const isWalled = (db: Db): boolean => DOORS.has(db);

/** Let `forTenant(db)` lead to connections of `pool`, which nobody else uses. */
export function openDoor(db: Db, pool: PostgresPool): void {
  const known = new Map<string, Db>();
  const door: Door = (workspaceId, mode) => {
    const name = `${mode} ${workspaceId}`;
    const own = known.get(name) ?? dbOf(serving(pool, { name, workspaceId, mode }), door);
    // Those asked for last stand last.
    known.delete(name);
    known.set(name, own);
    if (known.size > MOST) known.delete(known.keys().next().value!);
    return own;
  };
  DOORS.set(db, door);
}

function dbOf(pool: PostgresPool, door: Door): Db {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  DOORS.set(db, door);
  return db;
}

type Tenant = { name: string; workspaceId: string; mode: Mode };

const SERVE = `
  select set_config('role', ${TENANT_ROLE}, false), set_config('${WORKSPACE_SETTING}', $1, false), set_config('${MODE_SETTING}', $2, false)`;
/** Whom each connection served last. */
const SERVED = new WeakMap<PostgresPoolClient, string>();

/** `pool` on behalf of one tenant. A connection that served it last is taken as it is, so the common case costs no round trip. */
function serving(pool: PostgresPool, { name, workspaceId, mode }: Tenant): PostgresPool {
  prepare(SERVE);
  return {
    options: pool.options,
    // The pool is everybody's.
    end: async () => {},
    async connect() {
      const client = await pool.connect();
      if (SERVED.get(client) === name) return client;
      SERVED.delete(client);
      try {
        // Before any transaction: what is set inside one would be undone by its rollback.
        await client.query(SERVE, [workspaceId, mode]);
      } catch (error) {
        // Nobody knows whom it serves now.
        (client.release as (destroy: boolean) => void)(true);
        throw error;
      }
      SERVED.set(client, name);
      return client;
    },
  };
}
