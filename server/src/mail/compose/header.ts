// Header fields: what may enter one, and where its lines break.
import { BadLetter } from './bad-letter.ts';
import { encodedWords, needsEncoding } from './encoded-word.ts';

/** RFC 2047 section 2 holds a line with an encoded-word to 76 characters; the same width serves every field. */
export const LINE_WIDTH = 76;
/** RFC 5322 section 2.1.1: characters of a line, CRLF excluded. */
const LINE_LIMIT = 998;

/** The text as it came, or BadLetter when it holds a control character (C0, DEL, C1): stripping would hide an attempt at header injection. */
export function withoutControls(text: string, what: string): string {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || (code >= 127 && code < 160)) {
      throw new BadLetter(`${what}: control character U+${code.toString(16).toUpperCase().padStart(4, '0')} at ${i}`);
    }
  }
  return text;
}

/**
 * One header field, CRLF included. Each token begins with the white space that parts it from the one before, so a fold (RFC 5322 section 2.2.3) is
 * a CRLF before a token and unfolding gives the text back. The first token stays on the line of the name: some readers lose a value that begins
 * below.
 */
export function field(name: string, tokens: readonly string[]): string {
  const [first = ' ', ...others] = tokens;
  let line = `${name}:${first}`;
  let folded = '';
  for (const token of others) {
    if (line.length + token.length > LINE_WIDTH) {
      folded += `${bounded(line, name)}\r\n`;
      line = token;
    } else {
      line += token;
    }
  }
  return `${folded}${bounded(line, name)}\r\n`;
}

function bounded(line: string, name: string): string {
  if (line.length > LINE_LIMIT) throw new BadLetter(`${name}: a line of ${line.length} characters`);
  return line;
}

/** Words with the white space before each: `'a  b'` gives `[' a', '  b']`, counting the space after the colon. */
export function words(text: string): string[] {
  return ` ${text}`.match(/ +[^ ]+/g) ?? [];
}

/**
 * A field of free text (RFC 5322 section 2.2.1), such as Subject. It becomes encoded-words when it is not printable ASCII, looks like an
 * encoded-word, begins or ends with a space, or has a word that no line can hold.
 */
export function unstructured(name: string, text: string): string {
  withoutControls(text, name);
  const room = LINE_WIDTH - name.length - 2;
  const parts = words(text);
  const plain = !needsEncoding(text) && !/^ | $/.test(text) && parts.every((part, i) => part.length <= (i === 0 ? room + 1 : LINE_WIDTH));
  return field(name, plain ? parts : encodedWords(text, room).map((word) => ` ${word}`));
}
