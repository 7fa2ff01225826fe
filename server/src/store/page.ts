import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { Refusal } from '#platform/refusal.ts';

export type PageParams = { limit: number; starting_after?: string | undefined; ending_before?: string | undefined };
export type Page<Row> = { rows: Row[]; hasMore: boolean; nextCursor: string | null; prevCursor: string | null };
type Keyed = { id: string; created_at: Date };
type Position = { at: Date; id: string };

/**
 * One page, newest first, by keyset on (created_at, id): a row that exists throughout a walk is met exactly once. The only pagination in
 * the service. A cursor is what an earlier page gave, or the id of a listed row (`positionOf` looks that up); any other is `invalid_cursor`.
 */
export async function page<DB, TB extends keyof DB, Row extends Keyed>(
  query: SelectQueryBuilder<DB, TB, Row>,
  params: PageParams,
  positionOf: (id: string) => Promise<Keyed | undefined>,
): Promise<Page<Row>> {
  const { limit, starting_after: after, ending_before: before } = params;
  if (after !== undefined && before !== undefined) {
    throw new Refusal('invalid_cursor', 'Give starting_after or ending_before, not both.', { param: 'ending_before' });
  }
  const backwards = before !== undefined;
  const cursor = before ?? after;
  const order = backwards ? sql.raw('asc') : sql.raw('desc');
  let wanted = query.orderBy(sql`created_at ${order}`).orderBy(sql`id ${order}`).limit(limit + 1);
  if (cursor !== undefined) {
    const { at, id } = await position(cursor, backwards ? 'ending_before' : 'starting_after', positionOf);
    wanted = wanted.where(backwards ? sql<SqlBool>`(created_at, id) > (${at}, ${id})` : sql<SqlBool>`(created_at, id) < (${at}, ${id})`);
  }
  const rows = (await wanted.execute()) as Row[];
  const hasMore = rows.length > limit;
  if (hasMore) rows.pop();
  if (backwards) rows.reverse();
  return { rows, hasMore, nextCursor: nextOf(rows, backwards || hasMore), prevCursor: cursor === undefined || (backwards && !hasMore) ? null : cursorOf(rows[0]) };
}

const nextOf = (rows: Keyed[], more: boolean) => (more ? cursorOf(rows.at(-1)) : null);
const cursorOf = (row: Keyed | undefined) => (row ? Buffer.from(`${row.created_at.getTime()}|${row.id}`).toString('base64url') : null);

async function position(cursor: string, param: string, positionOf: (id: string) => Promise<Keyed | undefined>): Promise<Position> {
  const [, time, id] = /^(\d{1,15})\|([a-z]+_[0-9a-z]{26})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (time !== undefined && id !== undefined) return { at: new Date(Number(time)), id };
  const row = /^[a-z]+_[0-9a-z]{26}$/.test(cursor) ? await positionOf(cursor) : undefined;
  if (!row) throw new Refusal('invalid_cursor', `This ${param} is no cursor that a list has given.`, { param });
  return { at: row.created_at, id: row.id };
}
