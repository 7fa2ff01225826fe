import type { World } from '#world/ctx.ts';
import { atTime, calendarsOf } from '#world/workspace-time.ts';
import type { Finished } from './finish.ts';

/**
 * What came back, parted by what time it is in its workspaces, with the world at each of these times. Under a test clock an attempt ends at the
 * instant at which the walk stands, or else at the time that the clock shows; live mode asks nothing.
 */
export async function byTheirTime(world: World, finished: readonly Finished[]): Promise<[World, Finished[]][]> {
  const inTest = new Set(finished.flatMap(({ task }) => (task.mode === 'test' ? [task.workspace_id] : [])));
  if (inTest.size === 0) return [[world, [...finished]]];
  const calendars = await calendarsOf(world.db, [...inTest]);
  const groups = Map.groupBy(finished, ({ task }) => (task.mode === 'test' ? calendars.get(task.workspace_id) : undefined));
  return [...groups].map(([calendar, those]) => {
    if (!calendar) return [world, those];
    return [atTime(world, () => calendar.reached_at ?? new Date(world.clock.now().getTime() + calendar.offset_ms)), those];
  });
}
