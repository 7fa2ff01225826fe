import type { Event, EventType, Postrider } from '@postrider/sdk';

/** All events of a workspace, read through the API bit by bit. */
export type EventLog = {
  /** Read what is new. */
  refresh(signal?: AbortSignal): Promise<void>;
  /** Read on until no number is missing. */
  whole(signal?: AbortSignal): Promise<Event[]>;
  /** What is known so far, by number. */
  known(type: EventType): Event[];
};

/** The list is ordered by time, and a commit may turn up behind a later one: so each look goes back this far over known ground. */
const KNOWN_ENOUGH = 60;

/** Start with none. */
export function eventLog(api: Postrider): EventLog {
  const bySequence = new Map<number, Event>();
  const inOrder = () => [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);

  const read = async (enough: number, signal?: AbortSignal) => {
    let known = 0;
    for await (const event of api.events.list({ limit: 100 }, { signal })) {
      known = bySequence.has(event.sequence) ? known + 1 : 0;
      bySequence.set(event.sequence, event);
      if (known >= enough) return;
    }
  };

  return {
    refresh: (signal) => read(KNOWN_ENOUGH, signal),
    async whole(signal) {
      await read(KNOWN_ENOUGH, signal);
      if (bySequence.size !== Math.max(...bySequence.keys())) await read(Infinity, signal);
      const events = inOrder();
      const gap = events.findIndex((event, index) => event.sequence !== index + 1);
      if (gap >= 0) throw new Error(`The events have a gap at number ${gap + 1}.`);
      return events;
    },
    known: (type) => inOrder().filter((event) => event.type === type),
  };
}
