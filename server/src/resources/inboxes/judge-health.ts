import { inTransaction, isConnectionLost, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import { inScope } from '#world/scope.ts';
import { type Troubles, WINDOW_MS, healthAfter, scoreOf } from './health.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

const HOUR_MS = 3_600_000;
const AT_ONCE = 100;
export type Trouble = { inboxId: string; kind: keyof Troubles };

/** Count what went wrong with inboxes, in the caller's transaction. Locks no inbox itself: it comes behind the locks of inboxes. */
export async function noteTroubles(ctx: Ctx, troubles: readonly Trouble[]): Promise<void> {
  if (troubles.length === 0) return;
  const hour = new Date(Math.floor(ctx.now.getTime() / HOUR_MS) * HOUR_MS);
  await rowsOf(
    ctx.db,
    `insert into inbox_troubles as t (workspace_id, inbox_id, hour, hard_bounces, complaints, failures, auth_errors, is_judged)
     select $1, inbox_id, $2, count(*) filter (where kind = 'hard_bounces'), count(*) filter (where kind = 'complaints'),
            count(*) filter (where kind = 'failures'), count(*) filter (where kind = 'auth_errors'), false
       from unnest($3::text[], $4::text[]) as u (inbox_id, kind) group by inbox_id order by inbox_id
     on conflict (workspace_id, inbox_id, hour) do update set
       hard_bounces = t.hard_bounces + excluded.hard_bounces, complaints = t.complaints + excluded.complaints,
       failures = t.failures + excluded.failures, auth_errors = t.auth_errors + excluded.auth_errors, is_judged = false`,
    [ctx.workspaceId, hour, troubles.map((one) => one.inboxId), troubles.map((one) => one.kind)],
  );
}

/**
 * Work out the health of the inboxes for which it is time by the world's calendar: in test mode of one workspace, or wherever no test clock drives.
 * Each once an hour, and soon after something went wrong.
 */
export async function judgeHealth(world: World, workspaceId: string | null): Promise<void> {
  const now = world.clock.now();
  await rowsOf(
    world.db,
    `delete from inbox_troubles t using inboxes i
      where t.hour < $2 and i.workspace_id = t.workspace_id and i.id = t.inbox_id and ${inScope('i', '$1', workspaceId)}`,
    [workspaceId, new Date(now.getTime() - WINDOW_MS - HOUR_MS)],
  );
  const due = await rowsOf<Pick<store.Row, 'workspace_id' | 'id' | 'mode'>>(
    world.db,
    `with due as (
       (select i.workspace_id, i.id, i.mode from inbox_troubles t join inboxes i on i.workspace_id = t.workspace_id and i.id = t.inbox_id
         where not t.is_judged and i.status <> 'revoked' and ${inScope('i', '$1', workspaceId)} limit $3)
       union
       (select i.workspace_id, i.id, i.mode from inboxes i
         where i.status <> 'revoked' and i.health_due_at <= $2 and ${inScope('i', '$1', workspaceId)} order by i.health_due_at limit $3)
     ) select * from due order by workspace_id, id`,
    [workspaceId, now, AT_ONCE],
  );
  for (const [, those] of Map.groupBy(due, (one) => `${one.workspace_id} ${one.mode}`)) {
    const ids = those.map((one) => one.id);
    const { workspace_id, mode } = those[0]!;
    try {
      await inTransaction(actingFor(world, workspace_id, mode), (ctx) => judge(ctx, ids, { isDriven: workspaceId !== null }));
    } catch (error) {
      // Nobody else waits for the walk of one workspace, which would come back to what is left undone a millisecond later, for ever.
      if (workspaceId !== null || isConnectionLost(error)) throw error;
      world.log.error({ workspace: workspace_id, err: error }, 'the health of inboxes could not be judged');
    }
  }
}

/**
 * When an inbox is judged next, if nothing goes wrong. A test clock comes by at full hours where it waits for the end of a rest, else at midnight:
 * times that do not depend on where a caller lets it stop.
 */
function nextJudgement(now: Date, { status }: Pick<store.Row, 'status'>, isDriven: boolean): Date {
  if (!isDriven) return new Date(now.getTime() + HOUR_MS);
  const unit = status === 'unhealthy' ? HOUR_MS : 24 * HOUR_MS;
  return new Date((Math.floor(now.getTime() / unit) + 1) * unit);
}

async function judge(ctx: Ctx, ids: readonly string[], { isDriven }: { isDriven: boolean }): Promise<void> {
  // A walk comes by once; in life whoever is held at this moment is judged at the next step, and nobody waits for all of them.
  const rows = (await store.byIds(ctx, ids, isDriven ? 'for no key update' : 'for no key update skip locked')).filter(
    (row) => row.status !== 'revoked',
  );
  const weeks = await lastWeeks(ctx, rows.map((row) => row.id)); // prettier-ignore
  const judged = rows.map((before) => {
    const { sends, ...troubles } = weeks.get(before.id)!;
    const health = healthAfter(before, scoreOf(sends, troubles), ctx.now);
    return { before, after: { ...before, ...health, health_due_at: nextJudgement(ctx.now, health, isDriven) } };
  });
  await store.saveHealth(ctx, judged.map((one) => one.after)); // prettier-ignore
  for (const { before, after } of judged) {
    if (after.health_tier === before.health_tier) continue;
    const previous = { health_score: before.health_score, ...(after.status !== before.status && { status: before.status }) };
    const data = { ...present(after, ctx.now), health_tier: after.health_tier, previous_health_tier: before.health_tier };
    record(ctx, { type: 'inbox.health_changed', resourceId: before.id, data, previous });
  }
}

/** What happened in the last seven days, by inbox; what went wrong has been judged with it. */
async function lastWeeks(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Troubles & { sends: number }>> {
  const since = new Date(ctx.now.getTime() - WINDOW_MS);
  await rowsOf(ctx.db, 'update inbox_troubles set is_judged = true where workspace_id = $1 and inbox_id = any($2::text[]) and not is_judged', [
    ctx.workspaceId,
    ids,
  ]);
  const rows = await rowsOf<Troubles & { id: string; sends: number }>(
    ctx.db,
    `select id, week.*, (select count(send_id)::int from budget_units where workspace_id = $1 and inbox_id = id and day > $3) as sends
       from unnest($2::text[]) as id, lateral (
         select coalesce(sum(hard_bounces), 0)::int as hard_bounces, coalesce(sum(complaints), 0)::int as complaints,
                coalesce(sum(failures), 0)::int as failures, coalesce(sum(auth_errors), 0)::int as auth_errors
           from inbox_troubles where workspace_id = $1 and inbox_id = id and hour > $3) as week`,
    [ctx.workspaceId, ids, since],
  );
  return new Map(rows.map(({ id, ...week }) => [id, week]));
}
