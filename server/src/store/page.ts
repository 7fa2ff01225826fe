import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Prefix, isId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import { prepare } from './prepared.ts';

export type PageParams = { limit: number; starting_after?: string | undefined; ending_before?: string | undefined };
export type Page<Row> = { rows: Row[]; hasMore: boolean; nextCursor: string | null; prevCursor: string | null };
type Keyed = { id: string; created_at: Date };

/** What a list is ordered by, before the id: a column, as a number in cursors and as a value in SQL. */
export type Order<Row> = { column: string; of(row: Row): number; value(at: number): Date | number };
/**
 * Sizes for which the statement of a whole list is prepared (workspace, mode and a place in it are all that it is given). With filters it is not: how
 * to look for what is rare depends on the value.
 */
const USUAL: ReadonlySet<number> = new Set([25, 50, 100]);
const BY_CREATION: Order<Keyed> = { column: 'created_at', of: (row) => row.created_at.getTime(), value: (at) => new Date(at) };

/**
 * One page, newest first, by keyset on (created_at, id), or another order: a row that exists throughout a walk is met exactly once. The only
 * pagination in the service. A cursor is what an earlier page of rows with these ids gave, or the id of a listed row (`positionOf` looks
 * that up); any other is `invalid_cursor`.
 */
export async function page<DB, TB extends keyof DB, Row extends Keyed>(
  query: SelectQueryBuilder<DB, TB, Row>,
  params: PageParams,
  prefix: Prefix,
  positionOf: (id: string) => Promise<Row | undefined>,
  by: Order<Row> = BY_CREATION,
): Promise<Page<Row>> {
  const { limit, starting_after: after, ending_before: before } = params;
  if (after !== undefined && before !== undefined) {
    throw new Refusal('invalid_cursor', 'Give starting_after or ending_before, not both.', { param: 'ending_before' });
  }
  const backwards = before !== undefined;
  const cursor = before ?? after;
  const order = backwards ? sql.raw('asc') : sql.raw('desc');
  const column = sql.ref(by.column);
  let wanted = query
    .orderBy(sql`${column} ${order}`)
    .orderBy(sql`id ${order}`)
    // In the text: with a limit that it does not know the database would make a plan anew for each page.
    .limit(sql.lit(limit + 1));
  if (cursor !== undefined) {
    const listed = isId(cursor, prefix) ? await positionOf(cursor) : undefined;
    const known = listed ? { at: by.of(listed), id: listed.id } : placeIn(cursor, prefix);
    if (!known) {
      const param = backwards ? 'ending_before' : 'starting_after';
      throw new Refusal('invalid_cursor', `This ${param} is no cursor that this list has given.`, { param });
    }
    const [at, id] = [by.value(known.at), known.id];
    wanted = wanted.where(backwards ? sql<SqlBool>`(${column}, id) > (${at}, ${id})` : sql<SqlBool>`(${column}, id) < (${at}, ${id})`);
  }
  const { sql: text, parameters } = wanted.compile();
  if (USUAL.has(limit) && parameters.length <= (cursor === undefined ? 2 : 4)) prepare(text);
  const rows = (await wanted.execute()) as Row[];
  const hasMore = rows.length > limit;
  if (hasMore) rows.pop();
  if (backwards) rows.reverse();
  const cursorOf = (row: Row | undefined) => (row ? Buffer.from(`${by.of(row)}|${row.id}`).toString('base64url') : null);
  return {
    rows,
    hasMore,
    // Whoever comes from the older side knows that there is more on it.
    nextCursor: backwards || hasMore ? cursorOf(rows.at(-1)) : null,
    prevCursor: cursor === undefined || (backwards && !hasMore) ? null : cursorOf(rows[0]),
  };
}

/** The place that a cursor of ours names. Whatever is not spelt as we spell it is none. */
function placeIn(cursor: string, prefix: Prefix): { at: number; id: string } | undefined {
  const text = Buffer.from(cursor, 'base64url');
  const [, at, id] = /^(\d{1,14})\|(.+)$/.exec(text.toString('latin1')) ?? [];
  if (at === undefined || id === undefined || !isId(id, prefix) || text.toString('base64url') !== cursor) return undefined;
  return { at: Number(at), id };
}
