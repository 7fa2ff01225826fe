// One look of the planner at one campaign.
import { inTransaction, rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { type Campaign, type Plan, chooseWinners, factsToPlan, planCampaign, presentCampaign, protect } from '#resources/campaigns/index.ts';
import { type Ctx, type World, actingFor } from '#world/ctx.ts';
import { writeSends } from './write-sends.ts';

/**
 * Look at a claimed campaign in one transaction: write down the sends of the next minute and the verdict. Whom it is about to write to is put into
 * `tried`. With `only`, nobody but these leads gets a send, and there is no verdict.
 */
export async function planOne(world: World, claimed: Campaign, { only, tried }: { only?: ReadonlySet<string>; tried?: string[] }): Promise<void> {
  const ctx = actingFor(world, claimed.workspace_id, claimed.mode);
  await inTransaction(ctx, async (ctx) => {
    const facts = await factsToPlan(ctx, claimed);
    if (!facts || (await protect(ctx, facts.campaign)) || (facts.hasMarks && (await chooseWinners(ctx, facts.campaign)))) return;
    const leads = only ? facts.leads.filter(({ id }) => only.has(id)) : facts.leads;
    const plan = planCampaign({ ...facts, leads });
    tried?.splice(0, tried.length, ...plan.sends.map(({ lead }) => lead.id));
    await writeSends(ctx, facts.campaign, plan, facts.enrollments);
    if (only) await rowsOf(ctx.db, PACED, [ctx.workspaceId, claimed.id, pacesAfter(facts.campaign, plan)]);
    else await writeVerdict(ctx, facts.campaign, plan, claimed.next_plan_at);
  });
}

const PACED = 'update campaigns set pace = $3::jsonb where workspace_id = $1 and id = $2';
const pacesAfter = ({ pace }: Campaign, plan: Plan) => JSON.stringify({ ...(pace as object), ...plan.paces });

/** Keep the verdict, and look again when the plan says, or sooner if somebody has asked for it since the campaign was claimed. */
async function writeVerdict(ctx: Ctx, campaign: Campaign, plan: Plan, claimedUntil: Date | null): Promise<void> {
  const complete = plan.verdict === 'complete';
  const verdict = plan.verdict === 'complete' ? 'no_active_leads' : plan.verdict;
  const [row] = await rowsOf<Campaign>(
    ctx.db,
    `update campaigns set next_plan_at = case when next_plan_at = $7 then $4 else least(next_plan_at, $4) end, send_status = $3,
            send_status_at = case when send_status is distinct from $3 then $5 else send_status_at end,
            pace = $8::jsonb, status = case when $6 then 'completed' else status end, updated_at = case when $6 then $5 else updated_at end
      where workspace_id = $1 and id = $2 returning *`,
    [ctx.workspaceId, campaign.id, verdict, plan.lookAgainAt, ctx.now, complete, claimedUntil, pacesAfter(campaign, plan)],
  );
  if (row && complete) record(ctx, { type: 'campaign.completed', resourceId: row.id, data: presentCampaign(row), previous: { status: 'running' } });
}
