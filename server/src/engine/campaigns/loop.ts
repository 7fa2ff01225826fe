// The planner: looks at each running campaign when something is due and writes down the sends of the next minute.
import { inTransaction, isConnectionLost, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { type Campaign, type Plan, chooseWinners, factsToPlan, planCampaign, presentCampaign, protect } from '#resources/campaigns/index.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import { inScope } from '#world/scope.ts';
import type { Loop } from '../loop.ts';
import { writeSends } from './write-sends.ts';

const CAMPAIGNS_A_STEP = 20;
/** Among so many that are due each workspace gets its turn. */
const WAITING = 1_000;
/** A look that was begun and not finished is due again after this; two planners never look at once. */
const LOOK_MS = 30_000;

/** One step looks at the campaigns that are due. */
export function campaignsLoop(world: World): Loop {
  return { name: 'campaigns', idleMs: 250, step: async () => (await planDue(world, null)) > 0 };
}

/** Look at what is due: in test mode of one workspace, or wherever no test clock drives. Answers at how many campaigns. */
export async function planDue(world: World, workspaceId: string | null): Promise<number> {
  const due = await claimDue(world, workspaceId);
  for (const campaign of due) await planAlone(world, campaign);
  return due.length;
}

/** Take campaigns, one of each workspace before the second of any, by pushing their next look away (compared with the time that was seen). */
function claimDue(world: World, workspaceId: string | null): Promise<Campaign[]> {
  const now = world.clock.now();
  return rowsOf<Campaign>(
    world.db,
    `with due as (
       select workspace_id, id, next_plan_at, turn from (
         select *, row_number() over (partition by workspace_id, mode order by next_plan_at, id) as turn from (
           select workspace_id, mode, id, next_plan_at from campaigns c
            where status = 'running' and next_plan_at <= $1 and ${inScope('c', '$5', workspaceId)} order by next_plan_at, id limit $4
         ) as waiting
       ) as turns order by turn, next_plan_at, id limit $2
     ), free as (
       -- One that somebody holds at this moment is passed by: the turns are no order in which others lock.
       select c.workspace_id, c.id, due.turn, due.next_plan_at from campaigns c join due on c.workspace_id = due.workspace_id and c.id = due.id
        where c.status = 'running' and c.next_plan_at = due.next_plan_at for no key update of c skip locked
     ), taken as (
       update campaigns c set next_plan_at = $3 from free where c.workspace_id = free.workspace_id and c.id = free.id returning c.*
     )
     select taken.* from taken join free using (workspace_id, id) order by free.turn, free.next_plan_at, taken.id`,
    [now, CAMPAIGNS_A_STEP, new Date(now.getTime() + LOOK_MS), WAITING, workspaceId],
  );
}

/** A campaign that cannot be planned is looked at again after a while, and delays no other. */
async function planAlone(world: World, campaign: Campaign): Promise<void> {
  try {
    await planOne(world, campaign);
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    world.log.error({ campaign: campaign.id, err: error }, 'a campaign could not be planned');
  }
}

async function planOne(world: World, claimed: Campaign): Promise<void> {
  const ctx = actingFor(world, claimed.workspace_id, claimed.mode);
  await inTransaction(ctx, async (ctx) => {
    const facts = await factsToPlan(ctx, claimed);
    if (!facts || (await protect(ctx, facts.campaign)) || (facts.hasMarks && (await chooseWinners(ctx, facts.campaign)))) return;
    const plan = planCampaign(facts);
    await writeSends(ctx, facts.campaign, plan, facts.enrollments);
    await writeVerdict(ctx, facts.campaign, plan, claimed.next_plan_at);
  });
}

/** Keep the verdict, and look again when the plan says, or sooner if somebody has asked for it since the campaign was claimed. */
async function writeVerdict(ctx: Ctx, { id, pace }: Campaign, plan: Plan, claimedUntil: Date | null): Promise<void> {
  const complete = plan.verdict === 'complete';
  const verdict = plan.verdict === 'complete' ? 'no_active_leads' : plan.verdict;
  const [row] = await rowsOf<Campaign>(
    ctx.db,
    `update campaigns set next_plan_at = case when next_plan_at = $7 then $4 else least(next_plan_at, $4) end, send_status = $3,
            send_status_at = case when send_status is distinct from $3 then $5 else send_status_at end,
            pace = $8::jsonb, status = case when $6 then 'completed' else status end, updated_at = case when $6 then $5 else updated_at end
      where workspace_id = $1 and id = $2 returning *`,
    [ctx.workspaceId, id, verdict, plan.lookAgainAt, ctx.now, complete, claimedUntil, JSON.stringify({ ...(pace as object), ...plan.paces })],
  );
  if (row && complete) record(ctx, { type: 'campaign.completed', resourceId: row.id, data: presentCampaign(row), previous: { status: 'running' } });
}
