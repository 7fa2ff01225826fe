import type { Clock } from './clock.ts';

/**
 * What `work` gives, or null once `ms` of machine time have passed. What comes of it later is handed to `drop`, so that nothing stays open; its
 * late failure concerns nobody.
 */
export async function inTime<T>(clock: Clock, ms: number, work: Promise<T>, drop: (late: T) => void = () => undefined): Promise<T | null> {
  let late = false;
  let cancel = () => {};
  const timeUp = new Promise<null>((resolve) => {
    cancel = clock.after(ms, () => {
      late = true;
      resolve(null);
    });
  });
  const watched = work.then((given) => {
    if (late) drop(given);
    return given;
  });
  try {
    return await Promise.race([watched, timeUp]);
  } finally {
    cancel();
  }
}
