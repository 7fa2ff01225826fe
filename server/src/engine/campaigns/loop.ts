// The planner: looks at each running campaign when something is due and writes down the sends of the next minute.
import { isConnectionLost, rowsOf } from '#store/db.ts';
import type { Campaign } from '#resources/campaigns/index.ts';
import type { World } from '#world/ctx.ts';
import { inScope } from '#world/scope.ts';
import type { Loop } from '../loop.ts';
import { isOfItsRows, planApart } from './plan-apart.ts';
import { planOne } from './plan-one.ts';

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
  const tried: string[] = [];
  try {
    await planOne(world, campaign, { tried });
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    world.log.error({ campaign: campaign.id, err: error }, 'a campaign could not be planned');
    if (isOfItsRows(error)) await planApart(world, campaign, tried);
  }
}
