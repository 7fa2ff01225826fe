import { Refusal, found } from '#platform/refusal.ts';
import { rowsOf } from '#store/db.ts';
import { contactsByIds } from '#resources/contacts/index.ts';
import { enrollmentsOfContacts } from '#resources/enrollments/index.ts';
import { byIds } from '#resources/inboxes/index.ts';
import { suppressedAmong } from '#resources/suppressions/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { type Explanation, explainLead } from './gates.ts';
import { factsToShow } from './plan-facts.ts';
import * as store from './store.ts';

export type Explained = Explanation & { campaignId: string; contactId: string; status: string; currentStep: number; asOf: Date };

/** Why a contact gets its next mail now, or does not: every gate, as the planner would find it at this moment. Writes nothing. */
export async function explainContact(ctx: Ctx, campaignId: string, contactId: string): Promise<Explained> {
  const campaign = found(await store.byId(ctx, campaignId), 'campaign');
  const [enrollment] = await enrollmentsOfContacts(ctx, campaignId, [contactId]);
  if (!enrollment) throw new Refusal('resource_missing', 'No such contact in this campaign.', { param: 'contact_id' });
  const [contact] = await contactsByIds(ctx, [contactId]);
  const [ownInbox = null] = enrollment.assigned_inbox_id === null ? [] : await byIds(ctx, [enrollment.assigned_inbox_id]);
  const [openSend = null] = await rowsOf<{ id: string; scheduled_at: Date }>(
    ctx.db,
    `select id, scheduled_at from sends where workspace_id = $1 and enrollment_id = $2 and is_open and enrollment_id > '' limit 1`,
    [ctx.workspaceId, enrollment.id],
  );
  const { id, status, current_step, assigned_inbox_id, plan_due_at } = enrollment;
  const explained = explainLead({
    facts: await factsToShow(ctx, campaign),
    campaign,
    lead: { id, status, current_step, assigned_inbox_id, plan_due_at },
    contact: { global_status: contact!.global_status, suppressed: (await suppressedAmong(ctx, [contact!.email_key])).has(contact!.email_key) },
    ownInbox,
    openSend,
  });
  return { ...explained, campaignId, contactId, status, currentStep: current_step, asOf: ctx.now };
}
