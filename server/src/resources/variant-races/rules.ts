// Which text of a step wins. Pure.
import type { AutoWinner } from '#resources/sequences/index.ts';

/** One text of a step: how many mails of it were sent, and in how many of them the recipient did what the race is about. */
export type Arm = { id: string; sent: number; hits: number };

/** A race is open while a step has variants, the wish for a winner, and none. */
export const isRacing = (step: { variants: unknown; winning_variant_id: string | null; auto_winner: AutoWinner | null }): boolean =>
  step.auto_winner !== null && step.variants !== null && step.winning_variant_id === null;

/**
 * The winner: once each arm was sent `minSends` times, the one whose rate is higher than every other's; null before that, where the
 * best are level, and where there is nothing to compare. How sure a winner is the caller's to say, with `minSends`: no test of significance stands
 * behind it.
 */
export function winnerOf(arms: readonly Arm[], minSends: number): string | null {
  if (arms.length < 2 || arms.some((arm) => arm.sent < Math.max(1, minSends))) return null;
  const best = arms.reduce((first, arm) => (isAhead(arm, first) ? arm : first));
  return arms.every((arm) => arm === best || isAhead(best, arm)) ? best.id : null;
}

/** Compared as fractions: rates as they are written would call close ones level. */
const isAhead = (one: Arm, other: Arm) => one.hits * other.sent > other.hits * one.sent;
