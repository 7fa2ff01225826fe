import { Refusal } from '#platform/refusal.ts';
import type { Scope } from '#world/ctx.ts';

const RANK = { read: 0, write: 1, admin: 2 } as const satisfies Record<Scope, number>;

/** The secret of `Authorization: Bearer <secret>` (RFC 6750 2.1): one token after one or more spaces. Any other header is no credential. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]{1,512}=*)$/i.exec(header ?? '')?.[1];
}

export const noSuchKey = () => new Refusal('invalid_api_key', 'Give a valid API key: Authorization: Bearer <key>.');

/** Throws `insufficient_scope` unless `held` includes `needed`: admin includes write, write includes read. */
export function requireScope(held: Scope, needed: Scope): void {
  if (RANK[held] < RANK[needed]) throw new Refusal('insufficient_scope', `This call needs a key of scope ${needed}; this key has ${held}.`);
}
