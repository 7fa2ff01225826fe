import type { World } from '#world/ctx.ts';
import { takeEvents, takeReplays } from './fan-out.ts';
import type { Lanes } from './lanes.ts';
import type { Found } from './points.ts';
import { roomFor } from './rules.ts';
import { type Holder, type Place, type Taken, claimDue, endpointsOf, replaceExpired } from './take.ts';

type Kind = 'has_due' | 'has_events' | 'has_replay';
type Take = (world: World, places: readonly Place[], holder: Holder) => Promise<Taken[]>;
/** Fills lanes with what there is to do at these endpoints at the world's time; answers whether there was anything. */
export type TakeUp = (world: World, points: readonly Found[]) => Promise<boolean>;

/** What takes up work for the lanes of one process, the holder. */
export function taker(lanes: Lanes, holder: Holder): TakeUp {
  let turn = 0;

  const takeKind = async (world: World, points: readonly Found[], kind: Kind, take: Take, rooms: Map<string, number>): Promise<boolean> => {
    const places = points.flatMap((one) => (one[kind] && (rooms.get(one.id) ?? 0) > 0 ? [{ ...one, room: rooms.get(one.id)! }] : []));
    if (places.length === 0) return false;
    const tasks = await take(world, places, holder);
    // Read after the taking: an address that was changed since then is asked, and judged, as the new one.
    const endpoints = await endpointsOf(world, places);
    for (const [id, its] of Map.groupBy(tasks, (task) => task.webhook_id)) rooms.set(id, rooms.get(id)! - its.length);
    const known = tasks.flatMap((task) => {
      const endpoint = endpoints.get(task.webhook_id);
      return endpoint ? [{ task, endpoint, now: world.clock.now }] : [];
    });
    lanes.add(known, new Set(places.filter((one) => rooms.get(one.id) === 0).map((one) => one.id)));
    return tasks.length > 0;
  };

  return async (world, points) => {
    const known = points.map((one) => ({
      workspaceId: one.workspace_id, id: one.id, failing: lanes.isFailing(one.id, one.consecutive_failures), held: lanes.held(one.id),
    })); // prettier-ignore
    const rooms = roomFor(known, lanes.count(), turn++);
    // What is to be tried again goes before what is new, and that before what was told already.
    const due = await takeKind(world, points, 'has_due', takeDue, rooms);
    const fresh = await takeKind(world, points, 'has_events', takeEvents, rooms);
    const replayed = await takeKind(world, points, 'has_replay', takeReplays, rooms);
    return due || fresh || replayed;
  };
}

async function takeDue(world: World, places: readonly Place[], holder: Holder): Promise<Taken[]> {
  await replaceExpired(world, places);
  return claimDue(world, places, holder);
}
