// Who cannot be written delays nobody else: the leads of a look that failed are tried by halves, down to those who are to blame.
import { isConnectionLost, rowsOf, sqlState } from '#store/db.ts';
import type { Campaign } from '#resources/campaigns/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { planOne } from './plan-one.ts';

/** A lead that cannot be written is tried again after this. */
const PUT_OFF_MS = 15 * 60_000;
/** What is not found out by then waits for the next look: other campaigns have their turn. */
const PATIENCE_MS = 5_000;

/** Whether the error speaks of what was to be written, rather than of a database that is short of time or room. */
export const isOfItsRows = (error: unknown): boolean => !isConnectionLost(error) && /^(22|23|P0|$)/.test(sqlState(error));

/** Plan these leads of a campaign without those who cannot be written, and then whoever else is due. Throws only when the database is lost. */
export async function planApart(world: World, campaign: Campaign, leads: readonly string[]): Promise<void> {
  if (leads.length === 0) return;
  const until = world.clock.monotonic() + PATIENCE_MS;
  const groups = halvesOf(leads);
  try {
    for (let group = groups.pop(); group; group = groups.pop()) {
      if (world.clock.monotonic() > until) return;
      const error = await faultOf(() => planOne(world, campaign, { only: new Set(group) }));
      if (error === null) continue;
      if (group.length > 1) groups.push(...halvesOf(group));
      else await putOff(world, campaign, group[0]!, error);
    }
    await planOne(world, campaign, {});
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    world.log.error({ campaign: campaign.id, err: error }, 'the other leads of a campaign could not be planned');
  }
}

/** In order when they are taken from the end. */
function halvesOf(leads: readonly string[]): (readonly string[])[] {
  const middle = Math.ceil(leads.length / 2);
  return [leads.slice(middle), leads.slice(0, middle)].filter((half) => half.length > 0);
}

/** Why the work cannot be done with these rows, null when it was done. What says nothing of the rows is thrown. */
async function faultOf(work: () => Promise<void>): Promise<Error | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (isOfItsRows(error)) return error as Error;
    throw error;
  }
}

async function putOff(world: World, { id, workspace_id: workspaceId, mode }: Campaign, enrollmentId: string, { message }: Error): Promise<void> {
  const { db, now } = actingFor(world, workspaceId, mode);
  world.log.error({ campaign: id, enrollment: enrollmentId, err: message }, 'a lead is put off');
  await rowsOf(
    db,
    'update enrollments set plan_due_at = $4, next_send_at = $4, updated_at = $3 where workspace_id = $1 and id = $2 and plan_due_at <= $3',
    [workspaceId, enrollmentId, now, new Date(now.getTime() + PUT_OFF_MS)],
  );
}
