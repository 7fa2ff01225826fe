// The receiving end of DATA: finds the final dot in chunks cut anywhere, and takes the dot-stuffing off.

const END = Buffer.from('\r\n.\r\n');
const STUFFED = Buffer.from('\r\n.');
const NOTHING = Buffer.alloc(0);

export class BodyReader {
  // The line end before the first line, so that a message that starts with a dot, or is empty, needs no rule of its own.
  readonly #bytes: Buffer[] = [Buffer.from('\r\n')];
  #tail: Buffer = Buffer.from('\r\n');

  /** Take in a chunk. Null while the message goes on, else the message and what came behind its final dot. */
  push(chunk: Buffer): { raw: Buffer; rest: Buffer } | null {
    const window = Buffer.concat([this.#tail, chunk]);
    const at = window.indexOf(END);
    this.#bytes.push(chunk);
    if (at < 0) {
      this.#tail = window.subarray(Math.max(0, window.length - END.length + 1));
      return null;
    }
    const rest = window.subarray(at + END.length);
    const all = Buffer.concat(this.#bytes);
    // All but the invented line end before, and ".CRLF" behind.
    return { raw: unstuffed(all.subarray(0, all.length - rest.length - 3)), rest: rest.length ? rest : NOTHING };
  }
}

/** `bytes` begins with the invented CRLF; every dot behind a CRLF is one too many. */
function unstuffed(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  let start = 2;
  for (let at = bytes.indexOf(STUFFED); at >= 0; at = bytes.indexOf(STUFFED, at + 3)) {
    parts.push(bytes.subarray(start, at + 2));
    start = at + 3;
  }
  if (start === 2) return bytes.subarray(2);
  parts.push(bytes.subarray(start));
  return Buffer.concat(parts);
}

/** The Message-ID of a message's header, angle brackets included, null when there is none. */
export function messageIdOf(raw: Buffer): string | null {
  const end = raw.indexOf('\r\n\r\n');
  const header = raw.toString('latin1', 0, end < 0 ? raw.length : end);
  return /^message-id:\s*(<[^>]*>)/im.exec(header)?.[1] ?? null;
}
