import { Refusal, found } from '#platform/refusal.ts';
import { type Enrolled, contactsIn, enrollmentsOfContacts } from '#resources/enrollments/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { enrollIn } from './attach.ts';
import { stopLeads } from './stop-leads.ts';
import * as store from './store.ts';
import type { MoveBody } from './wire.ts';

export type Moved = Enrolled & { removed_from_source: number };

/**
 * Enroll contacts of one campaign in another by the rules of attaching, then take out of the first whoever is active there and enrolled in the
 * other now. `keep_in_source` leaves them where they are as well.
 */
export async function moveContacts(ctx: Ctx, sourceId: string, wanted: MoveBody): Promise<Moved> {
  const { to_campaign_id: targetId, keep_in_source: keep } = wanted;
  if (targetId === sourceId) throw new Refusal('validation_failed', 'The contacts are in this campaign already.', { param: 'to_campaign_id' });
  // Two moves in opposite directions take the two locks in the same order.
  const locked = new Map<string, store.Row | undefined>();
  for (const id of [sourceId, targetId].sort()) locked.set(id, await store.locked(ctx, id));
  found(locked.get(sourceId), 'campaign');
  const target = locked.get(targetId);
  if (!target) throw new Refusal('resource_missing', 'No such campaign.', { param: 'to_campaign_id' });
  const { ids, strangers } = await candidates(ctx, sourceId, wanted);
  const { counts, inside } = await enrollIn(ctx, target, ids, {
    notElsewhere: wanted.skip_if_in_other_campaign,
    // Whoever leaves the source is not there as well; who stays there is.
    source: keep ? undefined : sourceId,
  });
  const leaving = keep ? [] : await enrollmentsOfContacts(ctx, sourceId, inside);
  const removed = await stopLeads(ctx, leaving, 'removed');
  return { ...counts, not_found: counts.not_found + strangers, removed_from_source: removed.length };
}

/** The contacts to move, and how many of those that were named have never been in the source. */
async function candidates(ctx: Ctx, sourceId: string, { contact_ids: ids, status }: MoveBody): Promise<{ ids: string[]; strangers: number }> {
  if (ids === undefined) return { ids: await contactsIn(ctx, sourceId, status!), strangers: 0 };
  const known = new Set((await enrollmentsOfContacts(ctx, sourceId, ids)).map((row) => row.contact_id));
  const own = ids.filter((id) => known.has(id));
  return { ids: own, strangers: ids.length - own.length };
}
