// What the gates of a warm-up mail ask for, read under locks.
import { rowsOf } from '#store/db.ts';
import { type Inbox, capLeft, dayAt } from '#resources/inboxes/index.ts';
import { type WarmupMail, warmupLimit } from '#resources/warmup/index.ts';
import type { World } from '#world/ctx.ts';
import type { Facts } from './rules.ts';

/** Warm-up mails of an inbox that took a unit of this day. */
export async function spentOn({ db }: World, { workspace_id: workspaceId, id }: Pick<Inbox, 'workspace_id' | 'id'>, day: Date): Promise<number> {
  const [row] = await rowsOf<{ spent: number }>(
    db,
    'select count(*)::int as spent from warmup_mails where workspace_id = $1 and inbox_id = $2 and budget_day = $3',
    [workspaceId, id, day],
  );
  return row!.spent;
}

/** The inbox's own sends that are to leave on this day, as far as they could use up its cap. */
async function waitingFor({ db, clock }: World, inbox: Inbox): Promise<number> {
  const now = clock.now();
  const [row] = await rowsOf<{ waiting: number }>(
    db,
    `select count(*)::int as waiting from (
       select 1 from sends where workspace_id = $1 and inbox_id = $2 and due_at is not null and due_at < $3 limit $4) as own`,
    [inbox.workspace_id, inbox.id, dayAt(inbox, now).day_resets_at, capLeft(inbox, now) + 1],
  );
  return row!.waiting;
}

/** A mail with its two inboxes, all locked: inboxes first, by id, as everybody locks them. */
export type Bench = { mail: WarmupMail; inbox: Inbox; partner: Inbox };

/** Lock what decides about a mail. Null when one of them is gone. */
export async function lockBench(
  { db }: World,
  seen: Pick<WarmupMail, 'workspace_id' | 'id' | 'inbox_id' | 'to_workspace_id' | 'to_inbox_id'>,
): Promise<Bench | null> {
  const inboxes = await rowsOf<Inbox>(
    db,
    `select * from inboxes where (workspace_id, id) in (($1, $2), ($3, $4)) order by workspace_id, id for no key update`,
    [seen.workspace_id, seen.inbox_id, seen.to_workspace_id, seen.to_inbox_id],
  );
  const [mail] = await rowsOf<WarmupMail>(db, 'select * from warmup_mails where workspace_id = $1 and id = $2 for no key update', [
    seen.workspace_id,
    seen.id,
  ]);
  const inbox = inboxes.find((one) => one.id === seen.inbox_id);
  const partner = inboxes.find((one) => one.id === seen.to_inbox_id);
  return mail && inbox && partner ? { mail, inbox, partner } : null;
}

export async function factsOf(world: World, bench: Bench): Promise<Facts> {
  const { inbox } = bench;
  const now = world.clock.now();
  return {
    ...bench,
    spent: await spentOn(world, inbox, dayAt(inbox, now).day_started_at),
    limit: warmupLimit(inbox, now, world.config.WARMUP_DAILY_LIMIT),
    waiting: await waitingFor(world, inbox),
  };
}
