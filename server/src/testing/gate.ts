// A gate in the database, for tests that look at an import on its way: without one it might be over before a slow test has looked.
import { inTransaction, rowsOf } from '#store/db.ts';
import type { World } from '#world/ctx.ts';

const LOCK = 7_734;

/** Until the answer is called, whoever imports a contact of this address waits there. One for a database. */
export async function gateBefore(world: World, email: string): Promise<() => Promise<void>> {
  const body = `begin if new.email = '${email}' then perform pg_advisory_xact_lock_shared(${LOCK}); end if; return new; end`;
  await rowsOf(world.db, `create function gate() returns trigger language plpgsql as $$ ${body} $$`, []);
  await rowsOf(world.db, 'create trigger gate before insert on contacts for each row execute function gate()', []);
  const shut = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const held = inTransaction(world, async ({ db }) => {
    await rowsOf(db, `select pg_advisory_xact_lock(${LOCK})`, []);
    shut.resolve();
    await open.promise;
  });
  held.catch(shut.reject);
  await shut.promise;
  return () => {
    open.resolve();
    return held;
  };
}

/** What a killed process left waiting at the gate: the server would not notice for as long as it waits that nobody listens any more. */
export async function clearGate({ db }: World): Promise<void> {
  const text = `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
  await rowsOf(db, text, []);
}
