import { isId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import type { Page, PageParams } from '#store/page.ts';

/** How many steps a cursor names: it is good as long as one of them is there. */
const NAMED = 8;

/**
 * One page of steps in their order. There are at most a hundred, so they are read together. A cursor names the steps beside the end of the page, the
 * nearest first, so that it outlives some of them; the id of a listed step is one, too.
 */
export function pageOfSteps<S extends { id: string }>(
  steps: readonly S[],
  { limit, starting_after: after, ending_before: before }: PageParams,
): Page<S> {
  if (after !== undefined && before !== undefined) {
    throw new Refusal('invalid_cursor', 'Give starting_after or ending_before, not both.', { param: 'ending_before' });
  }
  const place = placeOf(steps, after ?? before);
  if (place === undefined) {
    const param = before === undefined ? 'starting_after' : 'ending_before';
    throw new Refusal('invalid_cursor', `This ${param} is no cursor that this list has given.`, { param });
  }
  const end = before === undefined ? Math.min(steps.length, place + 1 + limit) : place;
  const start = before === undefined ? place + 1 : Math.max(0, place - limit);
  const rows = steps.slice(start, end);
  return {
    rows,
    hasMore: before === undefined ? end < steps.length : start > 0,
    nextCursor: rows.length > 0 && end < steps.length ? cursorOf(rows.toReversed()) : null,
    prevCursor: rows.length > 0 && start > 0 ? cursorOf(rows) : null,
  };
}

type Listed = { id: string };
const spelt = (ids: readonly string[]) => Buffer.from(ids.join(' ')).toString('base64url');
const cursorOf = (rows: readonly Listed[]) => spelt(rows.slice(0, NAMED).map(({ id }) => id));

/** Where the cursor points: the nearest of its steps that is still there; before all of them without a cursor. */
function placeOf(steps: readonly Listed[], cursor: string | undefined): number | undefined {
  if (cursor === undefined) return -1;
  const ids = isId(cursor, 'cst') ? [cursor] : Buffer.from(cursor, 'base64url').toString('latin1').split(' ');
  if (ids.length > NAMED || ids.some((id) => !isId(id, 'cst'))) return undefined;
  if (!isId(cursor, 'cst') && spelt(ids) !== cursor) return undefined;
  const places = new Map(steps.map(({ id }, place) => [id, place]));
  const nearest = ids.find((id) => places.has(id));
  return nearest === undefined ? undefined : places.get(nearest);
}
