import type { Clock } from '#platform/clock.ts';

/** What the bucket says to one call; times in whole seconds. `retryAfter` is there when the call must wait. */
export type Level = { limit: number; remaining: number; reset: number; retryAfter?: number };

const SWEEP_ABOVE = 10_000;
const SWEEP_EVERY_MS = 1_000;
/** Whoever comes under ever new names shall not fill the memory: the oldest is forgotten first. */
const MOST = 100_000;

/** Token buckets by name: `burst` calls at once, `perSecond` in the long run. The answer takes one token from the bucket that is named. */
export function buckets({ clock, perSecond, burst }: { clock: Clock; perSecond: number; burst: number }): (name: string) => Level {
  const held = new Map<string, { tokens: number; at: number }>();
  const filled = (bucket: { tokens: number; at: number }, at: number) => Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond);
  let sweptAt = -Infinity;
  const sweep = (at: number) => {
    if (at - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = at;
    for (const [name, bucket] of held) if (filled(bucket, at) >= burst) held.delete(name);
  };
  return (name) => {
    const at = clock.monotonic();
    if (held.size > SWEEP_ABOVE) sweep(at);
    const bucket = held.get(name) ?? { tokens: burst, at };
    const tokens = filled(bucket, at);
    const left = tokens >= 1 ? tokens - 1 : tokens;
    held.set(name, { tokens: left, at });
    if (held.size > MOST) held.delete(held.keys().next().value!);
    const level = { limit: burst, remaining: Math.floor(left), reset: Math.ceil((burst - left) / perSecond) };
    return tokens >= 1 ? level : { ...level, retryAfter: Math.max(1, Math.ceil((1 - left) / perSecond)) };
  };
}
