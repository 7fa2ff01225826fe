import { emailKey } from '#platform/email-address.ts';
import { TemplateTooLarge } from '#mail/template/render.ts';
import { rowsOf } from '#store/db.ts';
import {
  type Campaign,
  type CampaignStep,
  type Plan,
  type Planned,
  campaignSteps,
  replySubject,
  stepLetter,
  stopLeads,
} from '#resources/campaigns/index.ts';
import { type Contact, contactsByIds } from '#resources/contacts/index.ts';
import type { Enrollment } from '#resources/enrollments/index.ts';
import { keepLinks } from '#resources/links/index.ts';
import { type Letter, freshSend, newMessageId, scheduleAll, templateCache } from '#resources/sends/index.ts';
import type { Variant } from '#resources/sequences/index.ts';
import { suppressedAmong } from '#resources/suppressions/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { textOf } from './texts.ts';

/** Write the plan down: sends with everything that will leave, the enrollments that now wait for them, how far the inboxes are planned. */
export async function writeSends(ctx: Ctx, campaign: Campaign, plan: Plan, enrollments: ReadonlyMap<string, Enrollment>): Promise<void> {
  if (plan.sends.length === 0) return;
  const steps = await campaignSteps(ctx, campaign.id);
  const leads = plan.sends.map(({ lead }) => enrollments.get(lead.id)!);
  const contacts = new Map((await contactsByIds(ctx, leads.map((one) => one.contact_id))).map((row) => [row.id, row])); // prettier-ignore
  const parsed = templateCache();
  const sends: Letter[] = [];
  const tracked = new Map<string, readonly string[]>();
  const broken: Enrollment[] = [];
  const barred: Enrollment[] = [];
  const suppressed = await suppressedAmong(ctx, [...contacts.values()].map((one) => one.email_key)); // prettier-ignore
  for (const planned of plan.sends) {
    const enrollment = enrollments.get(planned.lead.id)!;
    const step = steps[enrollment.current_step];
    const contact = contacts.get(enrollment.contact_id);
    if (contact && (contact.global_status !== 'ok' || suppressed.has(contact.email_key))) {
      barred.push(enrollment);
      continue;
    }
    const send = step && contact && sendFor(ctx, { campaign, planned, enrollment, step, contact, parsed, tracked });
    if (send) sends.push(send);
    else broken.push(enrollment);
  }
  const inboxes = new Map(plan.sends.map(({ inbox }) => [inbox.id, inbox]));
  await markPlanned(ctx, sends);
  await scheduleAll(ctx, sends, inboxes);
  await keepLinks(ctx, tracked);
  await rowsOf(
    ctx.db,
    `update inboxes i set planned_until = t.until from unnest($2::text[], $3::timestamptz[]) as t (id, until)
      where i.workspace_id = $1 and i.id = t.id`,
    [ctx.workspaceId, [...plan.plannedUntil.keys()], [...plan.plannedUntil.values()]],
  );
  if (broken.length) await stopLeads(ctx, broken, 'failed');
  // Nobody who may not be written to gets as far as a send; the release asks again, for those who asked to stop meanwhile.
  const isBounced = (one: Enrollment) => contacts.get(one.contact_id)?.global_status === 'bounced';
  await stopLeads(ctx, barred.filter(isBounced), 'bounced'); // prettier-ignore
  await stopLeads(ctx, barred.filter((one) => !isBounced(one)), 'unsubscribed'); // prettier-ignore
}

type Part = {
  campaign: Campaign;
  planned: Planned;
  enrollment: Enrollment;
  step: CampaignStep;
  contact: Contact;
  parsed: ReturnType<typeof templateCache>;
  /** Where the links of the sends lead is put in here. */
  tracked: Map<string, readonly string[]>;
};

/** The send of one step to one person; undefined when its text cannot be rendered. */
function sendFor(ctx: Ctx, part: Part): Letter | undefined {
  const { campaign, planned, enrollment, step, contact } = part;
  const { inbox, at } = planned;
  const { text, variantId } = textOf(
    { ...step, variants: step.variants as Variant[] | null },
    {
      campaignId: campaign.id,
      contactId: contact.id,
    },
  );
  const threaded = text.subject.trim() === '' && enrollment.thread_message_ids.length > 0;
  const messageId = newMessageId(ctx, inbox.email_address);
  const send = freshSend(ctx, afterEdit(campaign, ctx.now), {
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
    const { letter, urls } = stepLetter(ctx, send.id, text, { campaign, inbox, reader: contact, parsed: part.parsed });
    if (urls.length > 0) part.tracked.set(send.id, urls);
    // Without a subject of its own the letter goes on with that of its thread.
    return { ...send, ...letter, ...(threaded && { subject: replySubject(enrollment.thread_subject ?? '') }) };
  } catch (error) {
    if (error instanceof TemplateTooLarge) return undefined;
    throw error;
  }
}

/** What is planned in the instant of a change comes after it: or the release would take it for what was planned before, again and again. */
const afterEdit = ({ edited_at: edited }: Campaign, now: Date) => (edited !== null && edited >= now ? new Date(edited.getTime() + 1) : now);

async function markPlanned(ctx: Ctx, sends: readonly Letter[]): Promise<void> {
  await rowsOf(
    ctx.db,
    `update enrollments e set plan_due_at = null, assigned_inbox_id = t.inbox_id, next_send_at = t.at, updated_at = $2
       from unnest($3::text[], $4::text[], $5::timestamptz[]) as t (id, inbox_id, at)
      where e.workspace_id = $1 and e.id = t.id`,
    [ctx.workspaceId, ctx.now, sends.map((one) => one.enrollment_id), sends.map((one) => one.inbox_id), sends.map((one) => one.scheduled_at)],
  );
}
