import { emailKey } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import { TemplateTooLarge } from '#mail/template/render.ts';
import { contactsByEmail } from '#resources/contacts/index.ts';
import { record } from '#resources/events/index.ts';
import { type Inbox, byIds } from '#resources/inboxes/index.ts';
import { suppressedAmong } from '#resources/suppressions/index.ts';
import { countUsage, monthOf, sendsLeft } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { freshSend, newMessageId } from './letter.ts';
import { type LetterTexts, renderLetter, templateCache } from './render-letter.ts';
import { deliverAtOnce, recordOutbound } from './sandbox.ts';
import { type Row, insertAll } from './store.ts';
import { MAX_SUBJECT, type NewSend, present } from './wire.ts';

const YEAR_MS = 366 * 24 * 3_600_000;
const QUOTA_MARGIN = 5_000;

type Facts = {
  inboxes: ReadonlyMap<string, Inbox>;
  contacts: Awaited<ReturnType<typeof contactsByEmail>>;
  suppressed: ReadonlySet<string>;
  parsed: ReturnType<typeof templateCache>;
};

/**
 * Schedule one-off sends, many callers' in one go, within one workspace and mode. Answers each in order: its row, or why it was refused.
 * The rows carry what will leave: rendered texts, Message-ID, due time; the engine only carries them out.
 */
export async function createSends(ctx: Ctx, wanted: readonly NewSend[]): Promise<(Row | Refusal)[]> {
  const keys = [...new Set(wanted.map((one) => emailKey(one.to.email)))];
  const facts: Facts = {
    inboxes: new Map((await byIds(ctx, [...new Set(wanted.map((one) => one.inbox_id))])).map((inbox) => [inbox.id, inbox])),
    contacts: await contactsByEmail(ctx, keys),
    suppressed: await suppressedAmong(ctx, keys),
    parsed: templateCache(),
  };
  let left = await quotaLeft(ctx);
  const outcomes = wanted.map((one): Row | Refusal => {
    const outcome = left <= 0 ? new Refusal('plan_limit_reached', 'The sends of this month are used up.') : planOne(ctx, one, facts);
    if (!(outcome instanceof Refusal)) left--;
    return outcome;
  });
  const rows = await scheduleAll(ctx, outcomes.filter((one): one is Row => !(one instanceof Refusal)), facts.inboxes); // prettier-ignore
  return outcomes.map((one) => (one instanceof Refusal ? one : rows.shift()!));
}

/** Near its end the month's count is locked first, so that callers side by side cannot go over it together. */
async function quotaLeft(ctx: Ctx): Promise<number> {
  const left = (await sendsLeft(ctx)) ?? Infinity;
  if (left > QUOTA_MARGIN) return left;
  await countUsage(ctx, monthOf(ctx.now), 0);
  return (await sendsLeft(ctx)) ?? Infinity;
}

function planOne(ctx: Ctx, wanted: NewSend, { inboxes, contacts, suppressed, parsed }: Facts): Row | Refusal {
  const inbox = inboxes.get(wanted.inbox_id);
  if (!inbox) return new Refusal('resource_missing', 'No such inbox.', { param: 'inbox_id' });
  if (inbox.status === 'revoked' || inbox.status === 'failed' || inbox.status === 'connecting') {
    return new Refusal('invalid_inbox_state', `This inbox is ${inbox.status}: it cannot send.`, { param: 'inbox_id' });
  }
  const key = emailKey(wanted.to.email);
  const contact = contacts.get(key);
  const status = contact?.global_status ?? 'ok';
  if (suppressed.has(key) || status !== 'ok') {
    return new Refusal('recipient_suppressed', `${wanted.to.email} is ${status === 'ok' ? 'suppressed' : status}.`, { param: 'to' });
  }
  const asked = wanted.send_at ?? ctx.now;
  if (asked.getTime() > ctx.now.getTime() + YEAR_MS) return new Refusal('validation_failed', 'More than a year ahead.', { param: 'send_at' });
  const messageId = newMessageId(ctx, inbox.email_address);
  const row = freshSend(ctx, ctx.now, {
    workspace_id: ctx.workspaceId, mode: ctx.mode, inbox_id: inbox.id, to_email: wanted.to.email, to_email_key: key, to_name: wanted.to.name ?? null,
    subject: wanted.subject, scheduled_at: asked < ctx.now ? ctx.now : asked, rfc822_message_id: messageId,
    in_reply_to: wanted.in_reply_to_message_id ?? null,
    thread_references: wanted.in_reply_to_message_id ? [wanted.in_reply_to_message_id] : [],
    provider_thread_id: wanted.in_reply_to_message_id ?? messageId,
    metadata: wanted.metadata ?? null, contact_id: contact?.id ?? null,
  }); // prettier-ignore
  const own = { email: wanted.to.email, sender_name: inbox.display_name ?? '', sender_email: inbox.email_address };
  const written = writtenFor(wanted, {
    sources: [wanted.variables ?? {}, (contact?.attributes as object | undefined) ?? {}, own],
    seed: row.id,
    signature: wanted.append_signature ? { html: inbox.signature_html, text: inbox.signature_text } : null,
    parsed,
  });
  return written instanceof Refusal ? written : { ...row, subject: written.subject, body_html: written.html, body_text: written.text };
}

/** The texts of a one-off send once its variables are filled, or why they cannot be sent. */
function writtenFor(wanted: NewSend, how: Parameters<typeof renderLetter>[1]): LetterTexts | Refusal {
  const no = (message: string, param: string) => new Refusal('validation_failed', message, { param });
  try {
    const letter = renderLetter({ subject: wanted.subject, html: wanted.body_html ?? null, text: wanted.body_text ?? null }, how);
    if (letter.subject.trim() === '') return no('The subject is empty once its variables are filled.', 'subject');
    if (letter.subject.length > MAX_SUBJECT)
      return no(`The subject is longer than ${MAX_SUBJECT} characters once its variables are filled.`, 'subject');
    return letter;
  } catch (error) {
    if (error instanceof TemplateTooLarge) return no(error.message, wanted.body_html === undefined ? 'body_text' : 'body_html');
    throw error;
  }
}

/** Insert, count and tell: what stands for all sends that begin, one-off or a campaign's. */
export async function scheduleAll(ctx: Ctx, planned: readonly Row[], inboxes: ReadonlyMap<string, Inbox>): Promise<Row[]> {
  if (planned.length === 0) return [];
  // A campaign's send goes through the sending loop in either mode: its outcome moves the enrollment on.
  const isAtOnce = (row: Row) => row.campaign_id === null && row.scheduled_at <= ctx.now && inboxes.get(row.inbox_id)?.provider === 'sandbox';
  const sandbox = planned.filter(isAtOnce);
  const atOnce = new Map((sandbox.length ? await deliverAtOnce(ctx, sandbox) : []).map((row) => [row.id, row]));
  const rows = planned.map((row) => atOnce.get(row.id) ?? row);
  await insertAll(ctx, rows);
  await recordOutbound(ctx, rows, inboxes);
  if (ctx.mode === 'live') await countUsage(ctx, monthOf(ctx.now), rows.length);
  for (const row of rows) {
    const tell = (type: 'send.scheduled' | 'send.sending' | 'send.sent', as: Partial<Row>) =>
      record(ctx, { type, resourceId: row.id, data: present({ ...row, ...as }), metadata: row.metadata as object | null });
    tell('send.scheduled', { state: 'scheduled', sent_at: null, attempt_count: 0 });
    if (row.state !== 'sent') continue;
    tell('send.sending', { state: 'sending', sent_at: null });
    tell('send.sent', {});
  }
  return rows;
}
