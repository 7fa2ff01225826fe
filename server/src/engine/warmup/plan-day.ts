// The planner of the pool: each inbox gets its exchanges when its day begins, and loses them when it leaves.
import { inTransaction, isConnectionLost, rowsOf } from '#store/db.ts';
import { type Inbox, dayAt } from '#resources/inboxes/index.ts';
import { dayName, plan, planDay, warmupLimit } from '#resources/warmup/index.ts';
import type { World } from '#world/ctx.ts';
import { spentOn } from './facts.ts';

const INBOXES_A_STEP = 20;
/** Somebody who can begin no exchange now may later in the day. */
const LOOK_AGAIN_MS = 3_600_000;
const MOST_PARTNERS = 500;

/** Plan the day of the inboxes whose day begins, or has to be begun anew. Answers whether there were any. */
export async function planDue(world: World): Promise<boolean> {
  const due = await rowsOf<Pick<Inbox, 'workspace_id' | 'id'>>(
    world.db,
    'select workspace_id, id from inboxes where next_warmup_at <= $1 order by next_warmup_at, id limit $2',
    [world.clock.now(), INBOXES_A_STEP],
  );
  for (const inbox of due) await planAlone(world, inbox);
  return due.length > 0;
}

/** A day that cannot be planned is planned later, and delays no other. */
async function planAlone(world: World, inbox: Pick<Inbox, 'workspace_id' | 'id'>): Promise<void> {
  try {
    await inTransaction(world, (inside) => planOne(inside, inbox));
  } catch (error) {
    if (isConnectionLost(error)) throw error;
    world.log.error({ inbox: inbox.id, err: error }, 'a day of warm-up could not be planned');
    const later = new Date(world.clock.now().getTime() + LOOK_AGAIN_MS);
    await rowsOf(world.db, 'update inboxes set next_warmup_at = $3 where workspace_id = $1 and id = $2 and next_warmup_at is not null', [
      inbox.workspace_id,
      inbox.id,
      later,
    ]);
  }
}

async function planOne(world: World, { workspace_id: workspaceId, id }: Pick<Inbox, 'workspace_id' | 'id'>): Promise<void> {
  const now = world.clock.now();
  const [inbox] = await rowsOf<Inbox>(
    world.db,
    'select * from inboxes where workspace_id = $1 and id = $2 and next_warmup_at <= $3 for no key update',
    [workspaceId, id, now],
  );
  if (!inbox) return;
  const next = inbox.warmup_enabled ? await begin(world, inbox) : await leave(world, inbox);
  await rowsOf(world.db, 'update inboxes set next_warmup_at = $3 where workspace_id = $1 and id = $2', [workspaceId, id, next]);
}

/** Write down the exchanges of the day. Answers when to look again. */
async function begin(world: World, inbox: Inbox): Promise<Date> {
  const now = world.clock.now();
  const day = dayAt(inbox, now);
  const soon = new Date(Math.min(day.day_resets_at.getTime(), now.getTime() + LOOK_AGAIN_MS));
  if (inbox.mode !== 'live' || (inbox.status !== 'active' && inbox.status !== 'over_quota_today')) return soon;
  const partners = await partnersOf(world, inbox);
  if (partners.length === 0) return soon;
  const left = warmupLimit(inbox, now, world.config.WARMUP_DAILY_LIMIT) - (await spentOn(world, inbox, day.day_started_at));
  const openings = planDay({ inbox, now, until: day.day_resets_at, left: Math.max(0, left), partners });
  await plan(
    world,
    openings.map(({ partner, at }) => ({
      workspace_id: inbox.workspace_id, inbox_id: inbox.id, to_workspace_id: partner.workspace_id, to_inbox_id: partner.id,
      day: dayName(now, inbox.timezone), scheduled_at: at, senderAddress: inbox.email_address,
    })), // prettier-ignore
  );
  return day.day_resets_at;
}

/**
 * Whom an inbox may write to: members of the pool that are read, in its own workspace, or where the operator has allowed it in all. Nobody
 * while its own workspace pays for no plan. Of a large pool a part, another one each day.
 */
function partnersOf(world: World, inbox: Inbox): Promise<Pick<Inbox, 'workspace_id' | 'id'>[]> {
  const { workspace_id: workspaceId, id, email_key: key } = inbox;
  return rowsOf(
    world.db,
    `select i.workspace_id, i.id from inboxes i join workspaces w on w.id = i.workspace_id and w.plan is not null and w.plan_status = 'active'
      where i.warmup_enabled and i.mode = 'live' and i.status in ('active', 'over_quota_today') and ($6 or i.workspace_id = $1)
        and i.id <> $2 and i.email_key <> $3
        and exists (select 1 from workspaces own where own.id = $1 and own.plan is not null and own.plan_status = 'active')
      order by hashtextextended(i.id, $4), i.id limit $5`,
    [workspaceId, id, key, Math.floor(world.clock.now().getTime() / 86_400_000), MOST_PARTNERS, world.config.WARMUP_ACROSS_WORKSPACES],
  );
}

/** Whoever has left the pool writes to nobody in it and is written to by nobody. */
async function leave(world: World, { workspace_id: workspaceId, id }: Inbox): Promise<null> {
  await rowsOf(
    world.db,
    `update warmup_mails set state = 'canceled', because = 'One of the two has left the pool.', due_at = null
      where state = 'planned' and ((workspace_id = $1 and inbox_id = $2) or (to_workspace_id = $1 and to_inbox_id = $2))`,
    [workspaceId, id],
  );
  await rowsOf(world.db, 'update warmup_mails set tend_at = null where to_workspace_id = $1 and to_inbox_id = $2 and tend_at is not null', [
    workspaceId,
    id,
  ]);
  return null;
}
