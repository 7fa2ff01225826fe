// The door. Housekeeping: what time alone brings about.
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Inbox, MAY_SEND, judgeHealth } from '#resources/inboxes/index.ts';
import { MAX_LATENESS_MS, TAKE_BACK_AFTER_MS, failOverdue, forgetFiles, takeBackOverdue } from '#resources/sends/index.ts';
import type { Kind, Next } from '#resources/test-clock/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { inScope } from '#world/scope.ts';
import type { Loop } from '../loop.ts';

/** Links that have expired are kept a while, for questions. */
const KEEP_LINKS_MS = 24 * 3_600_000;
/** Later than any send may be scheduled for. */
const FAR = new Date('9999-01-01T00:00:00Z');
const KEEP_IDEMPOTENCY_MS = 24 * 3_600_000;

/** Inboxes get their new day, their health is worked out, sends that wait in vain expire, old idempotency keys and files go. */
export function housekeepingLoop(world: World): Loop {
  return {
    name: 'housekeeping',
    idleMs: 5_000,
    async step() {
      const now = world.clock.now();
      await passTime(world, null);
      await rowsOf(world.db, 'delete from idempotency_keys where created_at < $1', [new Date(world.clock.wall().getTime() - KEEP_IDEMPOTENCY_MS)]);
      await rowsOf(world.db, 'delete from connect_links where expires_at < $1', [new Date(now.getTime() - KEEP_LINKS_MS)]);
      await forgetFiles(world);
      return false;
    },
  };
}

/**
 * What the calendar brings about for inboxes and sends: in test mode of one workspace, or wherever no test clock drives. `kinds`: what of it can be
 * due, if that is known.
 */
export async function passTime(world: World, workspaceId: string | null, kinds?: Next['kinds']): Promise<void> {
  const may = (kind: Kind) => kinds?.has(kind) ?? true;
  const now = world.clock.now();
  if (may('new_day')) await beginDay(world, now, workspaceId);
  if (may('health')) await judgeHealth(world, workspaceId);
  if (may('recall')) await recall(world, now, workspaceId);
  // An inbox that begins to rest may have sends that have waited for long already.
  if (may('expire') || may('health')) await expire(world, now, workspaceId);
}

/** Inboxes that had reached their cap may send again on their next day. */
const beginDay = (world: World, now: Date, workspaceId: string | null) =>
  rowsOf(
    world.db,
    `with rested as (
       select workspace_id, id from inboxes i
        where status = 'over_quota_today' and day_resets_at <= $1 and ${inScope('i', '$2', workspaceId)} order by workspace_id, id for no key update
     )
     update inboxes set status = 'active', status_reason = null where (workspace_id, id) in (select workspace_id, id from rested)`,
    [now, workspaceId],
  );

/** Inboxes whose cap has risen: what it had put off until their next day is due today after all, and may be put off again. */
async function recall(world: World, now: Date, workspaceId: string | null): Promise<void> {
  const due = await rowsOf<Pick<Inbox, 'workspace_id' | 'id'>>(
    world.db,
    `select workspace_id, id from inboxes i where recall_at <= $1 and ${inScope('i', '$2', workspaceId)} order by workspace_id, id limit 100`,
    [now, workspaceId],
  );
  for (const inbox of due) await inTransaction(world, (inside) => recallOf(inside, inbox, now));
}

async function recallOf({ db }: World, { workspace_id: workspaceId, id }: Pick<Inbox, 'workspace_id' | 'id'>, now: Date): Promise<void> {
  const [inbox] = await rowsOf<Pick<Inbox, 'day_resets_at'>>(
    db,
    'update inboxes set recall_at = null where workspace_id = $1 and id = $2 and recall_at <= $3 returning day_resets_at',
    [workspaceId, id, now],
  );
  if (!inbox) return;
  // Put off and not scheduled by its caller for that very instant: its own time has come already.
  await rowsOf(
    db,
    `update sends set due_at = $4
      where workspace_id = $1 and inbox_id = $2 and state = 'scheduled' and due_at = $3 and scheduled_at <= $4 and not is_reply`,
    [workspaceId, id, inbox.day_resets_at, now],
  );
}

/**
 * The sends of an inbox that cannot send are held for a day, and then fail; those that found their way to one that is gone fail at once. Those of
 * campaigns are taken back shortly before: their leads wait for the inbox without a send.
 */
async function expire(world: World, now: Date, workspaceId: string | null): Promise<void> {
  const before = new Date(now.getTime() - MAX_LATENESS_MS);
  const takenBack = new Date(now.getTime() - TAKE_BACK_AFTER_MS);
  const late = ({ status }: Pick<Inbox, 'status'>) => ({
    before,
    reason: 'expired' as const,
    detail: `The inbox was ${status} for a day.`,
    sparesCampaigns: true,
  });
  const gone = { before: FAR, reason: 'inbox_disconnected' as const, detail: 'The inbox was disconnected.' };
  const inboxes = await rowsOf<Pick<Inbox, 'workspace_id' | 'id' | 'mode' | 'status'>>(
    world.db,
    `select workspace_id, id, mode, status from inboxes i
      where status <> all($1::text[]) and ${inScope('i', '$3', workspaceId)} and exists (
        select 1 from sends s
         where s.workspace_id = i.workspace_id and s.inbox_id = i.id and s.state = 'scheduled' and s.due_at is not null
            and (s.scheduled_at < case when s.campaign_id is null then $2::timestamptz else $4 end or i.status = 'revoked'))
      order by workspace_id, id limit 100`,
    [MAY_SEND, before, workspaceId, takenBack],
  );
  for (const inbox of inboxes) {
    await inTransaction(actingFor(world, inbox.workspace_id, inbox.mode), async (ctx) => {
      if (inbox.status !== 'revoked') await takeBackOverdue(ctx, inbox.id, takenBack);
      await failOverdue(ctx, { inboxId: inbox.id, ...(inbox.status === 'revoked' ? gone : late(inbox)) });
    });
  }
}
