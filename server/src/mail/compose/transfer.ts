// Content-Transfer-Encodings (RFC 2045 section 6): bytes to 7-bit lines of at most 76 characters.

const LINE = 76;
const HEX = Buffer.from('0123456789ABCDEF', 'latin1');
const [TAB, LF, CR, SPACE, EQUALS, UPPER_F] = [9, 10, 13, 32, 61, 70] as const;
/**
 * Columns that a byte takes, by its value: 1 for printable ASCII but `=`, 3 for other ASCII; the first byte of a UTF-8 sequence stands for the whole
 * of it, so that its continuation bytes take none.
 */
const WIDTH = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0xc0) return byte < 0xe0 ? 6 : byte < 0xf0 ? 9 : 12;
  if (byte >= 0x80) return 0;
  return (byte >= SPACE && byte <= 126 && byte !== EQUALS) || byte === TAB ? 1 : 3;
});

/**
 * Text in quoted-printable, or in base64 where that is shorter. Line ends of any kind become CRLF, a lone surrogate U+FFFD. Encoding ends where
 * the text ends, without a line end of its own.
 */
export function encodeText(text: string): { encoding: 'quoted-printable' | 'base64'; body: Buffer } {
  const source = Buffer.from(text, 'utf8');
  const quoted = quotedPrintable(source);
  // Base64 cannot win while quoted-printable stays under 4/3 of the source.
  if (quoted.length * 3 <= source.length * 4) return { encoding: 'quoted-printable', body: quoted };
  const packed = base64Lines(Buffer.from(text.replace(/\r\n|\r|\n/g, '\r\n'), 'utf8'));
  return packed.length < quoted.length ? { encoding: 'base64', body: packed } : { encoding: 'quoted-printable', body: quoted };
}

/**
 * Quoted-printable of UTF-8 in one pass (RFC 2045 section 6.7). Lines hold at most 76 characters; no soft break splits the bytes of one character;
 * a space or tab before a line end and an `F` that would begin a line with `From ` (mbox readers) are encoded; CR, LF and CRLF become CRLF.
 */
export function quotedPrintable(source: Buffer): Buffer {
  const end = source.length;
  // Three bytes for one, and a soft break (three bytes) after no fewer than 64 columns: under four for one.
  const out = Buffer.allocUnsafe(end * 4 + 8);
  let at = 0;
  let lineStart = 0;
  for (let i = 0; i < end; i++) {
    const byte = source[i] as number;
    if (byte === LF || byte === CR) {
      if (byte === CR && source[i + 1] === LF) i++;
      out[at++] = CR;
      out[at++] = LF;
      lineStart = at;
      continue;
    }
    const next = source[i + 1];
    const endsLine = next === undefined || next === LF || next === CR;
    let width = endsLine && (byte === SPACE || byte === TAB) ? 3 : (WIDTH[byte] as number);
    // One column is kept for the `=` of a soft break, unless the line ends here.
    if (at - lineStart + width > (endsLine ? LINE : LINE - 1)) {
      out[at++] = EQUALS;
      out[at++] = CR;
      out[at++] = LF;
      lineStart = at;
    }
    if (byte === UPPER_F && at === lineStart && beginsFrom(source, i)) width = 3;
    if (width === 1) {
      out[at++] = byte;
    } else {
      out[at++] = EQUALS;
      out[at++] = HEX[byte >> 4] as number;
      out[at++] = HEX[byte & 15] as number;
    }
  }
  return out.subarray(0, at);
}

function beginsFrom(source: Buffer, i: number): boolean {
  return source[i + 1] === 0x72 && source[i + 2] === 0x6f && source[i + 3] === 0x6d && source[i + 4] === SPACE;
}

/** Base64 in lines of 76 characters (RFC 2045 section 6.8), without a line end after the last. */
export function base64Lines(source: Buffer): Buffer {
  const whole = Buffer.from(source.toString('base64'), 'latin1');
  const out = Buffer.allocUnsafe(whole.length + Math.floor(Math.max(whole.length - 1, 0) / LINE) * 2);
  let at = 0;
  for (let i = 0; i < whole.length; i += LINE) {
    if (i > 0) {
      out[at++] = CR;
      out[at++] = LF;
    }
    at += whole.copy(out, at, i, i + LINE);
  }
  return out;
}
