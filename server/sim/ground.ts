// The house in which seeds live, one after the other: building one takes longer than living a seed in it.
import pg from 'pg';
import { type Random, seeded } from '#platform/random.ts';
import type { Mail } from '#mail/mail.ts';
import { type Db, connect, sqlState } from '#store/db.ts';
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

/** Whoever looks for work in the house meanwhile locks tables in an order of his own: when the server broke the deadlock nothing was done. */
async function inSpiteOfOthers(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (sqlState(error) !== '40P01') throw error;
    }
  }
}

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
  const cleaner = new pg.Client({ connectionString: h.databaseUrl });
  await cleaner.connect();
  // Events refuse to be deleted by whoever does not stand above the rules.
  await cleaner.query('set session_replication_role = replica');
  const { rows } = await cleaner.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1`,
  );
  const tables = rows.map((row) => row.name);
  let lived = 0;
  return {
    house: h,
    clock,
    async clear(next, at) {
      proxy.restore();
      const anew = lived++ % TRUNCATE_EVERY === 0;
      await inSpiteOfOthers(() => cleaner.query(anew ? `truncate ${tables.join(', ')}` : tables.map((name) => `delete from ${name}`).join('; ')));
      seed = next;
      chance = seeded(mixed(seed, -1));
      clock.moveTo(at);
      h.lines.length = 0;
    },
    operation: (nth) => void (chance = seeded(mixed(seed, nth))),
    frail: { db: frail, cut: proxy.cut, restore: proxy.restore },
    mail: (next) => void (mail = next),
    async close() {
      await cleaner.end();
      await frail.destroy();
      await proxy[Symbol.asyncDispose]();
      await h.close();
    },
  };
}
