// Chance enters the service here and nowhere else.
import { createHash, randomBytes, randomFillSync } from 'node:crypto';

export type Random = { bytes(count: number): Buffer; u32(): number };

/** Fetched from the system in one go, since each id asks for a few; what was given out is wiped. */
const POOL = Buffer.alloc(4096);
let used = POOL.length;

function systemBytes(count: number): Buffer {
  if (count > 256) return randomBytes(count);
  if (used + count > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const bytes = Buffer.from(POOL.subarray(used, used + count));
  POOL.fill(0, used, used + count);
  used += count;
  return bytes;
}

/** Chance from the operating system, fit for keys and secrets. */
export const systemRandom: Random = { bytes: systemBytes, u32: () => systemBytes(4).readUInt32LE() };

/** A seeded generator (sfc32): the same seed always tells the same story. Not for secrets. */
export function seeded(seed: number): Random {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = seed >>> 0;
  let counter = 1;
  const u32 = () => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i++) u32();
  const bytes = (count: number) => {
    const out = Buffer.alloc(count);
    for (let i = 0; i < count; i++) out[i] = u32() & 255;
    return out;
  };
  return { bytes, u32 };
}

/** A draw that belongs to a thing: the same parts give the same number, 0 (inclusive) to 1 (exclusive), on every machine for ever. */
export function drawFor(...parts: (string | number)[]): number {
  return createHash('sha256').update(parts.join('\0')).digest().readUInt32LE() / 2 ** 32;
}

/** A whole number from `min` to `max`, both included, that belongs to a thing. */
export function wholeDrawFor(min: number, max: number, ...parts: (string | number)[]): number {
  return min + Math.floor(drawFor(...parts) * (max - min + 1));
}
