import { inTransaction } from '#store/db.ts';
import { stopLeads } from '#resources/campaigns/index.ts';
import { contactsByEmail, markUnsubscribed } from '#resources/contacts/index.ts';
import { type Enrollment, enrollmentsOfContact, wakePlanner } from '#resources/enrollments/index.ts';
import type { Send } from '#resources/sends/index.ts';
import { suppress } from '#resources/suppressions/index.ts';
import type { Ctx } from '#world/ctx.ts';

type About = Pick<Send, 'id' | 'to_email_key' | 'campaign_id' | 'enrollment_id'>;

/**
 * Leave the recipient of a send alone for ever: contact `unsubscribed`, every enrollment ended, address suppressed; no letter leaves once this has
 * committed. Doing it again changes and tells nothing. Contact and campaign may be gone. `hasReplied`: the wish stood in an answer.
 */
export function unsubscribe(ctx: Ctx, send: About, { hasReplied = false } = {}): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const email = send.to_email_key;
    const campaignIds = (await enrollmentsFor(ctx, email)).map((one) => one.campaign_id);
    // Campaigns are locked before contacts, contacts before enrollments.
    await wakePlanner(ctx, send.campaign_id === null ? campaignIds : [...campaignIds, send.campaign_id], ctx.now);
    await markUnsubscribed(ctx, { emails: [email], source: send.campaign_id ?? 'manual' });
    const enrollments = await enrollmentsFor(ctx, email);
    if (hasReplied && send.enrollment_id !== null && send.campaign_id !== null) {
      await stopLeads(ctx, [{ id: send.enrollment_id, campaign_id: send.campaign_id }], 'replied');
    }
    await stopLeads(ctx, enrollments, 'unsubscribed');
    await suppress(ctx, { email, reason: 'unsubscribe', sourceSendId: send.id });
  });
}

async function enrollmentsFor(ctx: Ctx, email: string): Promise<Enrollment[]> {
  const contact = (await contactsByEmail(ctx, [email])).get(email);
  return contact ? enrollmentsOfContact(ctx, contact.id) : [];
}
