import type { Selectable } from 'kysely';
import { stepTable as stepTableOf } from '#resources/sequences/index.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['campaigns']>;
export type Step = Selectable<Tables['campaign_steps']>;
type Filter = PageParams & { status?: Row['status'] | undefined };

const ours = (ctx: Ctx) => ctx.db.selectFrom('campaigns').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();
export const locked = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** Locked against everything, new enrollments too. */
export const lockedToDelete = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forUpdate().executeTakeFirst();

export function list(ctx: Ctx, { status, ...paging }: Filter) {
  const query = status ? ours(ctx).where('status', '=', status) : ours(ctx);
  return page(query, paging, 'cmp', (id) => byId(ctx, id));
}

export const steps = (ctx: Ctx, campaignId: string): Promise<Step[]> =>
  ctx.db.selectFrom('campaign_steps').selectAll().where('workspace_id', '=', ctx.workspaceId).where('campaign_id', '=', campaignId)
    .orderBy('step_order').execute(); // prettier-ignore

/** The same rows as the steps that the rules of sequences know. */
export const stepTable = stepTableOf('campaign_steps', 'campaign_id');

export const insert = (ctx: Ctx, row: Omit<Row, 'workspace_id' | 'mode'>) =>
  ctx.db
    .insertInto('campaigns')
    .values({ ...row, workspace_id: ctx.workspaceId, mode: ctx.mode })
    .returningAll()
    .executeTakeFirstOrThrow();

export const insertSteps = (ctx: Ctx, rows: readonly Omit<Step, 'workspace_id'>[]) =>
  ctx.db.insertInto('campaign_steps').values(rows.map((row) => ({ ...row, workspace_id: ctx.workspaceId }))).execute(); // prettier-ignore

export const update = (ctx: Ctx, id: string, changes: Partial<Row>) =>
  ctx.db.updateTable('campaigns').set({ ...changes, updated_at: ctx.now })
    .where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode).where('id', '=', id)
    .returningAll().executeTakeFirstOrThrow(); // prettier-ignore

export const remove = (ctx: Ctx, id: string) =>
  ctx.db.deleteFrom('campaigns').where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode).where('id', '=', id).execute();
