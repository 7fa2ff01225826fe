import { found } from '#platform/refusal.ts';
import type { Json } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';
import { tellLeadStatus } from './happenings.ts';
import { LEAD_KEY, type LeadStatus, attributesOf, leadStatusOf } from './rules.ts';
import * as store from './store.ts';

/**
 * Classify a lead; the same value again changes and tells nothing. `campaignId` is recorded on the event. What `not_interested` means for
 * the contact's enrollments is for the caller to carry out.
 */
export async function setLeadStatus(ctx: Ctx, id: string, leadStatus: LeadStatus, campaignId: string | null): Promise<store.Row> {
  const before = found(await store.lock(ctx, id), 'contact');
  if (leadStatusOf(attributesOf(before)) === leadStatus) return before;
  const row = { ...before, attributes: { ...attributesOf(before), [LEAD_KEY]: leadStatus } as Json, updated_at: ctx.now };
  await store.saveAll(ctx, [row]);
  tellLeadStatus(ctx, row, before, campaignId);
  return row;
}
