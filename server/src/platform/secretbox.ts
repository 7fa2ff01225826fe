import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Random } from './random.ts';

export type SecretBox = {
  /** Seals a secret at rest with AES-256-GCM. `context` (workspace, row, field) is authenticated: moved to another row it does not open. */
  seal(plain: string, context: readonly string[]): string;
  open(sealed: string, context: readonly string[]): string;
  /** 16 bytes that only we can make of `text`: HMAC-SHA256 under a key that is derived for `purpose` (RFC 5869), cut in half. */
  sign(text: Buffer | string, purpose: string): Buffer;
  /** Whether `signature` is that of `text` under any of the keys. The time that it takes does not tell how much of it was right. */
  isSigned(text: Buffer | string, purpose: string, signature: Buffer): boolean;
};

export type SealingKey = { id: string; key: Buffer };

/** The first key seals; every key opens what it sealed. Sealed form: `v1.<key id>.<nonce>.<tag>.<ciphertext>`, base64url. */
export function secretBox(keys: readonly SealingKey[], random: Random): SecretBox {
  const [current] = keys;
  if (!current) throw new Error('A secret box needs at least one key.');
  for (const { id, key } of keys) if (key.length !== 32) throw new Error(`Sealing key ${id} has ${key.length} bytes, not 32.`);
  return {
    seal(plain, context) {
      const nonce = random.bytes(12);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(aad(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return ['v1', current.id, nonce.toString('base64url'), cipher.getAuthTag().toString('base64url'), body.toString('base64url')].join('.');
    },
    open(sealed, context) {
      const [version, keyId, nonce, tag, body] = sealed.split('.');
      if (version !== 'v1' || nonce === undefined || tag === undefined || body === undefined) throw new Error('Not a sealed secret.');
      const key = keys.find((one) => one.id === keyId)?.key;
      if (!key) throw new Error(`The sealing key ${keyId} is not known here.`);
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), { authTagLength: 16 }).setAAD(aad(context));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString('utf8');
    },
    ...signer(keys.map(({ key }) => key)),
  };
}

/** The first key signs; the signature of every key is known. */
function signer(keys: readonly Buffer[]): Pick<SecretBox, 'sign' | 'isSigned'> {
  const derived = new Map<string, Buffer[]>();
  const keysFor = (purpose: string): Buffer[] => {
    const known = derived.get(purpose) ?? keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `postrider ${purpose}`, 32)));
    derived.set(purpose, known);
    return known;
  };
  const signed = (text: Buffer | string, key: Buffer) => createHmac('sha256', key).update(text).digest().subarray(0, 16);
  return {
    sign: (text, purpose) => signed(text, keysFor(purpose)[0]!),
    isSigned: (text, purpose, signature) =>
      signature.length === 16 && keysFor(purpose).filter((key) => timingSafeEqual(signed(text, key), signature)).length > 0,
  };
}

const aad = (context: readonly string[]) => Buffer.from(JSON.stringify(context));
