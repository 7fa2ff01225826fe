// The house in which seeds live, one after the other: building one takes longer than living a seed in it.
import { type Random, seeded } from '#platform/random.ts';
import type { Mail } from '#mail/mail.ts';
import { type Db, connect, inTransaction, rowsOf, rowsOfEach } from '#store/db.ts';
import { databaseProxy } from '#testing/database-proxy.ts';
import { type House, house } from '#testing/house.ts';
import { type SimClock, simClock } from './clock.ts';
import { mixed } from './dice.ts';

export type Ground = {
  house: House;
  clock: SimClock;
  /** An empty house at this instant, for a seed. */
  clear(seed: number, at: number): Promise<void>;
  /** Chance begins anew for each operation: what an earlier one drew too much or too little moves nothing in the next. */
  operation(nth: number): void;
  /** A way to the database that can be cut. */
  frail: { db: Db; cut(): void; restore(): void };
  /** The mail world as the API sees it. */
  mail(mail: Mail): void;
  close(): Promise<void>;
};

/** So often the tables are made anew instead of being emptied. */
const TRUNCATE_EVERY = 40;

/** Events refuse to be deleted by whoever does not stand above the rules. */
const ABOVE_RULES = 'set local session_replication_role = replica';

export async function openGround(): Promise<Ground> {
  const clock = simClock();
  let chance: Random = seeded(0);
  let seed = 0;
  let mail: Mail | undefined;
  const random: Random = { bytes: (count) => chance.bytes(count), u32: () => chance.u32() };
  const doors: Mail = { connectSmtp: (server) => mail!.connectSmtp(server), openMailbox: (server, limits) => mail!.openMailbox(server, limits) };
  const h = await house({ own: { clock, random, mail: doors }, env: { LOG_LEVEL: 'error' } });
  const proxy = await databaseProxy(h.databaseUrl);
  const frail = connect(proxy.url, { log: h.world.log, max: 4, walled: false });
  const rows = await rowsOf<{ name: string }>(
    h.db,
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1`,
    [],
  );
  const tables = rows.map((row) => row.name);
  let lived = 0;
  return {
    house: h,
    clock,
    async clear(next, at) {
      proxy.restore();
      const anew = lived++ % TRUNCATE_EVERY === 0;
      const texts = anew ? [`truncate ${tables.join(', ')}`] : tables.map((name) => `delete from ${name}`);
      // Whoever looks for work in the house meanwhile locks tables in an order of his own: a deadlock is tried again.
      await inTransaction(h.world, ({ db }) => rowsOfEach(db, [ABOVE_RULES, ...texts].map((text) => ({ text, parameters: [] })))); // prettier-ignore
      seed = next;
      chance = seeded(mixed(seed, -1));
      clock.moveTo(at);
      h.lines.length = 0;
    },
    operation: (nth) => void (chance = seeded(mixed(seed, nth))),
    frail: { db: frail, cut: proxy.cut, restore: proxy.restore },
    mail: (next) => void (mail = next),
    async close() {
      await frail.destroy();
      await proxy[Symbol.asyncDispose]();
      await h.close();
    },
  };
}
