import type { Clock } from '#platform/clock.ts';

/** From where the API was called lately, for each workspace. */
export type Callers = { note(workspaceId: string, address: string): void; has(workspaceId: string, address: string): boolean };

const LATELY_MS = 24 * 3_600_000;
const MOST = 10_000;

/** Remembers them in this process; those not heard of for the longest are forgotten first. */
export function callersLately(clock: Clock): Callers {
  const seen = new Map<string, number>();
  return {
    note(workspaceId, address) {
      const name = `${workspaceId} ${address}`;
      seen.delete(name);
      seen.set(name, clock.monotonic());
      if (seen.size > MOST) seen.delete(seen.keys().next().value!);
    },
    has(workspaceId, address) {
      const at = seen.get(`${workspaceId} ${address}`);
      return at !== undefined && clock.monotonic() - at < LATELY_MS;
    },
  };
}
