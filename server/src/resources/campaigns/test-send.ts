// One step of a campaign, sent to whoever wants to see it. A single mail like any other: the campaign does not learn of it.
import { TemplateTooLarge } from '#mail/template/render.ts';
import { Refusal, found } from '#platform/refusal.ts';
import { type Contact, contactsByIds } from '#resources/contacts/index.ts';
import { type Inbox, MAY_SEND, byIds } from '#resources/inboxes/index.ts';
import { type Letter, MAX_SUBJECT, createSends, templateCache } from '#resources/sends/index.ts';
import { type StepText, type Variant, openTexts } from '#resources/sequences/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { inboxesOf } from './sending-inboxes.ts';
import { replySubject, stepLetter } from './step-letter.ts';
import * as store from './store.ts';
import type { TestSendBody } from './test-wire.ts';

/**
 * Send one step to an address, rendered as its recipients will see it. The send belongs to no enrollment; `metadata.test_send` marks it. Its way out
 * is that of the address that gets it: the contact whose data fills it is left alone. Refuses as a single send does, and by field what the
 * campaign has not.
 */
export async function sendTest(ctx: Ctx, campaignId: string, body: TestSendBody): Promise<Letter> {
  const campaign = found(await store.byId(ctx, campaignId), 'campaign');
  const steps = await store.steps(ctx, campaignId);
  const step = stepOf(steps, body);
  const { text, variantId } = textIn(step, body.variant_id);
  const subject = text.subject.trim() === '' ? threadSubject(steps, step) : text.subject;
  const field = variantId !== null && body.variant_id ? 'variant_id' : body.step_id === undefined ? 'step_order' : 'step_id';
  if (subject === null) throw empty('This text has no subject, and no step before it has one.', field);
  if (text.body_html.trim() === '' && text.body_text.trim() === '') throw empty('This text has no body.', field);
  const reader = body.contact_id === undefined ? undefined : await contactOf(ctx, body.contact_id);
  const inbox = await senderOf(ctx, campaign, body.inbox_id);
  const parsed = templateCache();
  const metadata = {
    test_send: 'true',
    campaign_id: campaignId,
    step_id: step.id,
    ...(variantId !== null && { variant_id: variantId }),
    ...(reader && { contact_id: reader.id }),
  };
  const [sent] = await createSends(ctx, [
    {
      to: { email: body.to },
      inbox_id: inbox.id,
      metadata,
      compose: (row, own) => {
        const parts = { campaign, inbox, reader: reader ?? own ?? { email: body.to, attributes: {} }, parsed };
        return composed(ctx, { row, text: { ...text, subject }, isReply: subject !== text.subject, field }, parts);
      },
    },
  ]);
  if (sent instanceof Refusal) throw sent;
  return sent!;
}

const empty = (message: string, param: string) => new Refusal('validation_failed', message, { param });

function stepOf(steps: readonly store.Step[], { step_id: id, step_order: order }: TestSendBody): store.Step {
  const step = id === undefined ? steps[order!] : steps.find((one) => one.id === id);
  if (step) return step;
  throw new Refusal('resource_missing', 'No such step in this campaign.', { param: id === undefined ? 'step_order' : 'step_id' });
}

/** The text that is named; by default the one that everybody gets, or the step's own. */
function textIn(step: store.Step, wanted: string | null | undefined): { variantId: string | null; text: StepText } {
  const variants = step.variants as Variant[] | null;
  if (wanted === null || wanted === step.id) return { variantId: null, text: step };
  if (wanted === undefined) return openTexts({ ...step, variants })[0]!;
  const variant = variants?.find((one) => one.id === wanted);
  if (!variant) throw new Refusal('resource_missing', 'No such variant of this step.', { param: 'variant_id' });
  return { variantId: variant.id, text: variant };
}

/** The subject of the thread into which a follow-up without one goes: that of the nearest step before it that has one. */
function threadSubject(steps: readonly store.Step[], step: store.Step): string | null {
  const before = steps.slice(0, step.step_order).map((one) => openTexts({ ...one, variants: one.variants as Variant[] | null })[0]!.text.subject);
  return before.findLast((subject) => subject.trim() !== '') ?? null;
}

async function contactOf(ctx: Ctx, id: string): Promise<Contact> {
  const [contact] = await contactsByIds(ctx, [id]);
  if (!contact) throw new Refusal('resource_missing', 'No such contact.', { param: 'contact_id' });
  return contact;
}

async function senderOf(ctx: Ctx, campaign: store.Row, wanted: string | undefined): Promise<Inbox> {
  const inboxes = await inboxesOf(ctx, campaign);
  if (wanted === undefined) {
    const able = inboxes.filter((inbox) => (MAY_SEND as readonly string[]).includes(inbox.status));
    const first = able.find((inbox) => inbox.status === 'active') ?? able[0];
    if (!first) throw new Refusal('no_inbox_available', 'None of the inboxes of this campaign can send now.', { param: 'inbox_id' });
    return first;
  }
  const chosen = inboxes.find((inbox) => inbox.id === wanted);
  if (chosen) return chosen;
  if ((await byIds(ctx, [wanted])).length === 0) throw new Refusal('resource_missing', 'No such inbox.', { param: 'inbox_id' });
  throw new Refusal('validation_failed', 'This inbox is none of the campaign.', { param: 'inbox_id' });
}

type Asked = { row: Letter; text: StepText; isReply: boolean; field: string };

function composed(ctx: Ctx, { row, text, isReply, field }: Asked, parts: Parameters<typeof stepLetter>[3]): ReturnType<typeof stepLetter> | Refusal {
  try {
    const made = stepLetter(ctx, row.id, text, parts);
    const subject = isReply ? replySubject(made.letter.subject) : made.letter.subject;
    if (made.letter.subject.trim() === '') return empty('The subject is empty once its variables are filled.', field);
    if (subject.length > MAX_SUBJECT) return empty(`The subject is longer than ${MAX_SUBJECT} characters once its variables are filled.`, field);
    return { ...made, letter: { ...made.letter, subject } };
  } catch (error) {
    if (error instanceof TemplateTooLarge) return empty(error.message, field);
    throw error;
  }
}
