// Everything that a plan is made from, read in few statements whose cost grows with what is due, never with what is enrolled.
import { rowsOf } from '#store/db.ts';
import type { Enrollment } from '#resources/enrollments/index.ts';
import { type Inbox, MAY_SEND, capLeft, dayAt } from '#resources/inboxes/index.ts';
import { isEntitled, sendsLeft } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Pace, Paces, Sender } from './pace.ts';
import { type Facts, type LeadsWanted, leadsWanted } from './plan.ts';
import type { Schedule } from './schedule.ts';
import type { Row as Campaign } from './store.ts';

/** What one look at a campaign takes in at most. */
const MAX_LEADS = 1_000;
/** So many of those who are due at their inboxes are looked through for the first of each: more than a backlog of one inbox ever holds. */
const MOST_DUE = 10_000;

type Counts = { active: boolean; enrolled: boolean; due: boolean; open: boolean; marked: boolean; next_due_at: Date | null };

/** `hasMarks`: something has happened to mails of steps whose variants race. */
export type CampaignFacts = Facts & { campaign: Campaign; enrollments: Map<string, Enrollment>; hasMarks: boolean };

/**
 * The facts for a plan; undefined when the campaign is not running any more. Its inboxes are locked, so that two campaigns that share one
 * cannot plan it at the same time; then the campaign, so that a pause waits for this plan and takes it back.
 */
export async function factsToPlan(ctx: Ctx, claimed: Campaign): Promise<CampaignFacts | undefined> {
  const inboxes = await inboxesFor(ctx, claimed, 'for no key update');
  const [campaign] = await rowsOf<Campaign>(
    ctx.db,
    `select * from campaigns where workspace_id = $1 and id = $2 and status = 'running' for no key update`,
    [ctx.workspaceId, claimed.id],
  );
  if (!campaign) return undefined;
  const senders = await sendersOf(ctx, campaign, inboxes);
  const wanted = leadsWanted({ now: ctx.now, schedule: campaign.schedule as Schedule, senders });
  return factsOf(ctx, campaign, senders, { wanted, lock: 'for no key update skip locked' });
}

/** The same facts with all who are due, only looked at. */
export async function factsToShow(ctx: Ctx, campaign: Campaign): Promise<CampaignFacts> {
  const senders = await sendersOf(ctx, campaign, await inboxesFor(ctx, campaign, ''));
  return factsOf(ctx, campaign, senders, { wanted: allLeads(senders), lock: '' });
}

// Follow-ups and new leads each from their own end of the index: who waits for a later day is never walked over. Of those whose inbox is known, and
// of the others, only as many as there are slots for are locked and read whole.
const DUE_FIRST = `
  select id, assigned_inbox_id, plan_due_at from enrollments
   where workspace_id = $1 and campaign_id = $2 and plan_due_at is not null and plan_due_at <= $3 and (current_step > 0) = (kind.later = 1)`;
const DUE = (lock: Due['lock']) => `
  with kind (later) as (values (1), (0)),
  known as (
    select d.id, d.assigned_inbox_id, row_number() over (partition by d.assigned_inbox_id, kind.later order by d.plan_due_at, d.id) as nth
      from kind cross join lateral (
        ${DUE_FIRST} and assigned_inbox_id = any($4::text[]) order by plan_due_at, id limit ${MOST_DUE}) as d
  ), fresh as (
    select d.id from kind cross join lateral (${DUE_FIRST} and assigned_inbox_id is null order by plan_due_at, id limit $6) as d
  )
  select e.* from enrollments e
   where e.workspace_id = $1 and e.plan_due_at <= $3 and e.id = any(array(
     select known.id from known join unnest($4::text[], $5::int[]) as wanted (inbox_id, most) on wanted.inbox_id = known.assigned_inbox_id
      where known.nth <= wanted.most
     union all
     select id from fresh))
   order by (e.current_step > 0) desc, e.plan_due_at, e.id limit ${MAX_LEADS} ${lock}`;

// Somebody who is active is due, will be due or has a send under way; only when nobody is, all are looked through.
const COUNTS = `
  with soonest as materialized (
    select min(due) as at from (values (0), (1)) as kind (later), lateral (
      select plan_due_at as due from enrollments
       where workspace_id = $1 and campaign_id = $2 and plan_due_at is not null and (current_step > 0) = (kind.later = 1)
       order by plan_due_at limit 1) as first
  ), coming as materialized (
    select min(due) as at from (values (0), (1)) as kind (later), lateral (
      select plan_due_at as due from enrollments
       where workspace_id = $1 and campaign_id = $2 and plan_due_at > $3 and (current_step > 0) = (kind.later = 1)
       order by plan_due_at limit 1) as next
  ), open as materialized (
    select exists (select 1 from sends where workspace_id = $1 and campaign_id = $2 and campaign_id > '' and is_open) as is_so
  )
  select case when soonest.at is not null or open.is_so then true
              else exists (select 1 from enrollments where workspace_id = $1 and campaign_id = $2 and status = 'active') end as active,
         exists (select 1 from enrollments where workspace_id = $1 and campaign_id = $2) as enrolled,
         coalesce(soonest.at <= $3, false) as due, open.is_so as open, coming.at as next_due_at,
         exists (select from variant_marks where workspace_id = $1 and campaign_id = $2) as marked
    from soonest, coming, open`;

