import { emailKey } from '#platform/email-address.ts';
import { TemplateTooLarge } from '#mail/template/render.ts';
import { rowsOf } from '#store/db.ts';
import { type Campaign, type CampaignStep, campaignSteps, stopLeads } from '#resources/campaigns/index.ts';
import { type Contact, contactsByIds } from '#resources/contacts/index.ts';
import type { Enrollment } from '#resources/enrollments/index.ts';
import { type Send, freshSend, newMessageId, renderLetter, scheduleAll, templateCache } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { type Plan, type Planned, type StepText, replySubject, textOf } from './rules.ts';

/** Write the plan down: sends with everything that will leave, the enrollments that now wait for them, how far the inboxes are planned. */
export async function writeSends(ctx: Ctx, campaign: Campaign, plan: Plan, enrollments: ReadonlyMap<string, Enrollment>): Promise<void> {
  if (plan.sends.length === 0) return;
  const steps = await campaignSteps(ctx, campaign.id);
  const leads = plan.sends.map(({ lead }) => enrollments.get(lead.id)!);
  const contacts = new Map((await contactsByIds(ctx, leads.map((one) => one.contact_id))).map((row) => [row.id, row])); // prettier-ignore
  const parsed = templateCache();
  const sends: Send[] = [];
  const broken: Enrollment[] = [];
  for (const planned of plan.sends) {
    const enrollment = enrollments.get(planned.lead.id)!;
    const step = steps[enrollment.current_step];
    const contact = contacts.get(enrollment.contact_id);
    const send = step && contact && sendFor(ctx, { campaign, planned, enrollment, step, contact, parsed });
    if (send) sends.push(send);
    else broken.push(enrollment);
  }
  const inboxes = new Map(plan.sends.map(({ inbox }) => [inbox.id, inbox]));
  await markPlanned(ctx, sends);
  await scheduleAll(ctx, sends, inboxes);
  await rowsOf(
    ctx.db,
    `update inboxes i set planned_until = t.until from unnest($2::text[], $3::timestamptz[]) as t (id, until)
      where i.workspace_id = $1 and i.id = t.id`,
    [ctx.workspaceId, [...plan.plannedUntil.keys()], [...plan.plannedUntil.values()]],
  );
  if (broken.length) await stopLeads(ctx, broken, 'failed');
}

type Part = {
  campaign: Campaign;
  planned: Planned;
  enrollment: Enrollment;
  step: CampaignStep;
  contact: Contact;
  parsed: ReturnType<typeof templateCache>;
};

/** The send of one step to one person; undefined when its text cannot be rendered. */
function sendFor(ctx: Ctx, { campaign, planned: { inbox, at }, enrollment, step, contact, parsed }: Part): Send | undefined {
  const { text, variantId } = textOf(
    { ...step, variants: step.variants as (StepText & { id: string; disabled: boolean })[] | null },
    {
      campaignId: campaign.id,
      contactId: contact.id,
    },
  );
  const threaded = text.subject.trim() === '' && enrollment.thread_message_ids.length > 0;
  const messageId = newMessageId(ctx, inbox.email_address);
  const send = freshSend(ctx, ctx.now, {
    workspace_id: ctx.workspaceId, mode: ctx.mode, inbox_id: inbox.id, to_email: contact.email, to_email_key: emailKey(contact.email),
    subject: '', scheduled_at: at, rfc822_message_id: messageId,
    campaign_id: campaign.id, contact_id: contact.id, enrollment_id: enrollment.id, campaign_step_id: step.id, variant_id: variantId,
    ...(threaded && {
      in_reply_to: enrollment.thread_message_ids.at(-1)!,
      thread_references: enrollment.thread_message_ids,
      provider_thread_id: enrollment.thread_message_ids[0]!,
    }),
  }); // prettier-ignore
  try {
    const letter = renderLetter(
      { subject: threaded ? '' : text.subject, html: text.body_html || null, text: text.body_text || null },
      {
        sources: [
          (contact.attributes as object | null) ?? {},
          { email: contact.email, sender_name: inbox.display_name ?? '', sender_email: inbox.email_address },
        ],
        seed: send.id,
        signature: { html: inbox.signature_html, text: inbox.signature_text },
        parsed,
      },
    );
    const subject = threaded ? replySubject(enrollment.thread_subject ?? '') : letter.subject;
    return { ...send, subject, body_html: letter.html, body_text: letter.text };
  } catch (error) {
    if (error instanceof TemplateTooLarge) return undefined;
    throw error;
  }
}

async function markPlanned(ctx: Ctx, sends: readonly Send[]): Promise<void> {
  await rowsOf(
    ctx.db,
    `update enrollments e set plan_due_at = null, assigned_inbox_id = t.inbox_id, next_send_at = t.at, updated_at = $2
       from unnest($3::text[], $4::text[], $5::timestamptz[]) as t (id, inbox_id, at)
      where e.workspace_id = $1 and e.id = t.id`,
    [ctx.workspaceId, ctx.now, sends.map((one) => one.enrollment_id), sends.map((one) => one.inbox_id), sends.map((one) => one.scheduled_at)],
  );
}
