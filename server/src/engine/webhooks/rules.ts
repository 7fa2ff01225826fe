// How the places of a process are shared out: what an endpoint does with its share is its own affair, and nobody else's.

/** In flight at once to an endpoint that answers, and to one that does not. */
export const IN_FLIGHT = 20;
export const IN_FLIGHT_FAILING = 4;
/** Taken up at once for an endpoint that answers: so many that taking up costs little, and no more than it deals with in a lease. */
export const STOCK = 400;
/** Failures in a row from which an endpoint counts as failing; a silence counts for all of them. */
export const FAILING_FROM = 3;
/** Taken up at once by a process, and how many of those for endpoints that fail. */
export const MOST = 4_000;
export const MOST_FAILING = 1_000;

/** An endpoint with something to deliver, and how much of it this process holds already. */
export type Point = { workspaceId: string; id: string; failing: boolean; held: number };

/** How many may be in flight to an endpoint. */
export const placesOf = (failing: boolean): number => (failing ? IN_FLIGHT_FAILING : IN_FLIGHT);

/**
 * How many more each endpoint may get, by its id. Tenants get equal shares of what is free, and so do the endpoints of a tenant; those that
 * fail share a part of their own, so that they cannot hold what the others need. An endpoint that answers is filled up when half of its stock
 * is gone. `turn` says with whom to begin: with little room for many, it must not always be the same.
 */
export function roomFor(points: readonly Point[], held: { all: number; failing: number }, turn: number): Map<string, number> {
  const free = { all: MOST - held.all, failing: MOST_FAILING - held.failing };
  const rooms = new Map<string, number>();
  for (const failing of [false, true]) {
    const those = points.filter((one) => one.failing === failing);
    const tenants = Map.groupBy(those, (one) => one.workspaceId);
    const begin = those.length ? turn % those.length : 0;
    for (const { id, workspaceId, held: own } of [...those.slice(begin), ...those.slice(0, begin)]) {
      const left = failing ? Math.min(free.all, free.failing) : free.all;
      const share = Math.max(1, Math.floor((failing ? MOST_FAILING : MOST) / tenants.size / tenants.get(workspaceId)!.length));
      const most = failing ? IN_FLIGHT_FAILING : STOCK;
      const wanted = !failing && own > most / 2 ? 0 : most - own;
      const room = Math.max(0, Math.min(wanted, share - own, left));
      if (room === 0) continue;
      rooms.set(id, room);
      free.all -= room;
      if (failing) free.failing -= room;
    }
  }
  return rooms;
}
