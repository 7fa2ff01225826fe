import { sleep } from '#platform/clock.ts';
import { rowsOf } from '#store/db.ts';
import { isWalled } from '#store/tenant.ts';
import type { World } from '#world/ctx.ts';

/** Heartbeats older than this are no sign of life. */
export const ALIVE_MS = 15_000;
/** Whoever asks does not wait longer: a database that hangs is one that is not there. */
const ANSWER_MS = 3_000;

export type Readiness = {
  ok: boolean;
  database: boolean;
  /** Whether a worker, of this process or another, has given a sign of life within 15 seconds. */
  worker: boolean;
  /** The last sign of life of any worker. */
  worker_beat_at: string | null;
  row_level_security: boolean;
};

/** Whether calls can be served. Without a worker nothing is sent, which is this process's trouble only when it should run one (`expectWorker`). */
export async function readiness(world: World, expectWorker: boolean): Promise<Readiness> {
  const row_level_security = isWalled(world.db);
  const ending = new AbortController();
  try {
    const late = sleep(world.clock, ANSWER_MS, ending.signal).then(() => Promise.reject(new Error('It did not answer in time.')));
    const last = await Promise.race([lastBeat(world), late]);
    const worker = last !== null && last.getTime() > world.clock.wall().getTime() - ALIVE_MS;
    return { ok: worker || !expectWorker, database: true, worker, worker_beat_at: last?.toISOString() ?? null, row_level_security };
  } catch (error) {
    world.log.warn({ err: (error as Error).message }, 'not ready: the database does not answer');
    return { ok: false, database: false, worker: false, worker_beat_at: null, row_level_security };
  } finally {
    ending.abort();
  }
}

async function lastBeat({ db }: World): Promise<Date | null> {
  const [row] = await rowsOf<{ last: Date | null }>(db, `select max(beat_at) as last from heartbeats where role = 'worker'`, []);
  return row!.last;
}
