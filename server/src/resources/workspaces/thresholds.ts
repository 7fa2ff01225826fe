import { rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { limitsOf } from './plans.ts';
import { snapshot } from './snapshot.ts';
import * as store from './store.ts';

const PERCENTS = [80, 100] as const;

export type Quota = 'sends' | 'contacts' | 'webhooks';
type Change = { quota: Quota; period: string; before: number; after: number; limit: number };

/** From how many on a share of a quota counts as reached. */
const reachedAt = (limit: number, percent: number) => Math.ceil((limit * percent) / 100);

/**
 * Tell usage.threshold_reached for each share of a quota that this change reaches, once for each period. The caller holds the lock under
 * which the quota is counted; the marks are unique all the same.
 */
export async function noteUsage(ctx: Ctx, { quota, period, before, after, limit }: Change): Promise<void> {
  if (limit === 0) return;
  for (const percent of PERCENTS) {
    const at = reachedAt(limit, percent);
    if (before >= at || after < at || !(await mark(ctx, quota, period, percent))) continue;
    const data = { ...(await snapshot(ctx)), quota, threshold_percent: percent, used: after, limit };
    record(ctx, { type: 'usage.threshold_reached', resourceId: ctx.workspaceId, data });
  }
}

async function mark(ctx: Ctx, quota: Quota, period: string, percent: number): Promise<boolean> {
  const text = `
    insert into usage_thresholds (workspace_id, quota, period, threshold_percent, reached_at) values ($1, $2, $3, $4, $5)
    on conflict do nothing returning 1`;
  return (await rowsOf(ctx.db, text, [ctx.workspaceId, quota, period, percent, ctx.now])).length > 0;
}

const COUNT = { contacts: store.liveContacts, webhooks: store.liveWebhooks };

/**
 * Take away something that counts (`remove`), and with it the marks of the shares that are no longer reached, so that reaching them again is
 * told again. The workspace is locked first, as for adding, but only where there are marks.
 */
export async function freeingRoom<T>(ctx: Ctx, quota: keyof typeof COUNT, remove: () => Promise<T>): Promise<T> {
  if (ctx.mode === 'test' || !(await hasMarks(ctx, quota))) return remove();
  const limit = limitsOf(ctx.config, await store.lockOwn(ctx))[quota];
  const removed = await remove();
  const used = await COUNT[quota](ctx);
  const fallen = PERCENTS.filter((percent) => limit === null || used < reachedAt(limit, percent));
  const text = `delete from usage_thresholds where workspace_id = $1 and quota = $2 and period = '' and threshold_percent = any($3)`;
  await rowsOf(ctx.db, text, [ctx.workspaceId, quota, fallen]);
  return removed;
}

async function hasMarks(ctx: Ctx, quota: Quota): Promise<boolean> {
  const text = `select 1 from usage_thresholds where workspace_id = $1 and quota = $2 and period = '' limit 1`;
  return (await rowsOf(ctx.db, text, [ctx.workspaceId, quota])).length > 0;
}
