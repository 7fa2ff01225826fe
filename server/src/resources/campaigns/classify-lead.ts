import { Refusal, found } from '#platform/refusal.ts';
import { type Contact, contactsByIds, setLeadStatus } from '#resources/contacts/index.ts';
import { enrollmentsOfContact, wakePlanner } from '#resources/enrollments/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { stopLeads } from './stop-leads.ts';
import * as store from './store.ts';

type Wanted = { lead_status: 'interested' | 'meeting_booked' | 'not_interested'; campaign_id?: string | undefined };

/** Note what a lead is. Whoever is not interested gets no further step, of `campaign_id` alone where it is given. */
export async function classifyLead(ctx: Ctx, id: string, { lead_status: status, campaign_id: campaignId }: Wanted): Promise<Contact> {
  found((await contactsByIds(ctx, [id]))[0], 'contact');
  if (campaignId !== undefined && !(await store.byId(ctx, campaignId))) {
    throw new Refusal('resource_missing', 'No such campaign.', { param: 'campaign_id' });
  }
  const enrollments = status === 'not_interested' ? await enrollmentsOfContact(ctx, id, campaignId) : [];
  // Campaigns are locked before contacts, contacts before enrollments.
  await wakePlanner(ctx, enrollments.map((one) => one.campaign_id), ctx.now); // prettier-ignore
  const row = await setLeadStatus(ctx, id, status, campaignId ?? null);
  await stopLeads(ctx, enrollments, 'unsubscribed');
  return row;
}
