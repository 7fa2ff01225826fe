// One send as it will leave, from what is wanted and what is known; nothing is read or written here.
import { TemplateTooLarge } from '#mail/template/render.ts';
import { emailKey } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import type { Contact, contactsByEmail } from '#resources/contacts/index.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import { dress, linkTo } from '#resources/links/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Attachment } from './attachments-wire.ts';
import type { Named } from './attachments.ts';
import { noCopy } from './copies.ts';
import { freshSend, newMessageId } from './letter.ts';
import { MAX_SUBJECT, type NewSend, type Recipient } from './letter-wire.ts';
import { type LetterTexts, renderLetter, type templateCache } from './render-letter.ts';
import type { Letter } from './store.ts';
import { type Threading, type Threadings, threadingFor } from './threading.ts';

/**
 * A one-off send to one person from one inbox. A `reply_subject` is sent as it is: it may quote a stranger's words. With `compose` its texts are
 * written elsewhere, for the row as it begins and the recipient's contact, if there is one.
 */
export type Wanted = Partial<Omit<NewSend, 'to' | 'inbox_id' | 'from_strategy'>> &
  Pick<NewSend, 'body_html' | 'body_text'> & { to: Recipient; inbox_id: string; reply_subject?: string; compose?: Compose };

/** The texts of a send and where its followed links lead, or why there can be none. */
type Compose = (row: Letter, contact: Contact | undefined) => { letter: Partial<Letter>; urls: readonly string[] } | Refusal;

export type Facts = {
  inboxes: ReadonlyMap<string, Inbox>;
  contacts: Awaited<ReturnType<typeof contactsByEmail>>;
  suppressed: ReadonlySet<string>;
  threadings: Threadings;
  files: ReadonlyMap<Attachment, Named>;
  parsed: ReturnType<typeof templateCache>;
  /** Where the links of the sends lead is put in here. */
  tracked: Map<string, readonly string[]>;
};

const YEAR_MS = 366 * 24 * 3_600_000;

/** Why mail to an address is refused; null when it may go. */
export function barring({ contacts, suppressed }: Pick<Facts, 'contacts' | 'suppressed'>): (email: string) => string | null {
  return (email) => {
    const key = emailKey(email);
    const status = contacts.get(key)?.global_status ?? 'ok';
    return status !== 'ok' ? status : suppressed.has(key) ? 'suppressed' : null;
  };
}

/** The send, or why there can be none. */
export function planOne(ctx: Ctx, wanted: Wanted, facts: Facts): Letter | Refusal {
  const inbox = facts.inboxes.get(wanted.inbox_id);
  if (!inbox) return new Refusal('resource_missing', 'No such inbox.', { param: 'inbox_id' });
  if (inbox.status === 'revoked' || inbox.status === 'failed' || inbox.status === 'connecting') {
    return new Refusal('invalid_inbox_state', `This inbox is ${inbox.status}: it cannot send.`, { param: 'inbox_id' });
  }
  const barred = barring(facts);
  const why = barred(wanted.to.email);
  if (why !== null) return new Refusal('recipient_suppressed', `${wanted.to.email} is ${why}.`, { param: 'to' });
  const uncopied = noCopy(wanted, wanted.to, barred);
  if (uncopied) return uncopied;
  if (wanted.send_at && wanted.send_at.getTime() > ctx.now.getTime() + YEAR_MS) {
    return new Refusal('validation_failed', 'More than a year ahead.', { param: 'send_at' });
  }
  const threading = threadingFor(wanted, facts.threadings);
  if (threading instanceof Refusal) return threading;
  return written(ctx, wanted, inbox, { threading, facts });
}

type Placed = { threading: Threading | null; facts: Facts };

function written(ctx: Ctx, wanted: Wanted, inbox: Inbox, { threading, facts: { contacts, files, parsed, tracked } }: Placed): Letter | Refusal {
  const key = emailKey(wanted.to.email);
  const contact = contacts.get(key);
  const { send_at: asked } = wanted;
  const row = freshSend(ctx, ctx.now, {
    workspace_id: ctx.workspaceId, mode: ctx.mode, inbox_id: inbox.id, to_email: wanted.to.email, to_email_key: key, to_name: wanted.to.name ?? null,
    subject: '', scheduled_at: asked && asked > ctx.now ? asked : ctx.now, rfc822_message_id: newMessageId(ctx, inbox.email_address), ...threading,
    metadata: wanted.metadata ?? null, contact_id: contact?.id ?? null, ...extras(wanted, files),
  }); // prettier-ignore
  if (wanted.compose) {
    const made = wanted.compose(row, contact);
    if (made instanceof Refusal) return made;
    if (made.urls.length > 0) tracked.set(row.id, made.urls);
    return { ...row, ...made.letter };
  }
  const about = { workspaceId: ctx.workspaceId, mode: ctx.mode, sendId: row.id };
  const own = {
    email: wanted.to.email,
    sender_name: inbox.display_name ?? '',
    sender_email: inbox.email_address,
    // Made only for whoever asks for it.
    get unsubscribe_url() {
      return linkTo(ctx, 'unsubscribe', { ...about, place: 0 });
    },
  };
  const texts = textsOf(wanted, {
    sources: [wanted.variables ?? {}, (contact?.attributes as object | undefined) ?? {}, own],
    seed: row.id,
    signature: wanted.append_signature ? { html: inbox.signature_html, text: inbox.signature_text } : null,
    parsed,
  });
  if (texts instanceof Refusal) return texts;
  const { track_opens: trackOpens = false, track_clicks: trackClicks = false } = wanted;
  if (!trackOpens && !trackClicks) return { ...row, subject: texts.subject, body_html: texts.html, body_text: texts.text };
  const { html, text, urls } = dress(ctx, about, texts, { trackOpens, trackClicks, footer: null });
  if (urls.length > 0) tracked.set(row.id, urls);
  return { ...row, subject: texts.subject, body_html: html, body_text: text };
}

const stored = ({ email, name = '' }: Recipient) => ({ email, name });

/** What few sends have. */
function extras({ cc, bcc, reply_to: replyTo, headers, attachments, ...wanted }: Wanted, files: Facts['files']): Partial<Letter> {
  return {
    ...(cc?.length && { cc: cc.map(stored) }),
    ...(bcc?.length && { bcc: bcc.map(stored) }),
    ...(replyTo !== undefined && { reply_to: replyTo }),
    ...(headers && Object.keys(headers).length && { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) }),
    ...(attachments?.length && { attachments: attachments.map((file) => files.get(file)!) }),
    ...(wanted.track_opens && { track_opens: true }),
    ...(wanted.track_clicks && { track_clicks: true }),
  };
}

/** The texts once their variables are filled, or why they cannot be sent. */
function textsOf(wanted: Wanted, how: Parameters<typeof renderLetter>[1]): LetterTexts | Refusal {
  const no = (message: string, param: string) => new Refusal('validation_failed', message, { param });
  try {
    const letter = renderLetter({ subject: wanted.subject ?? '', html: wanted.body_html ?? null, text: wanted.body_text ?? null }, how);
    const subject = wanted.reply_subject ?? letter.subject;
    if (subject.trim() === '') return no('The subject is empty once its variables are filled.', 'subject');
    if (subject.length > MAX_SUBJECT) return no(`The subject is longer than ${MAX_SUBJECT} characters once its variables are filled.`, 'subject');
    return { ...letter, subject };
  } catch (error) {
    if (error instanceof TemplateTooLarge) return no(error.message, wanted.body_html === undefined ? 'body_text' : 'body_html');
    throw error;
  }
}
