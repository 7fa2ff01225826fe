// The one place where the dot of a warm-up mail is released: under the locks of its two inboxes, with a unit of the sender's day.
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Inbox, takeUnit } from '#resources/inboxes/index.ts';
import { type WarmupMail, dayName } from '#resources/warmup/index.ts';
import type { World } from '#world/ctx.ts';
import { factsOf, lockBench } from './facts.ts';
import { type Denial, denialOf } from './rules.ts';

/**
 * Judge a mail in hand and commit its release. `lost`: it is not ours any more, because its attempt or the lease of its inbox was taken over.
 * A unit of a day is spent once: (inbox, day, unit) is unique, over sends and warm-up mails alike.
 */
export function releaseDot(
  world: World,
  mine: WarmupMail,
  lease: Pick<Inbox, 'lease_holder' | 'leased_until'>,
): Promise<'granted' | 'lost' | Denial> {
  return inTransaction(world, async (inside) => {
    const now = inside.clock.now();
    const bench = await lockBench(inside, mine);
    if (!bench) return 'lost';
    const { mail, inbox } = bench;
    const wall = inside.clock.wall();
    const isMine = mail.state === 'sending' && mail.fence === mine.fence && mail.dot_released_at === null;
    // With this very lease the inbox's pace is ours as well: nobody else sends by it at this moment, nor does another lane of this process.
    const isHeld = inbox.lease_holder === lease.lease_holder && inbox.leased_until?.getTime() === lease.leased_until?.getTime();
    if (!isMine || !isHeld || inbox.leased_until === null || inbox.leased_until <= wall) return 'lost';
    const denial = denialOf(await factsOf(inside, bench), now);
    if (denial) return denial;
    takeUnit(inbox, now);
    await write(inside, mail, inbox);
    return 'granted';
  });
}

async function write({ db, clock }: World, mail: WarmupMail, inbox: Inbox): Promise<void> {
  const now = clock.now();
  const { workspace_id: workspaceId, id } = mail;
  await rowsOf(
    db,
    `update inboxes set day_started_at = $3, day_resets_at = $4, day_count = $5, next_send_at = $6, last_send_at = $7, status = $8,
            status_reason = $9, connect_failures = 0, login_refusals = 0
      where workspace_id = $1 and id = $2`,
    [
      workspaceId, inbox.id, inbox.day_started_at, inbox.day_resets_at, inbox.day_count, inbox.next_send_at, now, inbox.status, inbox.status_reason,
    ], // prettier-ignore
  );
  await rowsOf(db, 'insert into budget_units (workspace_id, inbox_id, day, unit, warmup_mail_id) values ($1, $2, $3, $4, $5)', [
    workspaceId,
    inbox.id,
    inbox.day_started_at,
    inbox.day_count,
    id,
  ]);
  // What opens an exchange keeps the day for which it was planned, since that is what happens once.
  await rowsOf(
    db,
    `update warmup_mails set dot_released_at = $3, budget_day = $4, budget_unit = $5, day = case when place = 0 then day else $6 end
      where workspace_id = $1 and id = $2`,
    [workspaceId, id, now, inbox.day_started_at, inbox.day_count, dayName(now, inbox.timezone)],
  );
}
