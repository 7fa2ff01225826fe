import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Every kind of public id, by its prefix. */
export const PREFIXES = [
  'aud', 'cmp', 'con', 'cst', 'dryrun', 'enr', 'evt', 'imp', 'inb', 'key', 'msg', 'req', 'seq', 'snd', 'stp', 'sup', 'thr', 'var', 'whd',
  'whk', 'wsp', 'wum',
] as const; // prettier-ignore
export type Prefix = (typeof PREFIXES)[number];

/** A public id that sorts by creation: the prefix and 26 characters of Crockford base32 of a UUIDv7 (RFC 9562 5.7), as TypeID spells it. */
export function newId(means: { clock: Clock; random: Random }, prefix: Prefix, at: Date = means.clock.now()): string {
  const bytes = means.random.bytes(16);
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return `${prefix}_${base32(bytes)}`;
}

/** Whether `text` has the shape of such an id; says nothing of its existence. */
export function isId(text: string, prefix: Prefix): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));
}

/** The 16 bytes of such an id. */
export function bytesOfId(id: string): Buffer {
  const bytes = Buffer.alloc(16);
  let held = 0;
  let bits = -2;
  let at = 0;
  for (const letter of id.slice(id.indexOf('_') + 1)) {
    held = ((held & 0xff) << 5) | ALPHABET.indexOf(letter);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >>> bits;
  }
  return bytes;
}

/** The id of these 16 bytes. */
export const idOfBytes = (prefix: Prefix, bytes: Buffer): string => `${prefix}_${base32(bytes)}`;

/** 128 bits as 26 characters, two zero bits in front. */
function base32(bytes: Buffer): string {
  let out = '';
  let held = 0;
  let bits = 2;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += ALPHABET[(held >>> bits) & 31];
      held &= (1 << bits) - 1;
    }
  }
  return out;
}
