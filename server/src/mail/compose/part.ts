// The MIME tree of a letter (RFC 2045, 2046) and how it becomes bytes.
import { hash } from 'node:crypto';
import { BadLetter } from './bad-letter.ts';
import { field, words } from './header.ts';
import { messageId } from './message-id.ts';
import { parameter } from './parameter.ts';
import { base64Lines, encodeText } from './transfer.ts';

/** A file that goes with a letter. One with a `contentId` is shown inside the HTML, which cites it as `cid:`. */
export type Attachment = { filename: string; contentType: string; content: Buffer; contentId?: string | null };
/** A part as written: its header fields (CRLF-ended) and its body, which ends without CRLF. */
export type Part = { header: string; body: Buffer };

const CRLF = Buffer.from('\r\n');
const MEDIA_TYPE = /^[A-Za-z0-9][\w!#$&^.+-]*\/[A-Za-z0-9][\w!#$&^.+-]*(?:; ?[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[ !#-[\]-~]*"))*$/;

/** A text part, in the shorter of quoted-printable and base64. */
export function textPart(subtype: 'plain' | 'html', text: string): Part {
  const { encoding, body } = encodeText(text);
  return { header: `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`, body };
}

/** An attachment in base64. BadLetter for a type that is none, and for multipart and message types, which base64 is forbidden to (RFC 2046). */
export function attachmentPart({ filename, contentType, content, contentId = null }: Attachment): Part {
  if (!MEDIA_TYPE.test(contentType) || /^(?:multipart|message)\//i.test(contentType)) {
    throw new BadLetter(`not a type for an attachment: ${JSON.stringify(contentType.slice(0, 100))}`);
  }
  const disposition = contentId === null ? ' attachment;' : ' inline;';
  let header = field('Content-Type', words(contentType));
  header += field('Content-Disposition', [disposition, ...parameter('filename', filename)]);
  header += 'Content-Transfer-Encoding: base64\r\n';
  if (contentId !== null) header += `Content-ID: ${messageId(contentId.startsWith('<') ? contentId : `<${contentId}>`, 'contentId')}\r\n`;
  return { header, body: base64Lines(content) };
}

/**
 * Parts in one multipart. The boundary is drawn from the seed, and begins with `=_`, which neither quoted-printable nor base64 can contain.
 */
export function multipart(subtype: 'alternative' | 'related' | 'mixed', parts: readonly Part[], seed: string): Part {
  const boundary = `=_${hash('sha256', `${subtype}\0${seed}`).slice(0, 32)}`;
  const pieces: Buffer[] = [];
  for (const part of parts) pieces.push(Buffer.from(`--${boundary}\r\n${part.header}\r\n`), part.body, CRLF);
  pieces.push(Buffer.from(`--${boundary}--`));
  // RFC 2387 section 3.1 wants the type of the part that the others belong to.
  const type = subtype === 'related' ? ' type="text/html";' : '';
  return { header: `Content-Type: multipart/${subtype};${type}\r\n boundary="${boundary}"\r\n`, body: Buffer.concat(pieces) };
}
