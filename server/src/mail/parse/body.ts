import PostalMime from 'postal-mime';
import { firstLines } from './parse-message.ts';

/** How much of a message is read for its body: the text comes first, attachments after it. */
export const BODY_BYTES = 4 * 1024 * 1024;
/** The parser works line by line, at some ten microseconds each. */
const MAX_LINES = 60_000;
const MAX_TEXT = 1024 * 1024;

/** What a person reads of a message; null where it has no such part. `truncated`: there is, or may be, more than this. */
export type Body = { html: string | null; text: string | null; truncated: boolean };

/**
 * The text and the HTML of a message (RFC 5322 and MIME), decoded; the HTML as it came, with whatever is in it. Work is bounded: 4 MiB and 60,000
 * lines of source, 2^20 UTF-16 units of each. Null when it cannot be read at all.
 */
export async function bodyOf(source: Buffer, { truncated = false }: { truncated?: boolean } = {}): Promise<Body | null> {
  const bounded = firstLines(source.subarray(0, BODY_BYTES), MAX_LINES);
  try {
    const { html, text } = await PostalMime.parse(bounded, { forceRfc822Attachments: true, maxNestingDepth: 20, maxHeadersSize: 256 * 1024 });
    const longest = Math.max(html?.length ?? 0, text?.length ?? 0);
    return { html: cut(html), text: cut(text), truncated: truncated || bounded.length < source.length || longest > MAX_TEXT };
  } catch {
    // Deeper or longer than the parser follows.
    return null;
  }
}

const cut = (text: string | undefined) => (text === undefined ? null : text.slice(0, MAX_TEXT).toWellFormed().replaceAll('\0', ''));
