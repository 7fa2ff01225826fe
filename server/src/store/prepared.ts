// Statements of fixed text are parsed and planned once for each connection, and not at each call.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

const NAMES = new Map<string, string>();
const MOST = 500;

/** Have the statement with this very text prepared from now on. Texts are the source's own: values stay parameters. */
export function prepare(text: string): void {
  if (!NAMES.has(text) && NAMES.size < MOST) NAMES.set(text, `s${NAMES.size}`);
}

/** `cached plan must not change result type`: a migration changed a table behind an open connection. */
const STALE = '0A000';

/** The pool as Kysely sees it, with known statements prepared. A connection whose statements a migration has outdated is not used again. */
export function preparing(pool: pg.Pool): PostgresPool {
  const seen = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      const known = seen.get(client) ?? preparingClient(client);
      seen.set(client, known);
      return known;
    },
  };
}

function preparingClient(client: pg.PoolClient): PostgresPoolClient {
  let stale = false;
  const query = async (text: string, values: readonly unknown[]) => {
    const name = NAMES.get(text);
    try {
      return await client.query(name === undefined ? { text, values: [...values] } : { name, text, values: [...values] });
    } catch (error) {
      stale ||= error instanceof Error && 'code' in error && error.code === STALE;
      throw error;
    }
  };
  // Kysely's other form of `query` takes a cursor, which this service has not installed.
  return { query: query as unknown as PostgresPoolClient['query'], release: (destroy = false) => client.release(destroy || stale) };
}
