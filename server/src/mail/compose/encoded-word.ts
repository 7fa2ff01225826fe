// Encoded-words (RFC 2047): text beyond ASCII inside a header.

/** RFC 2047 section 2: the longest that an encoded-word may be. */
const WORD_LIMIT = 75;
const WRAPPING = '=?UTF-8?Q??='.length;
/** RFC 2047 section 5 (3), the narrowest of the sets: good in a display name as well as in a subject. */
const Q_LITERAL = /^[A-Za-z0-9!*+\-/]$/;

/** Whether text cannot stand in a header as it is: beyond printable ASCII, or readable as an encoded-word. */
export function needsEncoding(text: string): boolean {
  return /[^ -~]/.test(text) || text.includes('=?');
}

/**
 * The text as encoded-words in UTF-8, each at most 75 characters, the first at most `room`; B or Q, whichever is shorter in all. No character is
 * split between two words (section 5); a lone surrogate becomes U+FFFD. White space between the words is not part of the text (section 6.2).
 */
export function encodedWords(text: string, room: number = WORD_LIMIT): string[] {
  const characters = [...text.toWellFormed()];
  const q = characters.map(qForm);
  const qLength = q.reduce((sum, form) => sum + form.length, 0);
  const bLength = Math.ceil(Buffer.byteLength(text) / 3) * 4;
  // Even a narrow first line takes one four-byte character.
  const first = Math.min(WORD_LIMIT, Math.max(room, WRAPPING + 12));
  if (qLength <= bLength) return chunks(q, (form) => form.length, first - WRAPPING, WORD_LIMIT - WRAPPING).map((part) => `=?UTF-8?Q?${part}?=`);
  const bytesIn = (limit: number) => Math.floor((limit - WRAPPING) / 4) * 3;
  return chunks(characters, (character) => Buffer.byteLength(character), bytesIn(first), bytesIn(WORD_LIMIT)).map(
    (part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`,
  );
}

function qForm(character: string): string {
  if (character === ' ') return '_';
  if (Q_LITERAL.test(character)) return character;
  return qHex(Buffer.from(character));
}

function qHex(bytes: Buffer): string {
  let out = '';
  for (const byte of bytes) out += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return out;
}

/** Whole pieces joined while they fit: into `first` for the first chunk, into `limit` for the others. */
function chunks(pieces: readonly string[], size: (piece: string) => number, first: number, limit: number): string[] {
  const out: string[] = [];
  let chunk = '';
  let left = first;
  for (const piece of pieces) {
    const cost = size(piece);
    if (cost > left) {
      out.push(chunk);
      chunk = '';
      left = limit;
    }
    chunk += piece;
    left -= cost;
  }
  out.push(chunk);
  return out;
}
