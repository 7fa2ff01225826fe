// A letter as the bytes of a message (RFC 5322, 2045 to 2047, 2231). Asked by whoever sends; the transport adds dot-stuffing and the envelope.
import type { MailAddress } from '../mail.ts';
import { addressField } from './address.ts';
import { BadLetter } from './bad-letter.ts';
import { headerDate } from './date.ts';
import { field, unstructured, withoutControls, words } from './header.ts';
import { messageId } from './message-id.ts';
import { type Attachment, attachmentPart, multipart, type Part, textPart } from './part.ts';

/**
 * What is to be written. Message ids carry their angle brackets; `inReplyTo` and `references` must satisfy isMessageId. `seed` decides the
 * boundaries: the same letter gives the same bytes.
 */
export type Letter = {
  messageId: string;
  date: Date;
  from: MailAddress;
  to: readonly MailAddress[];
  cc?: readonly MailAddress[];
  replyTo?: MailAddress | null;
  subject: string;
  text: string | null;
  html: string | null;
  inReplyTo?: string | null;
  references?: readonly string[];
  /** Further fields, such as List-Unsubscribe or Auto-Submitted; never one that the composer writes itself. */
  headers?: readonly { name: string; value: string }[];
  attachments?: readonly Attachment[];
  seed: string;
};

/** Fields that are the composer's own, that a transport adds, or that would betray a hidden recipient. */
const RESERVED =
  /^(?:date|from|sender|reply-to|to|cc|bcc|subject|message-id|in-reply-to|references|mime-version|return-path|received|(?:content|resent)-.*)$/i;

/**
 * The message: CRLF lines of at most 998 characters, ended by CRLF; 7-bit but for a local part beyond ASCII (RFC 6532, needs SMTPUTF8). Text alone
 * is text/plain, HTML alone text/html, both multipart/alternative; a letter with neither has an empty text. Attachments make it multipart/mixed,
 * those with a contentId multipart/related around the HTML (mixed where there is none). BadLetter for whatever cannot be written, such as a control
 * character in a header: nothing is stripped.
 */
export function compose(letter: Letter): Buffer {
  const body = bodyOf(letter);
  const head = Buffer.from(`${headOf(letter)}MIME-Version: 1.0\r\n${body.header}\r\n`, 'utf8');
  const end = body.body.length > 0 && body.body.at(-1) !== 10 ? '\r\n' : '';
  return Buffer.concat([head, body.body, Buffer.from(end)]);
}

function headOf(letter: Letter): string {
  if (letter.to.length === 0) throw new BadLetter('a letter to nobody');
  let head = `Date: ${headerDate(letter.date)}\r\n`;
  head += addressField('From', [letter.from]);
  if (letter.replyTo) head += addressField('Reply-To', [letter.replyTo]);
  head += addressField('To', letter.to);
  if (letter.cc?.length) head += addressField('Cc', letter.cc);
  head += unstructured('Subject', letter.subject);
  head += idField('Message-ID', [letter.messageId]);
  if (letter.inReplyTo) head += idField('In-Reply-To', [letter.inReplyTo]);
  if (letter.references?.length) head += idField('References', letter.references);
  for (const { name, value } of letter.headers ?? []) head += furtherField(name, value);
  return head;
}

function idField(name: string, ids: readonly string[]): string {
  return field(
    name,
    ids.map((id) => ` ${messageId(id, name)}`),
  );
}

/**
 * ASCII values stay as they are, folded at spaces: they may be structured (`<https://…>`). Others become encoded-words, which List-* cannot hold
 * (RFC 2369).
 */
function furtherField(name: string, value: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(name) || RESERVED.test(name)) {
    throw new BadLetter(`not a further header: ${JSON.stringify(name.slice(0, 100))}`);
  }
  if (/^[ -~]*$/.test(value)) return field(name, words(value));
  withoutControls(value, name);
  if (/^list-/i.test(name)) throw new BadLetter(`${name}: beyond ASCII`);
  return unstructured(name, value);
}

function bodyOf({ text, html, attachments = [], seed }: Letter): Part {
  const embedded = html === null ? [] : attachments.filter((file) => file.contentId);
  const attached = attachments.filter((file) => !embedded.includes(file));
  const versions: Part[] = [];
  if (text !== null || html === null) versions.push(textPart('plain', text ?? ''));
  if (html !== null) {
    const page = textPart('html', html);
    versions.push(embedded.length === 0 ? page : multipart('related', [page, ...embedded.map(attachmentPart)], seed));
  }
  const [first] = versions;
  const written = versions.length === 1 && first ? first : multipart('alternative', versions, seed);
  return attached.length === 0 ? written : multipart('mixed', [written, ...attached.map(attachmentPart)], seed);
}
