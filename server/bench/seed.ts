// What a benchmark finds in the database when its clock starts, and what must be there when it stops.
import { inTransaction, rowsOf } from '#store/db.ts';
import { newId } from '#platform/ids.ts';
import { connectSmtp } from '#resources/inboxes/connect-smtp.ts';
import { byIds } from '#resources/inboxes/index.ts';
import { freshSend, newMessageId, scheduleAll } from '#resources/sends/index.ts';
import { createWorkspace } from '#resources/workspaces/index.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import { USER, addressOf, letterTo, nameOf } from './letter.ts';

export type Tenant = { ctx: Ctx; liveKey: string; inboxIds: string[] };

/** A workspace of its own with inboxes that send to `port` without a gap, 500 a day, and that nobody reads. */
export async function tenant(world: World, port: number, inboxes: number): Promise<Tenant> {
  const { workspaceId, liveKey } = await createWorkspace(world, { name: 'Bench' });
  const ctx = actingFor(world, workspaceId, 'live');
  const server = { host: 'localhost', port, security: 'starttls' as const, ...USER };
  const inboxIds = await inTransaction(ctx, async (inside) => {
    const ids = [];
    for (let i = 0; i < inboxes; i++) {
      const wanted = { email_address: `ann${i}@sender.test`, display_name: 'Ann Sender', smtp: server, imap: server };
      ids.push((await connectSmtp(inside, wanted, [])).row.id);
    }
    return ids;
  });
  await rowsOf(
    world.db,
    `update inboxes set min_gap_seconds = 0, max_gap_seconds = 0, ramp_enabled = false, daily_limit = 500, next_poll_at = null
      where workspace_id = $1`,
    [workspaceId],
  );
  return { ctx, liveKey, inboxIds };
}

const FOLLOW_UP_MINUTES = 3 * 24 * 60;

/** `count` people enrolled in a campaign of two steps, the first step of each planned and due now, evenly over the inboxes. `first` numbers them. */
export async function campaignOf({ ctx: given, inboxIds }: Tenant, count: number, first = 0): Promise<void> {
  const world = { ...given, now: given.clock.now() };
  await inTransaction(world, async (ctx) => {
    const campaignId = newId(ctx, 'cmp');
    const people = Array.from({ length: count }, (_, i) => ({ nth: first + i, contactId: newId(ctx, 'con'), enrollmentId: newId(ctx, 'enr') }));
    const stepId = await insertCampaign(ctx, campaignId, inboxIds);
    await insertPeople(ctx, campaignId, people);
    const rows = people.map(({ nth, contactId, enrollmentId }) => {
      const { subject, text, html } = letterTo(nameOf(nth));
      return freshSend(ctx, ctx.now, {
        workspace_id: ctx.workspaceId, mode: ctx.mode, inbox_id: inboxIds[nth % inboxIds.length]!,
        to_email: addressOf(nth), to_email_key: addressOf(nth),
        to_name: nameOf(nth), subject, body_html: html, body_text: text, scheduled_at: ctx.now,
        rfc822_message_id: newMessageId(ctx, 'ann@sender.test'),
        campaign_id: campaignId, contact_id: contactId, enrollment_id: enrollmentId, campaign_step_id: stepId,
      }); // prettier-ignore
    });
    await scheduleAll(ctx, rows, new Map((await byIds(ctx, inboxIds)).map((inbox) => [inbox.id, inbox])));
  });
}

