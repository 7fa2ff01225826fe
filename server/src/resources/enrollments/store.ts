import { type Selectable, sql } from 'kysely';
import { emailKey } from '#platform/email-address.ts';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['enrollments']>;
type Filter = PageParams & { status?: Row['status'] | undefined; email?: string | undefined };

const ours = (ctx: Ctx) => ctx.db.selectFrom('enrollments').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);
const anyOf = (ids: readonly string[]) => sql<string>`any(${[...ids]})`;

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();

export function list(ctx: Ctx, campaignId: string, { status, email, ...paging }: Filter) {
  let query = ours(ctx).where('campaign_id', '=', campaignId);
  if (status) query = query.where('status', '=', status);
  if (email) {
    const ofAddress = ctx.db.selectFrom('contacts').select('id').where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode)
      .where('email_key', '=', emailKey(email)); // prettier-ignore
    query = query.where('contact_id', 'in', ofAddress);
  }
  return page(query, paging, 'enr', (id) => byId(ctx, id));
}

/** The enrollments of these contacts in a campaign, locked in id order. */
export const lockedOfContacts = (ctx: Ctx, campaignId: string, contactIds: readonly string[]) =>
  ours(ctx).where('campaign_id', '=', campaignId).where('contact_id', '=', anyOf(contactIds))
    .orderBy('id').forNoKeyUpdate().execute(); // prettier-ignore

export const ofContact = (ctx: Ctx, contactId: string, campaignId?: string) => {
  const query = ours(ctx).where('contact_id', '=', contactId);
  return (campaignId ? query.where('campaign_id', '=', campaignId) : query).orderBy('id').execute();
};

/** Which of these contacts are active in another campaign. */
export async function activeElsewhere(ctx: Ctx, campaignId: string, contactIds: readonly string[]): Promise<Set<string>> {
  const rows = await ctx.db.selectFrom('enrollments').select('contact_id').distinct()
    .where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode).where('campaign_id', '<>', campaignId)
    .where('status', '=', 'active').where('contact_id', '=', anyOf(contactIds)).execute(); // prettier-ignore
  return new Set(rows.map((row) => row.contact_id));
}

type Fresh = { id: string; contactId: string; contactEmail: string };

/** Enroll at step 0. Whoever another caller enrolled meanwhile is left out of the answer: (campaign, contact) is unique. */
export function insertAll(ctx: Ctx, campaignId: string, rows: readonly Fresh[], dueAt: Date): Promise<{ contact_id: string }[]> {
  return rowsOf(
    ctx.db,
    `insert into enrollments (workspace_id, id, mode, campaign_id, contact_id, contact_email, current_step, status, next_send_at, plan_due_at,
                              thread_message_ids, created_at, updated_at)
     select $1, id, $2, $3, contact_id, contact_email, 0, 'active', $4, $4, '{}', $5, $5
       from unnest($6::text[], $7::text[], $8::text[]) as t (id, contact_id, contact_email)
     on conflict (workspace_id, campaign_id, contact_id) do nothing
     returning contact_id`,
    [
      ctx.workspaceId,
      ctx.mode,
      campaignId,
      dueAt,
      ctx.now,
      rows.map((row) => row.id),
      rows.map((row) => row.contactId),
      rows.map((row) => row.contactEmail),
    ],
  );
}

/** Lock these enrollments in id order. */
export async function lockEnrollments(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await rowsOf(ctx.db, 'select 1 from enrollments where workspace_id = $1 and id = any($2) order by id for no key update', [ctx.workspaceId, ids]);
}

export const restore = (ctx: Ctx, ids: readonly string[]) =>
  ctx.db.updateTable('enrollments').set({ status: 'active', plan_due_at: ctx.now, next_send_at: ctx.now, updated_at: ctx.now })
    .where('workspace_id', '=', ctx.workspaceId).where('id', '=', anyOf(ids)).where('status', '=', 'removed').execute(); // prettier-ignore

/** End these enrollments as `status`, those of them that are in one of `from`. Answers the rows that changed. */
export const end = (ctx: Ctx, ids: readonly string[], status: Row['status'], from: readonly Row['status'][]) =>
  ctx.db.updateTable('enrollments').set({ status, plan_due_at: null, next_send_at: null, updated_at: ctx.now })
    .where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode).where('id', '=', anyOf(ids))
    .where('status', '=', sql<Row['status']>`any(${[...from]})`).returningAll().execute(); // prettier-ignore

/** Have the planner look at these campaigns no later than `at`. Touches a row only when that is sooner than what stands there. */
export async function wakePlanner(ctx: Ctx, campaignIds: readonly string[], at: Date): Promise<void> {
  await rowsOf(
    ctx.db,
    `update campaigns set next_plan_at = $3
      where workspace_id = $1 and id = any($2::text[]) and status = 'running' and (next_plan_at is null or next_plan_at > $3)`,
    [ctx.workspaceId, [...new Set(campaignIds)].sort(), at],
  );
}
