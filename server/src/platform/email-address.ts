// The spelling of e-mail addresses; nothing here knows of mail itself.
import { domainToASCII } from 'node:url';

// Invisible characters (Cf: zero-width, direction marks) would make two addresses of what looks like one.
const LOCAL = /^[^\s"(),:;<>@[\\\]\p{Cc}\p{Cf}\p{Cs}]+$/u;
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u;

/**
 * Whether `text` is an address that mail can be sent to: one @, a dot-atom local part of at most 64 bytes (RFC 5321 4.5.3.1.1, RFC 6531),
 * a domain of at least two labels whose last is no number (RFC 3696 2), with an ASCII form (IDNA): no other can be written to. Quoted local parts
 * and address literals, lawful but unused in business mail, are refused.
 */
export function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  if (at < 1 || text.length > 320) return false;
  const local = text.slice(0, at);
  const labels = text.slice(at + 1).split('.');
  if (Buffer.byteLength(local) > 64 || !LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false;
  if (labels.length < 2 || text.length - at > 254 || /^\d+$/.test(labels.at(-1)!)) return false;
  return labels.every((label) => LABEL.test(label)) && (/^[!-~]*$/.test(text) || domainToASCII(labels.join('.')) !== '');
}

/** The form under which addresses are compared and unique: trimmed and lower-cased. */
export const emailKey = (email: string) => email.trim().toLowerCase();
