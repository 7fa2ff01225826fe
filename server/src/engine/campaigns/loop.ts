// The planner: looks at each running campaign when something is due and writes down the sends of the next minute.
import { inTransaction, isConnectionLost, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { type Campaign, presentCampaign } from '#resources/campaigns/index.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import type { Loop } from '../loop.ts';
import { factsOf } from './facts.ts';
import { type Plan, planCampaign } from './rules.ts';
import { writeSends } from './write-sends.ts';

const CAMPAIGNS_A_STEP = 20;
/** A look that was begun and not finished is due again after this; two planners never look at once. */
const LOOK_MS = 30_000;

/** One step looks at the campaigns that are due. */
export function campaignsLoop(world: World): Loop {
  return {
    name: 'campaigns',
    idleMs: 250,
    async step() {
      const due = await claimDue(world);
      for (const campaign of due) await planAlone(world, campaign);
      return due.length > 0;
    },
  };
}

/** Take campaigns by pushing their next look away: the compare-and-set is on the time that was seen. */
function claimDue(world: World): Promise<Campaign[]> {
  const now = world.clock.now();
  return rowsOf<Campaign>(
    world.db,
    `with due as (
       select workspace_id, id, next_plan_at from campaigns where status = 'running' and next_plan_at <= $1 order by next_plan_at, id limit $2
     )
     update campaigns c set next_plan_at = $3 from due
      where c.workspace_id = due.workspace_id and c.id = due.id and c.status = 'running' and c.next_plan_at = due.next_plan_at
     returning c.*`,
    [now, CAMPAIGNS_A_STEP, new Date(now.getTime() + LOOK_MS)],
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
    const facts = await factsOf(ctx, claimed);
    if (!facts) return;
    const plan = planCampaign(facts);
    await writeSends(ctx, facts.campaign, plan, facts.enrollments);
    await writeVerdict(ctx, claimed, plan);
  });
}

/** Keep the verdict, and look again when the plan says, or sooner if somebody has asked for it since the campaign was claimed. */
async function writeVerdict(ctx: Ctx, claimed: Campaign, plan: Plan): Promise<void> {
  const complete = plan.verdict === 'complete';
  const verdict = plan.verdict === 'complete' ? 'no_active_leads' : plan.verdict;
  const [row] = await rowsOf<Campaign>(
    ctx.db,
    `update campaigns set next_plan_at = case when next_plan_at = $7 then $4 else least(next_plan_at, $4) end, send_status = $3,
            send_status_at = case when send_status is distinct from $3 then $5 else send_status_at end,
            status = case when $6 then 'completed' else status end, updated_at = case when $6 then $5 else updated_at end
      where workspace_id = $1 and id = $2 returning *`,
    [ctx.workspaceId, claimed.id, verdict, plan.lookAgainAt, ctx.now, complete, claimed.next_plan_at],
  );
  if (row && complete) record(ctx, { type: 'campaign.completed', resourceId: row.id, data: presentCampaign(row), previous: { status: 'running' } });
}
