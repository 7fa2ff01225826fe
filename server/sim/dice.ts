// The draws of one seed. Everything that a simulation chooses comes from here, so that a seed tells the same story again.
import { seeded } from '#platform/random.ts';

export type Dice = {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  whole(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  /** One of these, as often as its weight says. */
  weighted<T>(from: readonly (readonly [weight: number, value: T])[]): T;
  /** Up to `count` of these, in their order. */
  some<T>(from: readonly T[], count: number): T[];
};

/** Mixes two numbers into the seed of a generator of its own. */
export function mixed(seed: number, nth: number): number {
  let mix = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(nth + 0x7f4a7c15, 0xc2b2ae35);
  mix = Math.imul(mix ^ (mix >>> 15), 0x2c1b3c6d);
  return (mix ^ (mix >>> 13)) >>> 0;
}

export function diceOf(seed: number): Dice {
  const random = seeded(mixed(seed, 0));
  const unit = () => random.u32() / 2 ** 32;
  const whole = (min: number, max: number) => min + Math.floor(unit() * (max - min + 1));
  return {
    chance: (probability) => unit() < probability,
    whole,
    pick: (from) => from[whole(0, from.length - 1)]!,
    weighted(from) {
      let left = unit() * from.reduce((sum, [weight]) => sum + weight, 0);
      return (from.find(([weight]) => (left -= weight) < 0) ?? from.at(-1)!)[1];
    },
    some(from, count) {
      const rest = from.map((_, i) => i);
      const taken = Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(whole(0, rest.length - 1), 1)[0]!);
      return taken.sort((a, b) => a - b).map((i) => from[i]!);
    },
  };
}
