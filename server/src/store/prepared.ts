// The connections as Kysely sees them: statements of fixed text are prepared, and what need not be waited for is sent along with what comes next.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { parameter } from './parameter.ts';

/** A statement with numbered parameters. Its text holds no values. */
export type Statement = { text: string; parameters: readonly unknown[] };

const NAMES = new Map<string, string>();
const MOST = 500;

/** Have the statement with this very text parsed and planned once for each connection. Texts are the source's own: values stay parameters. */
export function prepare(text: string): void {
  if (!NAMES.has(text) && NAMES.size < MOST) NAMES.set(text, `s${NAMES.size}`);
}

/** Instead of a text: carry out the statements that are its only parameter, in order; answers the rows of each. */
export const EACH = '-- each';
/** Instead of a text: keep the statement that is its only parameter for the commit. */
export const AT_COMMIT = '-- at commit';

/** Instead of a text: until the end of the transaction a prepared statement keeps the plan that was made for any values. */
export const PLAN_ONCE = '-- plan once';
const BEGIN: Statement = { text: 'begin', parameters: [] };
const KEEP_PLANS: Statement = { text: 'set local plan_cache_mode = force_generic_plan', parameters: [] };
/** Both in one message. */
const BEGIN_KEEPING_PLANS: Statement = { text: `${BEGIN.text}; ${KEEP_PLANS.text}`, parameters: [] };

/** `cached plan must not change result type`: a migration changed a table behind an open connection. */
const STALE = '0A000';

/** The pool as Kysely sees it. A connection whose statements a migration has outdated is not used again. */
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

const NOTHING = { command: 'SELECT', rowCount: 0, rows: [] as unknown[] };
type Result = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>;
type Wire = { connection: { stream: { cork(): void; uncork(): void } } };

function sendTo(client: pg.PoolClient, { text, parameters }: Statement): Promise<Result> {
  const name = NAMES.get(text);
  const values = parameters.map(parameter);
  return client.query(name === undefined ? { text, values } : { name, text, values });
}

/**
 * Of a transaction, `begin` goes out with its first statement and the statement kept for the commit with `commit`: each would cost a round trip
 * that tells nothing. A statement of which one before it failed fails too, and so does the commit, which then undoes everything.
 */
function preparingClient(client: pg.PoolClient): PostgresPoolClient {
  let stale = false;
  /** What has yet to go out before the first statement of a transaction: `begin` at least, unless it is begun. */
  let opening: readonly Statement[] = [];
  let last: Statement | undefined;

  /** Send them in one go. They are carried out one after the other, and each sees what was committed before it began. */
  const sendAll = async (statements: readonly Statement[]): Promise<Result[]> => {
    const { stream } = (client as unknown as Wire).connection;
    const first = opening;
    opening = [];
    stream.cork();
    const sent = [...first, ...statements].map((one) => sendTo(client, one));
    stream.uncork();
    try {
      return (await Promise.all(sent)).slice(first.length);
    } catch (error) {
      stale ||= error instanceof Error && 'code' in error && error.code === STALE;
      throw error;
    }
  };
  const query = async (text: string, parameters: readonly unknown[]): Promise<Result> => {
    if (text === 'rollback') last = undefined;
    if (text === 'begin') opening = [BEGIN];
    else if (text === 'rollback' && opening.length > 0) opening = [];
    else if (text === PLAN_ONCE && opening.length > 0) opening = [BEGIN_KEEPING_PLANS];
    else if (text === PLAN_ONCE) await sendAll([KEEP_PLANS]);
    else if (text === AT_COMMIT) last = parameters[0] as Statement;
    else if (text === 'commit') {
      const kept = last ? [last] : [];
      last = undefined;
      if (opening.length > 0 && kept.length === 0) opening = [];
      else await sendAll([...kept, { text, parameters }]);
    } else if (text === EACH) {
      const results = await sendAll(parameters[0] as Statement[]);
      return { ...NOTHING, rows: results.map((one) => one.rows) };
    } else return (await sendAll([{ text, parameters }]))[0]!;
    return NOTHING;
  };
  // One whose transaction has not ended would carry it into the next call.
  const open = () => client.getTransactionStatus() !== 'I';
  const release = (destroy = false) => {
    opening = [];
    last = undefined;
    client.release(destroy || stale || open());
  };
  // Kysely's other form of `query` takes a cursor, which this service has not installed.
  return { query: query as unknown as PostgresPoolClient['query'], release };
}
