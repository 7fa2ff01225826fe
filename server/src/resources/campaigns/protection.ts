// When bounces pause a campaign, and what has to be counted to know. Pure.
import type { Row } from './store.ts';

/** More than one hard bounce in this many sends is too much. */
const ONE_IN = 20;
/** With fewer sends nothing is judged. */
export const LEAST_SENDS = 100;

export type Counted = Pick<Row, 'hard_bounces' | 'sends_known'>;

/** Whether the rate of hard bounces is above 5 % with at least 100 sends. Whole numbers, so that the border is exact. */
export const isTooMuch = ({ hard_bounces: bounces, sends_known: sends }: Counted): boolean => sends >= LEAST_SENDS && bounces * ONE_IN > sends;

/**
 * How many sends are to be counted at most, or 0 when nothing need be counted. `sends_known` only ever falls behind, so where it is enough to
 * clear a campaign the truth is too. Counting twice as far as is needed now makes counts rare, however large the campaign.
 */
export function countUpTo({ hard_bounces: bounces, sends_known: sends }: Counted): number {
  const needed = Math.max(LEAST_SENDS, bounces * ONE_IN);
  if (bounces * ONE_IN <= LEAST_SENDS || (sends >= LEAST_SENDS && sends >= needed)) return 0;
  return needed * 2;
}