/** A running campaign of two steps over these inboxes; nobody is enrolled, and nothing will be planned by itself. Answers its first step. */
export async function insertCampaign(ctx: Ctx, id: string, inboxIds: readonly string[]): Promise<string> {
  const schedule = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
  await rowsOf(
    ctx.db,
    `insert into campaigns (workspace_id, id, mode, name, status, schedule, sending_inbox_ids, sending_inbox_tags, track_opens, track_clicks,
                            inject_unsubscribe_footer, created_at, updated_at)
     values ($1, $2, $3, 'Bench', 'running', $4, $5, '{}', false, false, false, $6, $6)`,
    [ctx.workspaceId, id, ctx.mode, JSON.stringify(schedule), inboxIds, ctx.now],
  );
  const steps = [0, FOLLOW_UP_MINUTES].map((delay, order) => ({ id: newId(ctx, 'cst'), delay, order }));
  const { subject, text, html } = letterTo('{{first_name}}');
  await rowsOf(
    ctx.db,
    `insert into campaign_steps (workspace_id, id, campaign_id, step_order, delay_minutes, subject, body_html, body_text)
     select $1, id, $2, step_order, delay, $3, $4, $5 from unnest($6::text[], $7::int[], $8::int[]) as t (id, step_order, delay)`,
    [ctx.workspaceId, id, subject, html, text, steps.map((one) => one.id), steps.map((one) => one.order), steps.map((one) => one.delay)],
  );
  return steps[0]!.id;
}

type Person = { nth: number; contactId: string; enrollmentId: string };

async function insertPeople(ctx: Ctx, campaignId: string, people: readonly Person[]): Promise<void> {
  const emails = people.map(({ nth }) => addressOf(nth));
  const contactIds = people.map((one) => one.contactId);
  await rowsOf(
    ctx.db,
    `insert into contacts (workspace_id, id, mode, email, email_key, attributes, global_status, search_text, created_at, updated_at)
     select $1, id, $2, email, email, attributes, 'ok', email, $3, $3 from unnest($4::text[], $5::text[], $6::jsonb[]) as t (id, email, attributes)`,
    [
      ctx.workspaceId,
      ctx.mode,
      ctx.now,
      contactIds,
      emails,
      people.map(({ nth }) => JSON.stringify({ first_name: nameOf(nth), company: 'Acme', city: 'Anytown' })),
    ],
  );
  await rowsOf(
    ctx.db,
    `insert into enrollments (workspace_id, id, mode, campaign_id, contact_id, contact_email, current_step, status, next_send_at, thread_message_ids,
                              created_at, updated_at)
     select $1, id, $2, $3, contact_id, email, 0, 'active', $4, '{}', $4, $4
       from unnest($5::text[], $6::text[], $7::text[]) as t (id, contact_id, email)`,
    [ctx.workspaceId, ctx.mode, campaignId, ctx.now, people.map((one) => one.enrollmentId), contactIds, emails],
  );
}

const COUNTS = {
  sends: `select count(*) from sends where workspace_id = $1 and state = 'sent' and sent_at is not null`,
  released: `select count(*) from send_attempts where workspace_id = $1 and outcome = 'accepted' and dot_released_at is not null`,
  units: `select count(distinct send_id) from budget_units where workspace_id = $1`,
  messages: `select count(*) from messages where workspace_id = $1 and direction = 'outbound' and matched_send_id is null`,
  events: `select count(distinct resource_id) from events where workspace_id = $1 and type = 'send.sent'`,
  usage: `select coalesce(sum(sends_count), 0)::int as count from usage_months where workspace_id = $1`,
  budget: `select coalesce(sum(day_count), 0)::int as count from inboxes where workspace_id = $1`,
  advanced: `select count(*) from enrollments where workspace_id = $1 and current_step = 1 and plan_due_at is not null`,
};

/** Throw unless the database tells of exactly `count` sends (of them `enrolled` a campaign's) in every place that speaks of them. */
export async function verify({ ctx }: Tenant, count: number, enrolled: number): Promise<void> {
  for (const [what, text] of Object.entries(COUNTS)) {
    const [row] = await rowsOf<{ count: number }>(ctx.db, text, [ctx.workspaceId]);
    const wanted = what === 'advanced' ? enrolled : count;
    if (row!.count !== wanted) throw new Error(`There are ${row!.count} ${what}, not ${wanted}.`);
  }
}
