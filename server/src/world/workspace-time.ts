// The time of a workspace. Live mode lives by the world's clock; test mode is ahead of it by as much as its test clock was moved.
import type { Clock } from '#platform/clock.ts';
import { type Db, rowsOf } from '#store/db.ts';
import { type Ctx, type Mode, type World, actingFor } from './ctx.ts';

/** By how many milliseconds test mode of a workspace is ahead. Asked anew each time: any process may have moved it. */
export async function offsetOf(db: Db, workspaceId: string): Promise<number> {
  const [row] = await rowsOf<{ offset_ms: number }>(db, 'select offset_ms from test_clocks where workspace_id = $1', [workspaceId]);
  return row?.offset_ms ?? 0;
}

type Timed = { db: Db; clock: Clock };
export type Calendar = { offset_ms: number; /** Where the walk under way stands. */ reached_at: Date | null };

/** The calendars of those of these workspaces whose test clock was ever moved. */
export async function calendarsOf(db: Db, workspaceIds: readonly string[]): Promise<Map<string, Calendar>> {
  const rows = await rowsOf<Calendar & { workspace_id: string }>(
    db,
    `select c.workspace_id, c.offset_ms, a.reached_at
       from test_clocks c left join test_clock_advances a on a.workspace_id = c.workspace_id and a.done_at is null
      where c.workspace_id = any($1::text[])`,
    [workspaceIds],
  );
  return new Map(rows.map((row) => [row.workspace_id, row]));
}

const JUST_AFTER_MS = 1;

/**
 * What time it is in a workspace's mode. While its test clock is walked the clock stands: what callers do meanwhile (receivers of webhooks among
 * them) happens just after the instant at which the walk is, so that the walk comes to it next.
 */
export async function workspaceNow({ db, clock }: Timed, workspaceId: string, mode: Mode): Promise<Date> {
  const calendar = mode === 'live' ? undefined : (await calendarsOf(db, [workspaceId])).get(workspaceId);
  if (!calendar?.reached_at) return new Date(clock.now().getTime() + (calendar?.offset_ms ?? 0));
  return new Date(calendar.reached_at.getTime() + JUST_AFTER_MS);
}

/** `actingFor` at the workspace's time, for loops that run by the world's clock. */
export async function actingAtItsTime<W extends World>(world: W, workspaceId: string, mode: Mode): Promise<W & Ctx> {
  return { ...actingFor(world, workspaceId, mode), now: await workspaceNow(world, workspaceId, mode) };
}

/** The world with its calendar stopped at `at`, or run by `now`. Leases and deadlines stay those of the machine. */
export const atTime = <W extends World>(world: W, now: () => Date): W => ({ ...world, clock: { ...world.clock, now } });
