import { createHash } from 'node:crypto';
import type { Random } from '#platform/random.ts';
import type { Mode } from '#world/ctx.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LENGTH = 43;

/** A new secret: svc_live_ or svc_test_ and 43 base62 characters that spell 256 random bits. */
export function newSecret(random: Random, mode: Mode): string {
  let rest = BigInt(`0x${random.bytes(32).toString('hex')}`);
  let text = '';
  for (let place = 0; place < LENGTH; place++) {
    text = BASE62[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return `svc_${mode}_${text}`;
}

/** Whether `text` is spelt like a secret. Anything else is refused without a question to the database. */
export const isSecret = (text: string) => /^svc_(?:live|test)_[0-9A-Za-z]{43}$/.test(text);

/** The form in which a secret is kept and found. It holds 256 bits of chance, so a plain SHA-256 cannot be run backwards. */
export const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
