import { type Selectable, sql } from 'kysely';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';
import { stepTable } from './step-table.ts';

export type Row = Selectable<Tables['sequences']>;
export type Counted = Row & { step_count: number };

export const steps = stepTable('sequence_steps', 'sequence_id');

const COUNT = sql<number>`(select count(*) from sequence_steps
  where sequence_steps.workspace_id = sequences.workspace_id and sequence_steps.sequence_id = sequences.id)`;

const ours = (ctx: Ctx) => ctx.db.selectFrom('sequences').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).select(COUNT.as('step_count')).where('id', '=', id).executeTakeFirst();

/** The steps of a sequence that the caller has found, in their order. */
export const stepsOf = steps.of;

export const list = (ctx: Ctx, paging: PageParams) => page(ours(ctx).select(COUNT.as('step_count')), paging, 'seq', (id) => byId(ctx, id));

/** The sequence, locked until the commit: its steps are changed by one caller at a time. */
export const lock = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

/** The sequence, sure to be there until the commit. */
export const lockKey = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forKeyShare().executeTakeFirst();

export const insert = (ctx: Ctx, row: Row) => ctx.db.insertInto('sequences').values(row).execute();

const mine = (ctx: Ctx, id: string) => sql<boolean>`workspace_id = ${ctx.workspaceId} and mode = ${ctx.mode} and id = ${id}`;

export const change = (ctx: Ctx, id: string, values: Partial<Pick<Row, 'name' | 'description' | 'updated_at'>>) =>
  ctx.db.updateTable('sequences').set(values).where(mine(ctx, id)).execute();

export const remove = (ctx: Ctx, id: string) => ctx.db.deleteFrom('sequences').where(mine(ctx, id)).execute();
