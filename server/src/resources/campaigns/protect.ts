// Bounce protection: hard bounces are counted where they are learnt of, sends only when the bounces could be too many.
import { rowsOf } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import { setHeld } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { countUpTo, isTooMuch } from './protection.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

/** Lock campaigns whose hard bounces are about to be counted: campaigns come before contacts and enrollments. */
export async function lockForBounces(ctx: Ctx, campaignIds: readonly string[]): Promise<void> {
  if (campaignIds.length === 0) return;
  await rowsOf(ctx.db, 'select 1 from campaigns where workspace_id = $1 and id = any($2::text[]) order by id for no key update', [
    ctx.workspaceId,
    [...new Set(campaignIds)],
  ]);
}

/**
 * Count a hard bounce for each of these sends, whose enrollment it has ended, so that a second report of it counts nothing. What was sent before
 * the last resume is judged no more. The campaigns are locked.
 */
export async function countBounces(ctx: Ctx, bounced: readonly { id: string }[]): Promise<void> {
  if (bounced.length === 0) return;
  await rowsOf(
    ctx.db,
    `update campaigns c set hard_bounces = hard_bounces + t.count,
            next_plan_at = case when c.status = 'running' then least(c.next_plan_at, $3) else c.next_plan_at end
       from (select m.id, count(*)::int as count
               from sends s join campaigns m on m.workspace_id = s.workspace_id and m.id = s.campaign_id
              where s.workspace_id = $1 and s.id = any($2::text[]) and (m.bounces_from is null or coalesce(s.sent_at, s.created_at) >= m.bounces_from)
              group by 1) as t
      where c.workspace_id = $1 and c.id = t.id`,
    [ctx.workspaceId, bounced.map((one) => one.id), ctx.now],
  );
}

/** Pause a running campaign, which the caller has locked, if too much of its mail bounces. Answers whether it did. */
export async function protect(ctx: Ctx, campaign: store.Row): Promise<boolean> {
  const upTo = countUpTo(campaign);
  if (upTo === 0 && !isTooMuch(campaign)) return false;
  const sends = upTo === 0 ? campaign.sends_known : await sendsOf(ctx, campaign, upTo);
  if (isTooMuch({ hard_bounces: campaign.hard_bounces, sends_known: sends })) {
    await pauseFor(ctx, campaign, sends);
    return true;
  }
  if (sends > campaign.sends_known) {
    await rowsOf(ctx.db, 'update campaigns set sends_known = $3 where workspace_id = $1 and id = $2', [ctx.workspaceId, campaign.id, sends]);
  }
  return false;
}

/** Mails that left, or that the recipient's server refused by name, since the count began; no more than `upTo` are looked at. */
async function sendsOf(ctx: Ctx, { id, bounces_from: from }: store.Row, upTo: number): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    ctx.db,
    `select count(*)::int as count from (
       select 1 from sends
        where workspace_id = $1 and campaign_id = $2 and canceled_at is null
          and (state = 'sent' or (state = 'failed' and failure_reason in ('invalid_recipient', 'recipient_rejected')))
          and ($3::timestamptz is null or coalesce(sent_at, created_at) >= $3)
        limit $4) as found`,
    [ctx.workspaceId, id, from, upTo],
  );
  return row!.count;
}

async function pauseFor(ctx: Ctx, { id, send_status: before }: store.Row, sends: number): Promise<void> {
  const row = await store.update(ctx, id, {
    status: 'paused', paused_reason: 'bounce_protection', send_status: 'bounce_protection', sends_known: sends, next_plan_at: null,
    ...(before !== 'bounce_protection' && { send_status_at: ctx.now }),
  }); // prettier-ignore
  await setHeld(ctx, id, true);
  record(ctx, { type: 'campaign.paused', resourceId: id, data: present(row), previous: { status: 'running' } });
}
