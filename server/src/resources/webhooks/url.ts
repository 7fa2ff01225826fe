import { mayBePublic } from '#platform/egress.ts';
import { Refusal } from '#platform/refusal.ts';
import type { Mode } from '#world/ctx.ts';

const refusal = (message: string) => new Refusal('validation_failed', message, { param: 'url' });

/**
 * Refuse an address to which no webhook may go, naming `url`: live ones are https and public, and none carries credentials, a fragment or port
 * 0. What a name resolves to is judged each time it is dialled.
 */
export function assertUrl(text: string, mode: Mode, allowPrivate: boolean): void {
  // URL would pass over spaces and line breaks, and read a backslash as a slash: what was looked at must be what is called.
  const [, scheme, authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(text) ?? [];
  const url = /[\s\\\p{C}]/u.test(text) || scheme === undefined || authority === '' ? null : URL.parse(text);
  if (!url) throw refusal('This is not an http or https address.');
  if (mode === 'live' && url.protocol !== 'https:') throw refusal('Endpoints of live mode must be https.');
  if (authority.includes('@')) throw refusal('An address must not hold a user name or password.');
  if (text.includes('#')) throw refusal('An address must not hold a fragment.');
  if (url.port === '0') throw refusal('Port 0 is no port.');
  if (!allowPrivate && !mayBePublic(url.hostname)) throw refusal('The host must be public: no private address and no local name.');
}
