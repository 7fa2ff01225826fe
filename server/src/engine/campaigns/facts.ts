import { rowsOf } from '#store/db.ts';
import type { Campaign, Schedule } from '#resources/campaigns/index.ts';
import type { Enrollment } from '#resources/enrollments/index.ts';
import { type Inbox, MAY_SEND, capLeft, dayAt } from '#resources/inboxes/index.ts';
import { sendsLeft } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Facts, Sender } from './rules.ts';

/** What one look at a campaign takes in at most: the cost grows with what is due, never with what is enrolled. */
const MAX_LEADS = 1_000;

type Counts = { active: boolean; enrolled: boolean; due: boolean; open: boolean; next_due_at: Date | null };

export type CampaignFacts = Facts & { campaign: Campaign; enrollments: Map<string, Enrollment> };

/**
 * Everything that the plan is made from; undefined when the campaign is not running any more. Its inboxes are locked, so that two campaigns
 * that share one cannot plan it at the same time; then the campaign, so that a pause waits for this plan and takes it back.
 */
export async function factsOf(ctx: Ctx, claimed: Campaign): Promise<CampaignFacts | undefined> {
  const senders = await lockedSenders(ctx, claimed);
  const [campaign] = await rowsOf<Campaign>(
    ctx.db,
    `select * from campaigns where workspace_id = $1 and id = $2 and status = 'running' for no key update`,
    [ctx.workspaceId, claimed.id],
  );
  if (!campaign) return undefined;
  const free = senders.filter((sender) => sender.room > 0).map((sender) => sender.inbox.id);
  const enrollments = await rowsOf<Enrollment>(
    ctx.db,
    `select * from enrollments where workspace_id = $1 and campaign_id = $2 and plan_due_at is not null and plan_due_at <= $3
        and (assigned_inbox_id is null or assigned_inbox_id = any($5::text[]))
      order by (current_step > 0) desc, plan_due_at, id limit $4 for no key update skip locked`,
    [ctx.workspaceId, campaign.id, ctx.now, MAX_LEADS, free],
  );
  const [counts] = await rowsOf<Counts>(
    ctx.db,
    `select exists (select 1 from enrollments where workspace_id = $1 and campaign_id = $2 and status = 'active') as active,
            exists (select 1 from enrollments where workspace_id = $1 and campaign_id = $2) as enrolled,
            exists (select 1 from enrollments where workspace_id = $1 and campaign_id = $2 and plan_due_at <= $3) as due,
            exists (select 1 from sends where workspace_id = $1 and campaign_id = $2 and campaign_id > ''
                       and state in ('scheduled', 'sending')) as open,
            (select min(due) from (values (0), (1)) as kind (later), lateral (
               select plan_due_at as due from enrollments
                where workspace_id = $1 and campaign_id = $2 and plan_due_at > $3 and (current_step > 0) = (kind.later = 1)
                order by plan_due_at limit 1) as soonest) as next_due_at`,
    [ctx.workspaceId, campaign.id, ctx.now],
  );
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
    nextDueAt: counts!.next_due_at,
    quotaLeft: (await sendsLeft(ctx)) ?? Infinity,
    enrollments: new Map(enrollments.map((row) => [row.id, row])),
  };
}

async function lockedSenders(ctx: Ctx, campaign: Campaign): Promise<Sender[]> {
  const inboxes = await rowsOf<Inbox>(
    ctx.db,
    `select * from inboxes
      where workspace_id = $1 and mode = $2 and (id = any($3::text[]) or tags && $4::text[]) and status = any($5::text[])
      order by id for no key update`,
    [ctx.workspaceId, ctx.mode, campaign.sending_inbox_ids, campaign.sending_inbox_tags, MAY_SEND],
  );
  if (inboxes.length === 0) return [];
  const waiting = await rowsOf<{ inbox_id: string; today: number; soon: number }>(
    ctx.db,
    `select s.inbox_id, count(*)::int as today, count(*) filter (where s.campaign_id is not null)::int as soon
       from sends s join unnest($2::text[], $3::timestamptz[]) as i (id, resets_at) on s.inbox_id = i.id
      where s.workspace_id = $1 and not s.is_reply and (
        (s.state = 'scheduled' and s.due_at < i.resets_at) or (s.state = 'sending' and s.dot_released_at is null))
      group by s.inbox_id`,
    [ctx.workspaceId, inboxes.map((one) => one.id), inboxes.map((one) => dayAt(one, ctx.now).day_resets_at)],
  );
  const counts = new Map(waiting.map((row) => [row.inbox_id, row]));
  return inboxes.map((inbox) => {
    const { today = 0, soon = 0 } = counts.get(inbox.id) ?? {};
    return { inbox, room: Math.max(0, capLeft(inbox, ctx.now) - today), waiting: soon };
  });
}
