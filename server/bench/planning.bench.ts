// The planner's look at a campaign: of many enrolled and of few, with as many due. And the forecast of a start.
import { performance } from 'node:perf_hooks';
import { authenticate } from '#resources/api-keys/index.ts';
import { allRoutes } from '#resources/all-routes.ts';
import { planDue } from '#engine/campaigns/index.ts';
import { newId } from '#platform/ids.ts';
import { rowsOf } from '#store/db.ts';
import { createApp } from '#web/app.ts';
import type { World } from '#world/ctx.ts';
import { type Tenant, insertCampaign, tenant } from './seed.ts';

const DUE = 1_000;
const INBOXES = 20;
const BATCH = 50_000;

export type Field = { who: Tenant; campaignId: string };

/** A campaign with `enrolled` contacts: a thousand are due for their first mail, the others wait, half of them for a follow-up. */
export async function field(world: World, enrolled: number): Promise<Field> {
  const who = await tenant(world, 1, INBOXES);
  const { ctx } = who;
  const campaignId = newId(ctx, 'cmp');
  await insertCampaign(ctx, campaignId, who.inboxIds);
  await enroll(who, campaignId, enrolled);
  return { who, campaignId };
}

// Contacts nobody searches for: their index of words is not what is measured.
const CONTACTS = `
  insert into contacts (workspace_id, id, mode, email, email_key, attributes, global_status, search_text, created_at, updated_at)
  select $1, 'con_' || lpad(i::text, 26, '0'), $2, 'p' || i || '@example.com', 'p' || i || '@example.com',
         jsonb_build_object('first_name', 'First ' || i, 'company', 'Company ' || i % 997), 'ok', '', $3, $3
    from generate_series($4::int, $5::int) as i`;
const ENROLLMENTS = `
  insert into enrollments (workspace_id, id, mode, campaign_id, contact_id, contact_email, current_step, status, next_send_at, assigned_inbox_id,
                           plan_due_at, thread_subject, thread_message_ids, created_at, updated_at)
  select $1, 'enr_' || lpad(i::text, 26, '0'), $2, $6, 'con_' || lpad(i::text, 26, '0'), 'p' || i || '@example.com', step, 'active', at,
         case when step = 1 then ($7::text[])[1 + i % cardinality($7::text[])] end, at, case when step = 1 then 'S' end,
         case when step = 1 then array['<m' || i || '@sender.test>'] else '{}' end, $3, $3
    from generate_series($4::int, $5::int) as i,
         lateral (select case when i >= ${DUE} and i % 2 = 1 then 1 else 0 end as step,
                         $3::timestamptz + case when i >= ${DUE} then interval '1 day' + i * interval '1 second' else '0' end as at) as of`;

async function enroll({ ctx, inboxIds }: Tenant, campaignId: string, enrolled: number): Promise<void> {
  const at = ctx.clock.now();
  for (let from = 0; from < enrolled; from += BATCH) {
    const part = [ctx.workspaceId, ctx.mode, at, from, Math.min(from + BATCH, enrolled) - 1];
    await rowsOf(ctx.db, CONTACTS, part);
    await rowsOf(ctx.db, ENROLLMENTS, [...part, campaignId, inboxIds]);
  }
}

/** Milliseconds of one look, which writes a thousand sends. What it wrote is taken away again. */
export async function tick(world: World, { who: { ctx }, campaignId }: Field): Promise<number> {
  const mine = [ctx.workspaceId, campaignId];
  await rowsOf(world.db, 'update campaigns set next_plan_at = $3 where workspace_id = $1 and id = $2', [...mine, world.clock.now()]);
  const started = performance.now();
  const looks = await planDue(world, null);
  const ms = performance.now() - started;
  const [row] = await rowsOf<{ count: number }>(world.db, 'select count(*) from sends where workspace_id = $1 and campaign_id = $2', mine);
  if (looks !== 1 || row!.count !== DUE) throw new Error(`${looks} looks planned ${row!.count} sends, not ${DUE}.`);
  await rowsOf(
    world.db,
    `update enrollments e set plan_due_at = e.created_at, assigned_inbox_id = null from sends s
      where s.workspace_id = $1 and s.campaign_id = $2 and e.workspace_id = s.workspace_id and e.id = s.enrollment_id`,
    mine,
  );
  await rowsOf(
    world.db,
    `with gone as (delete from sends where workspace_id = $1 and campaign_id = $2 returning id)
     delete from send_contents c using gone where c.workspace_id = $1 and c.send_id = gone.id`,
    mine,
  );
  await rowsOf(world.db, `update campaigns set next_plan_at = null, pace = '{}' where workspace_id = $1 and id = $2`, mine);
  await rowsOf(world.db, 'update inboxes set planned_until = $2 where workspace_id = $1', [ctx.workspaceId, ctx.now]);
  for (const table of ['sends', 'send_contents', 'enrollments', 'campaigns', 'inboxes']) await rowsOf(world.db, `vacuum analyze ${table}`, []);
  return ms;
}

/** Milliseconds of `POST …/start?dry_run=true` for a draft of so many contacts and two steps. */
export async function rehearsal(world: World, contacts: number): Promise<number> {
  const { who, campaignId } = await field(world, contacts);
  await rowsOf(world.db, `update campaigns set status = 'draft' where workspace_id = $1 and id = $2`, [who.ctx.workspaceId, campaignId]);
  const app = createApp(world, allRoutes, { authenticate });
  try {
    const started = performance.now();
    const url = `/v1/campaigns/${campaignId}/start?dry_run=true`;
    const answer = await app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${who.liveKey}` } });
    const ms = performance.now() - started;
    const said = answer.json<{ contacts: number; forecast: { sends: number }[] }>();
    const sends = said.forecast.reduce((sum, day) => sum + day.sends, 0);
    if (said.contacts !== contacts || sends < contacts) throw new Error(`It speaks of ${said.contacts} contacts and ${sends} sends.`);
    return ms;
  } finally {
    await app.close();
  }
}
