/** Too many wait in the line of one name. */
export class LineTooLong extends Error {
  override name = 'LineTooLong';
}

/** At most `each` pieces of work of one name run at once and `all` altogether; at most `line` of one name wait for their turn. */
export type TurnLimits = { each: number; all: number; line: number };

/** Lets pieces of work take turns, by name: a slow one delays those of its name, and others only once `all` places are taken. */
export function turns({ each, all, line }: TurnLimits): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, number>();
  const waiting: { name: string; go: () => void }[] = [];
  let total = 0;
  const isFree = (name: string) => total < all && (running.get(name) ?? 0) < each;
  const take = (name: string) => {
    total++;
    running.set(name, (running.get(name) ?? 0) + 1);
  };
  const give = (name: string) => {
    total--;
    const left = (running.get(name) ?? 1) - 1;
    if (left > 0) running.set(name, left);
    else running.delete(name);
    const next = waiting.findIndex((one) => isFree(one.name));
    if (next < 0) return;
    const [called] = waiting.splice(next, 1);
    take(called!.name);
    called!.go();
  };
  return async (name, work) => {
    if (isFree(name)) take(name);
    else {
      if (waiting.filter((one) => one.name === name).length >= line) throw new LineTooLong(`Too many wait for ${name}.`);
      await new Promise<void>((go) => waiting.push({ name, go }));
    }
    try {
      return await work();
    } finally {
      give(name);
    }
  };
}
