// Which inbox sends to whom, where a call leaves that to a strategy.
import { sql } from 'kysely';
import { Refusal } from '#platform/refusal.ts';
import { type Inbox, MAY_SEND, byIds, capLeft, dayAt } from '#resources/inboxes/index.ts';
import { rowsOf } from '#store/db.ts';
import type { Ctx } from '#world/ctx.ts';
import type { FromStrategy } from './letter-wire.ts';

/** An inbox that takes part, how much of today it has left, and when it last had a turn (of all the turns of those that take part). */
export type Candidate = { id: string; left: number; last_turn: number };

/**
 * The inbox of each of `count` sends, and what the candidates then look like. `rotate` gives the turn to who waits for it the longest;
 * `least_busy` to who has most of today left, and among equals to who waits the longest. Pure.
 */
export function shareOut(type: 'rotate' | 'least_busy', candidates: readonly Candidate[], count: number): { ids: string[]; after: Candidate[] } {
  const after = candidates.map((one) => ({ ...one }));
  let turn = Math.max(...after.map((one) => one.last_turn));
  const ids = Array.from({ length: count }, () => {
    const next = after.reduce((best, one) => (comesBefore(type, one, best) ? one : best));
    next.last_turn = ++turn;
    next.left--;
    return next.id;
  });
  return { ids, after };
}

function comesBefore(type: 'rotate' | 'least_busy', one: Candidate, other: Candidate): boolean {
  if (type === 'least_busy' && one.left !== other.left) return one.left > other.left;
  return one.last_turn !== other.last_turn ? one.last_turn < other.last_turn : one.id < other.id;
}

/**
 * Choose the inboxes of `count` sends. Whose turn it is stays locked until the commit, so calls side by side share out as calls one after the other
 * do. Throws `resource_missing` and `no_inbox_available`.
 */
export async function chooseInboxes(ctx: Ctx, strategy: Exclude<FromStrategy, { type: 'single' }>, count: number): Promise<string[]> {
  const inboxes = await taking(ctx, strategy.inbox_ids);
  if (count === 0) return [];
  const turns = await lockTurns(ctx, inboxes);
  // Asked after the locks: what another call has just scheduled counts.
  const busy = strategy.type === 'least_busy' ? await waitingToday(ctx, inboxes) : new Map<string, number>();
  const candidates = inboxes.map((inbox) => ({
    id: inbox.id,
    left: capLeft(inbox, ctx.now) - (busy.get(inbox.id) ?? 0),
    last_turn: turns.get(inbox.id)!,
  }));
  const { ids, after } = shareOut(strategy.type, candidates, count);
  await saveTurns(ctx, after.filter((one) => one.last_turn !== turns.get(one.id))); // prettier-ignore
  return ids;
}

/** The inboxes that take part: those that can send now; where none is active, those whose day is used up, and their next day it is. */
async function taking(ctx: Ctx, wanted: readonly string[] | undefined): Promise<Inbox[]> {
  const inboxes = wanted ? await byIds(ctx, [...new Set(wanted)]) : await ableToSend(ctx);
  const known = new Set(inboxes.map((inbox) => inbox.id));
  const missing = wanted?.findIndex((id) => !known.has(id)) ?? -1;
  if (missing >= 0) throw new Refusal('resource_missing', 'No such inbox.', { param: `from_strategy.inbox_ids[${missing}]` });
  const able = inboxes.filter((inbox) => MAY_SEND.some((status) => status === inbox.status));
  if (able.length === 0) throw new Refusal('no_inbox_available', 'None of these inboxes can send now.', { param: 'from_strategy' });
  const active = able.filter((inbox) => inbox.status === 'active');
  return active.length > 0 ? active : able;
}

const ableToSend = (ctx: Ctx): Promise<Inbox[]> =>
  ctx.db.selectFrom('inboxes').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode)
    .where('status', '=', sql<'active'>`any(${[...MAY_SEND]})`).orderBy('id').execute(); // prettier-ignore

// A first turn is as long ago as any. Locked in the order of ids, before anything else of this call.
async function lockTurns(ctx: Ctx, inboxes: readonly Inbox[]): Promise<Map<string, number>> {
  const ids = inboxes.map((inbox) => inbox.id);
  await rowsOf(
    ctx.db,
    `insert into inbox_turns (workspace_id, inbox_id, last_turn) select $1, id, 0 from unnest($2::text[]) as t (id) order by id collate "C"
     on conflict do nothing`,
    [ctx.workspaceId, ids],
  );
  const rows = await rowsOf<{ inbox_id: string; last_turn: number }>(
    ctx.db,
    'select inbox_id, last_turn from inbox_turns where workspace_id = $1 and inbox_id = any($2) order by inbox_id for no key update',
    [ctx.workspaceId, ids],
  );
  return new Map(rows.map((row) => [row.inbox_id, row.last_turn]));
}

async function saveTurns(ctx: Ctx, turned: readonly Candidate[]): Promise<void> {
  await rowsOf(
    ctx.db,
    `update inbox_turns set last_turn = t.turn from unnest($2::text[], $3::bigint[]) as t (id, turn)
      where inbox_turns.workspace_id = $1 and inbox_turns.inbox_id = t.id`,
    [ctx.workspaceId, turned.map((one) => one.id), turned.map((one) => one.last_turn)],
  );
}

/** Nobody may send more than this in a day, so to count further tells nothing. */
const COUNTED = 1000;

/** How many sends of each inbox are still to leave today. */
async function waitingToday(ctx: Ctx, inboxes: readonly Inbox[]): Promise<Map<string, number>> {
  const rows = await rowsOf<{ id: string; waiting: number }>(
    ctx.db,
    `select wanted.id, (select count(*)::integer from (select 1 from sends s
               where s.workspace_id = $1 and s.inbox_id = wanted.id and s.due_at < wanted.until limit ${COUNTED}) as due) as waiting
       from unnest($2::text[], $3::timestamptz[]) as wanted (id, until)`,
    [ctx.workspaceId, inboxes.map((inbox) => inbox.id), inboxes.map((inbox) => dayAt(inbox, ctx.now).day_resets_at)],
  );
  return new Map(rows.map((row) => [row.id, row.waiting]));
}
