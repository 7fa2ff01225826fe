// A message as it goes over the wire between DATA's 354 and the final dot.

const CR = 13;
const LF = 10;
const DOT = 46;
const CRLF = Buffer.from('\r\n');
const ONE_DOT = Buffer.from('.');

/**
 * Double the dot at every line start (RFC 5321 section 4.5.2) and end the last line with CRLF if it does not; the final dot is not part of it.
 * `eightBit`: some byte is above 127. Throws on a CR or LF that stands alone: RFC 5321 section 2.3.8 forbids to send one, and servers that
 * read it as a line end let one message smuggle in another.
 */
export function wireBody(message: Buffer): { bytes: Buffer; eightBit: boolean } {
  const dots: number[] = [];
  let union = 0;
  let previous = LF;
  for (let index = 0; index < message.length; index += 1) {
    const byte = message[index]!;
    union |= byte;
    if ((byte === LF) !== (previous === CR)) throw new Error(`The message has a bare CR or LF near byte ${index}.`);
    if (byte === DOT && previous === LF) dots.push(index);
    previous = byte;
  }
  if (previous === CR) throw new Error('The message ends in a bare CR.');
  const eightBit = union > 127;
  if (dots.length === 0 && previous === LF) return { bytes: message, eightBit };
  const parts: Buffer[] = [];
  let start = 0;
  for (const dot of dots) {
    parts.push(message.subarray(start, dot), ONE_DOT);
    start = dot;
  }
  parts.push(message.subarray(start));
  if (previous !== LF) parts.push(CRLF);
  return { bytes: Buffer.concat(parts), eightBit };
}
