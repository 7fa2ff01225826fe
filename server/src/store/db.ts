import { type Transaction as KyselyTransaction, CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { type Clock, sleep } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { AT_COMMIT, EACH, PLAN_ONCE, type Statement, prepare, preparing } from './prepared.ts';
import type { Json, Tables } from './tables.gen.ts';
import { openDoor } from './tenant.ts';

export type { Statement } from './prepared.ts';
export type Db = Kysely<Tables>;
export type Transaction = KyselyTransaction<Tables>;

// Counters are bigint in the database and far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// A date is a day, not an instant: keep its text.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

type Connecting = { log: Log; max?: number; statementTimeoutMs?: number; walled?: boolean };

/**
 * Pools of connections to `url`: one that sees every tenant, and unless `walled` is false one behind `forTenant`. `max` connections each; a
 * statement that runs longer than `statementTimeoutMs` is ended by the server.
 */
export function connect(url: string, { log, max = 10, statementTimeoutMs = 60_000, walled = true }: Connecting): Db {
  const open = () => poolOf(url, { log, max, statementTimeoutMs });
  const pool = open();
  const tenants = walled ? open() : undefined;
  const end = async () => {
    await Promise.all([pool.end(), tenants?.end()]);
  };
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: { ...preparing(pool), end } }) });
  if (tenants) openDoor(db, preparing(tenants));
  POOLS.set(db, { service: pool, ...(tenants && { tenants }) });
  return db;
}

type Load = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
const POOLS = new WeakMap<object, Record<string, Load>>();

/** How many connections a `Db` of `connect` holds, and how many calls wait for one, by pool. */
export const poolsOf = (db: Db): Record<string, Load> => POOLS.get(db) ?? {};

function poolOf(url: string, { log, max, statementTimeoutMs }: { log: Log; max: number; statementTimeoutMs: number }): pg.Pool {
  // A plan is kept for long, and one that was made while a table was small must not read all of it once it has grown. Up to PostgreSQL 17 the
  // first setting looks like an immense cost, which would have such statements compiled.
  const options = '-c enable_seqscan=off -c jit=off';
  const pool = new pg.Pool({
    connectionString: url,
    max,
    statement_timeout: statementTimeoutMs,
    connectionTimeoutMillis: 10_000,
    options,
    pipeline: true,
  });
  // An idle connection that dies is the pool's to replace, not a reason to end the process.
  pool.on('error', (error) => void (pool.ending || log.warn({ err: error.message }, 'an idle database connection was lost')));
  // In use it tells its user through the query, and besides as an event, which without a listener would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

type HasDb = { db: Db; clock: Clock };

const RETRIES = 5;
/** Deadlock found, serialization failure, prepared statement outdated by a migration: nothing was written, the same work may be done again. */
const AGAIN = new Set(['40P01', '40001', '0A000']);

/**
 * Run `work` in a transaction (READ COMMITTED); joins the outer one where there is one. A deadlock that the server broke is tried again,
 * so `work` must have no effect but in the database.
 */
export async function inTransaction<C extends HasDb, T>(ctx: C, work: (inside: C & { db: Transaction }) => Promise<T>): Promise<T> {
  if (ctx.db.isTransaction) return work(ctx as C & { db: Transaction });
  for (let attempt = 1; ; attempt++) {
    try {
      return await ctx.db.transaction().execute(async (db) => {
        const result = await work({ ...ctx, db });
        await lastActs(db);
        return result;
      });
    } catch (error) {
      if (attempt >= RETRIES || !AGAIN.has(sqlState(error))) throw error;
      await sleep(ctx.clock, attempt * 5);
    }
  }
}

type LastAct = () => Promise<Statement | void>;
const LAST = new WeakMap<object, LastAct[]>();

/**
 * Have `last` run as the transaction's last act before its commit: for the locks that everybody wants and nobody may hold for long. A statement
 * that it answers is carried out then; the very last one leaves together with the commit, and when it fails nothing is committed.
 */
export function beforeCommit(db: Db, last: LastAct): void {
  if (!db.isTransaction) throw new Error('beforeCommit needs a transaction.');
  const acts = LAST.get(db);
  if (acts) acts.push(last);
  else LAST.set(db, [last]);
}

async function lastActs(db: Transaction): Promise<void> {
  // Acts may add acts.
  const acts = LAST.get(db) ?? [];
  for (let i = 0; i < acts.length; i++) {
    const statement = await acts[i]!();
    if (!statement) continue;
    if (i < acts.length - 1) await rowsOf(db, statement.text, statement.parameters);
    else {
      prepare(statement.text);
      await db.executeQuery(CompiledQuery.raw(AT_COMMIT, [statement]));
    }
  }
}

/** The SQLSTATE of a database error, empty for any other. */
export function sqlState(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9FHPX][0-9A-Z]{4}$/.test(code) ? code : '';
}

/** Whether the error says that the database could not be reached or went away, rather than that it refused the statement. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error);
  if (state.startsWith('08') || state === '57P01' || state === '57P02' || state === '57P03' || state === '53300') return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^E(CONN|PIPE|NOENT|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND)/.test(code)) return true;
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(error.message)
  );
}

/** Rows of a statement given as text with numbered parameters, for hot paths. It is prepared, so its text holds no values. */
export async function rowsOf<Row>(db: Db, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  prepare(text);
  const result = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]));
  return result.rows;
}

const MANY_ROWS = 100;

/**
 * For the rest of this transaction the server carries out prepared statements by the plan that it made for any values. It would plan a statement
 * with lists anew each time, which may cost several times what the statement costs. Lists of more than a hundred (`rows`) are worth a plan of their
 * own: there this does nothing. Not for statements that need a partial index whose condition holds by a parameter.
 */
export async function planOnce(db: Transaction, rows = 1): Promise<void> {
  if (rows <= MANY_ROWS) await db.executeQuery(CompiledQuery.raw(PLAN_ONCE));
}

/**
 * The rows of statements that leave in one go and are carried out in this order, each seeing what was committed before it began. Only in a
 * transaction, where one that fails takes the others with it.
 */
export async function rowsOfEach<Rows extends unknown[][]>(db: Db, statements: readonly Statement[]): Promise<Rows> {
  if (!db.isTransaction) throw new Error('rowsOfEach needs a transaction.');
  for (const { text } of statements) prepare(text);
  const result = await db.executeQuery(CompiledQuery.raw(EACH, [statements]));
  return result.rows as Rows;
}

/** A value for a jsonb column. (Handed over as text: the driver would take a JavaScript array for a PostgreSQL one.) */
export const json = (value: unknown): Json => JSON.stringify(value);
