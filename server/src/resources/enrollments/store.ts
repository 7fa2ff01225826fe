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

/** The enrollments of these contacts in a campaign. */
export const ofContacts = (ctx: Ctx, campaignId: string, contactIds: readonly string[]) =>
  ours(ctx).where('campaign_id', '=', campaignId).where('contact_id', '=', anyOf(contactIds)).orderBy('id').execute(); // prettier-ignore

/** The same, locked in id order. */
export const lockedOfContacts = (ctx: Ctx, campaignId: string, contactIds: readonly string[]) =>
  ours(ctx).where('campaign_id', '=', campaignId).where('contact_id', '=', anyOf(contactIds))
    .orderBy('id').forNoKeyUpdate().execute(); // prettier-ignore

/** Every enrollment of a campaign in a status: the contacts, in the order of their ids. */
export const contactsIn = async (ctx: Ctx, campaignId: string, status: Row['status']): Promise<string[]> =>
  (
    await rowsOf<{ contact_id: string }>(
      ctx.db,
      'select contact_id from enrollments where workspace_id = $1 and campaign_id = $2 and status = $3 order by contact_id',
      [ctx.workspaceId, campaignId, status],
    )
  ).map((row) => row.contact_id);

/** Gone with their campaign. */
export const removeAll = (ctx: Ctx, campaignId: string) =>
  rowsOf(ctx.db, 'delete from enrollments where workspace_id = $1 and campaign_id = $2', [ctx.workspaceId, campaignId]);

export const ofContact = (ctx: Ctx, contactId: string, campaignId?: string) => {
  const query = ours(ctx).where('contact_id', '=', contactId);
  return (campaignId ? query.where('campaign_id', '=', campaignId) : query).orderBy('id').execute();
};

/** Which of these contacts are active in another campaign than these. */
export async function activeElsewhere(ctx: Ctx, campaignIds: readonly string[], contactIds: readonly string[]): Promise<Set<string>> {
  const rows = await ctx.db.selectFrom('enrollments').select('contact_id').distinct()
    .where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode).where('campaign_id', '<>', sql<string>`all(${[...campaignIds]})`)
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

/**
 * Back among the active, at the step where they stopped; the wait since their last mail still counts. A mail that was in a worker's hands when they
 * were removed, and still is, is not planned a second time; one that failed meanwhile ends them now, as it would have then.
 */
export async function restore(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await rowsOf(
    ctx.db,
    `with due as (
       select e.id, open.scheduled_at as in_hand,
              exists (select from sends s where s.workspace_id = e.workspace_id and s.campaign_id = e.campaign_id and s.contact_id = e.contact_id
                         and s.campaign_step_id = st.id and s.state = 'failed' and s.canceled_at is null) as has_failed,
              greatest($3::timestamptz, (select max(s.sent_at) from sends s
                        where s.workspace_id = e.workspace_id and s.campaign_id = e.campaign_id and s.contact_id = e.contact_id
                          and s.canceled_at is null)
                + st.delay_minutes * interval '1 minute') as at
         from enrollments e
         left join campaign_steps st
           on st.workspace_id = e.workspace_id and st.campaign_id = e.campaign_id and st.step_order = e.current_step
         left join sends open on open.workspace_id = e.workspace_id and open.enrollment_id = e.id and open.is_open and open.enrollment_id > ''
        where e.workspace_id = $1 and e.id = any($2)
     )
     update enrollments e set status = case when has_failed then 'failed' else 'active' end,
            plan_due_at = case when in_hand is null and not has_failed then due.at end,
            next_send_at = case when not has_failed then coalesce(in_hand, due.at) end, updated_at = $3
       from due where e.workspace_id = $1 and e.id = due.id and e.status = 'removed'`,
    [ctx.workspaceId, ids, ctx.now],
  );
}

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

/** Have these planned again when they were to be mailed. Who has had no mail yet may get the first one from another inbox. */
export async function planAgain(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await rowsOf(
    ctx.db,
    `update enrollments set plan_due_at = coalesce(next_send_at, $3), updated_at = $3,
            assigned_inbox_id = case when thread_message_ids = '{}' then null else assigned_inbox_id end
      where workspace_id = $1 and id = any($2) and status = 'active' and plan_due_at is null`,
    [ctx.workspaceId, ids, ctx.now],
  );
}

/** How many steps of a campaign somebody has had who may yet get the next one: those who are active, or may be attached again. */
export async function stepsHad(ctx: Ctx, campaignId: string): Promise<number> {
  const [row] = await rowsOf<{ had: number }>(
    ctx.db,
    `select coalesce(max(current_step), 0) as had from enrollments
      where workspace_id = $1 and campaign_id = $2 and status in ('active', 'removed')`,
    [ctx.workspaceId, campaignId],
  );
  return row!.had;
}

/** The step at `position` is gone: whoever is further keeps its place among those that are left. `left` is how many they are. */
export async function closeGap(ctx: Ctx, campaignId: string, { position, left }: { position: number; left: number }): Promise<void> {
  await rowsOf(ctx.db, 'update enrollments set current_step = current_step - 1 where workspace_id = $1 and campaign_id = $2 and current_step > $3', [
    ctx.workspaceId,
    campaignId,
    position,
  ]);
  // Who has had every step that is left has come to the end; a mail in a worker's hands ends its own enrollment.
  await rowsOf(
    ctx.db,
    `update enrollments set status = 'finished', current_step = $3 - 1, plan_due_at = null, next_send_at = null, updated_at = $4
      where workspace_id = $1 and campaign_id = $2 and current_step >= $3
        and (status = 'removed' or (status = 'active' and plan_due_at is not null))`,
    [ctx.workspaceId, campaignId, left, ctx.now],
  );
}

/** The wait for the step at `position` has become longer by so many minutes: whoever waits for it waits longer. */
export async function postpone(ctx: Ctx, campaignId: string, { position, minutes }: { position: number; minutes: number }): Promise<void> {
  await rowsOf(
    ctx.db,
    `update enrollments set plan_due_at = plan_due_at + $4 * interval '1 minute',
            next_send_at = plan_due_at + $4 * interval '1 minute', updated_at = $5
      where workspace_id = $1 and campaign_id = $2 and current_step = $3 and status = 'active' and plan_due_at is not null`,
    [ctx.workspaceId, campaignId, position, minutes, ctx.now],
  );
}

/** Up to `limit` active enrollments of a campaign behind a contact, in the order of their contacts: for walks over all of them. */
export const activeAfter = (ctx: Ctx, campaignId: string, afterContact: string, limit: number): Promise<Row[]> =>
  rowsOf<Row>(
    ctx.db,
    `select * from enrollments where workspace_id = $1 and campaign_id = $2 and status = 'active' and contact_id > $3 order by contact_id limit $4`,
    [ctx.workspaceId, campaignId, afterContact, limit],
  );
