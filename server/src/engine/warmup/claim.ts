// Taking up warm-up mails: first the inbox, by the same lease as for its own mail, so that there is one connection and one pace; then one mail.
import { inTransaction, rowsOf } from '#store/db.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { WarmupMail } from '#resources/warmup/index.ts';
import type { World } from '#world/ctx.ts';
import { factsOf, lockBench } from './facts.ts';
import { type Denial, denialOf } from './rules.ts';

/** As long as one mail may take to its dot; never renewed. Correctness rests on the fence and on what the release asks. */
export const LEASE_MS = 30_000;

const leaseEnd = (world: World) => new Date(world.clock.wall().getTime() + LEASE_MS);

// Whoever has a mail of its own that is due is left to that.
const LEASE = `
  with ready as (
    select i.workspace_id, i.id from inboxes i
     where (i.workspace_id, i.id) in (select workspace_id, inbox_id from warmup_mails where state = 'planned' and due_at <= $1)
       and i.status in ('active', 'over_quota_today') and i.next_send_at <= $1 and (i.retry_at is null or i.retry_at <= $1)
       and (i.leased_until is null or i.leased_until <= $2) and i.id <> all($6::text[])
       and not exists (select 1 from sends s where s.workspace_id = i.workspace_id and s.inbox_id = i.id and s.state = 'scheduled' and s.due_at <= $1)
       and exists (select 1 from workspaces w where w.id = i.workspace_id and w.plan is not null and w.plan_status = 'active')
     order by i.id limit $5 for no key update of i skip locked
  )
  update inboxes set lease_holder = $3, leased_until = $4 where (workspace_id, id) in (select workspace_id, id from ready)
  returning *`;

/** Lease up to `limit` inboxes with a warm-up mail that is due; none of `busy`. */
export const leaseForWarmup = (world: World, holder: string, limit: number, busy: readonly string[]): Promise<Inbox[]> =>
  rowsOf<Inbox>(world.db, LEASE, [world.clock.now(), world.clock.wall(), holder, leaseEnd(world), limit, busy]);

/** Give the inbox back, if it is still held by this very lease. */
export const giveBack = ({ db }: World, { workspace_id, id, lease_holder, leased_until }: Inbox) =>
  rowsOf(
    db,
    `update inboxes set lease_holder = null, leased_until = null where workspace_id = $1 and id = $2 and lease_holder = $3 and leased_until = $4`,
    [workspace_id, id, lease_holder, leased_until],
  );

/** A mail in hand, and whom it goes to. */
export type Claimed = { mail: WarmupMail; partner: Inbox };

/** Take up the next mail of a leased inbox: a new fence, written before any byte leaves. Null when none may leave now. */
export function claimMail(world: World, { workspace_id: workspaceId, id, lease_holder: holder }: Inbox): Promise<Claimed | null> {
  return inTransaction(world, async (inside) => {
    const now = inside.clock.now();
    const [seen] = await rowsOf<WarmupMail>(
      inside.db,
      `select * from warmup_mails where workspace_id = $1 and inbox_id = $2 and state = 'planned' and due_at <= $3 order by due_at, id limit 1`,
      [workspaceId, id, now],
    );
    const bench = seen && (await lockBench(inside, seen));
    if (!bench || bench.mail.state !== 'planned') return null;
    const denial = denialOf(await factsOf(inside, bench), now);
    if (denial) {
      await putOff(inside, bench.mail, denial);
      return null;
    }
    const [mail] = await rowsOf<WarmupMail>(
      inside.db,
      `update warmup_mails set state = 'sending', fence = fence + 1, attempt_count = attempt_count + 1, process_id = $3, leased_until = $4,
              due_at = null
        where workspace_id = $1 and id = $2 and state = 'planned' returning *`,
      [workspaceId, bench.mail.id, holder, leaseEnd(inside)],
    );
    return mail ? { mail, partner: bench.partner } : null;
  });
}

/** Write what a denial means, unless the mail has gone on meanwhile (another fence). */
export async function putOff({ db }: World, { workspace_id, id, fence }: WarmupMail, denial: Denial): Promise<void> {
  const [state, due, because] = denial.kind === 'wait' ? ['planned', denial.until, null] : ['canceled', null, denial.because];
  await rowsOf(
    db,
    `update warmup_mails set state = $4, due_at = $5, because = $6, leased_until = null
      where workspace_id = $1 and id = $2 and fence = $3 and state in ('planned', 'sending') and dot_released_at is null`,
    [workspace_id, id, fence, state, due, because],
  );
}