const allLeads = (senders: readonly Sender[]): LeadsWanted => ({
  known: new Map(senders.filter((one) => one.room > 0).map((one) => [one.inbox.id, MAX_LEADS])),
  fresh: MAX_LEADS,
});

/** Whom to read of those who are due, and how they are locked. */
type Due = { wanted: LeadsWanted; lock: '' | 'for no key update skip locked' };

async function factsOf(ctx: Ctx, campaign: Campaign, senders: Sender[], { wanted: { known, fresh }, lock }: Due): Promise<CampaignFacts> {
  const enrollments = await rowsOf<Enrollment>(ctx.db, DUE(lock), [
    ctx.workspaceId,
    campaign.id,
    ctx.now,
    [...known.keys()],
    [...known.values()],
    fresh,
  ]);
  const [counts] = await rowsOf<Counts>(ctx.db, COUNTS, [ctx.workspaceId, campaign.id, ctx.now]);
  return {
    campaign,
    now: ctx.now,
    schedule: campaign.schedule as Schedule,
    senders,
    leads: enrollments.map((row) => ({
      id: row.id,
      current_step: row.current_step,
      assigned_inbox_id: row.assigned_inbox_id,
      plan_due_at: row.plan_due_at!,
    })),
    hasActive: counts!.active,
    hasEnrolled: counts!.enrolled,
    hasDue: counts!.due,
    hasOpen: counts!.open,
    hasMarks: counts!.marked,
    nextDueAt: counts!.next_due_at,
    lastPlannedAt: lastOf(campaign.pace as Paces),
    quotaLeft: (await sendsLeft(ctx)) ?? Infinity,
    isEntitled: await isEntitled(ctx),
    enrollments: new Map(enrollments.map((row) => [row.id, row])),
  };
}

function lastOf(paces: Paces): Date | null {
  const times = Object.values(paces).flatMap(({ at }) => at ?? []);
  return times.length ? new Date(Math.max(...times)) : null;
}

const inboxesFor = (ctx: Ctx, campaign: Campaign, lock: '' | 'for no key update') =>
  rowsOf<Inbox>(
    ctx.db,
    `select * from inboxes
      where workspace_id = $1 and mode = $2 and (id = any($3::text[]) or tags && $4::text[]) and status = any($5::text[])
      order by id ${lock}`,
    [ctx.workspaceId, ctx.mode, campaign.sending_inbox_ids, campaign.sending_inbox_tags, MAY_SEND],
  );

/** What the other running campaigns keep of these inboxes, where they share some. */
async function rivalsOf(ctx: Ctx, campaign: Campaign, inboxes: readonly Inbox[]): Promise<Paces[]> {
  const rows = await rowsOf<{ pace: Paces }>(
    ctx.db,
    `select pace from campaigns
      where workspace_id = $1 and mode = $2 and status = 'running' and id <> $3
        and (sending_inbox_ids && $4::text[] or sending_inbox_tags && $5::text[])
        and pace <> '{}'`,
    [ctx.workspaceId, ctx.mode, campaign.id, inboxes.map((one) => one.id), [...new Set(inboxes.flatMap((one) => one.tags))]],
  );
  return rows.map((row) => row.pace);
}

async function sendersOf(ctx: Ctx, campaign: Campaign, inboxes: readonly Inbox[]): Promise<Sender[]> {
  if (inboxes.length === 0) return [];
  const rivals = await rivalsOf(ctx, campaign, inboxes);
  const paces = campaign.pace as Paces;
  const waiting = await rowsOf<{ inbox_id: string; today: number; soon: number }>(
    ctx.db,
    `select s.inbox_id, count(*)::int as today, count(*) filter (where s.campaign_id is not null)::int as soon
       from sends s join unnest($2::text[], $3::timestamptz[]) as i (id, resets_at) on s.inbox_id = i.id
      where s.workspace_id = $1 and s.due_at is not null and not s.is_reply and (
        (s.state = 'scheduled' and s.due_at < i.resets_at) or (s.state = 'sending' and not exists (
          select 1 from send_attempts a
           where a.workspace_id = s.workspace_id and a.send_id = s.id and a.attempt = s.fence and a.dot_released_at is not null)))
      group by s.inbox_id`,
    [ctx.workspaceId, inboxes.map((one) => one.id), inboxes.map((one) => dayAt(one, ctx.now).day_resets_at)],
  );
  const counts = new Map(waiting.map((row) => [row.inbox_id, row]));
  return inboxes.map((inbox) => {
    const { today = 0, soon = 0 } = counts.get(inbox.id) ?? {};
    return {
      inbox,
      room: Math.max(0, capLeft(inbox, ctx.now) - today),
      waiting: soon,
      pace: paces[inbox.id] ?? {},
      rivals: rivals.flatMap((one): Pace[] => (one[inbox.id] ? [one[inbox.id]!] : [])),
    };
  });
}
