// Addresses in a header (RFC 5322 section 3.4; RFC 6532 for local parts beyond ASCII).
import { domainToASCII } from 'node:url';
import type { MailAddress } from '../mail.ts';
import { BadLetter } from './bad-letter.ts';
import { encodedWords, needsEncoding } from './encoded-word.ts';
import { field, LINE_WIDTH, withoutControls, words } from './header.ts';

const DOT_ATOM = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+(?:\.[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\u{10ffff}]+)*$/u;
const QUOTED_LOCAL = /^"(?:[^"\\]|\\.)*"$/u;
const DOMAIN = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;
/** Characters of a phrase that need no quotes: atext and single spaces. */
const ATOMS = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+(?: [A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+)*$/;
/** A longer quoted name could leave its line, and folds inside quotes are read badly. */
const QUOTED_LIMIT = 60;

/**
 * `local@domain` as a header carries it: a domain beyond ASCII in its ASCII form (IDNA), a local part beyond ASCII left as UTF-8 (RFC 6532: such
 * a message needs SMTPUTF8). BadLetter for anything that is not one address.
 */
export function headerAddress(email: string): string {
  withoutControls(email, 'address');
  const at = email.lastIndexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  const typed = email.slice(at + 1);
  const domain = /[^ -~]/.test(typed) ? domainToASCII(typed) : typed;
  if (!email.isWellFormed() || !(DOT_ATOM.test(local) || QUOTED_LOCAL.test(local)) || !DOMAIN.test(domain)) {
    throw new BadLetter(`not an address: ${JSON.stringify(email.slice(0, 100))}`);
  }
  return `${local}@${domain}`;
}

/** An address field (From, To, Cc, Reply-To), folded between addresses and between the words of a name. BadLetter for a bad name or address. */
export function addressField(name: string, addresses: readonly MailAddress[]): string {
  const tokens: string[] = [];
  addresses.forEach((address, i) => {
    const room = i === 0 ? LINE_WIDTH - name.length - 2 : LINE_WIDTH - 1;
    const comma = i === addresses.length - 1 ? '' : ',';
    tokens.push(...mailboxTokens(address, room, comma));
  });
  return field(name, tokens);
}

function mailboxTokens({ email, name }: MailAddress, room: number, comma: string): string[] {
  const address = headerAddress(email);
  const shown = withoutControls(name ?? '', 'display name');
  if (shown.trim() === '') return [` ${address}${comma}`];
  return [...phrase(shown, room), ` <${address}>${comma}`];
}

/** A display name as atoms, a quoted-string or encoded-words. */
function phrase(name: string, room: number): string[] {
  if (needsEncoding(name)) return encodedWords(name, room).map((word) => ` ${word}`);
  const atoms = ATOMS.test(name) ? words(name) : [];
  if (atoms.length > 0 && atoms.every((atom) => atom.length <= QUOTED_LIMIT)) return atoms;
  const quoted = `"${name.replace(/["\\]/g, '\\$&')}"`;
  if (quoted.length <= QUOTED_LIMIT) return [` ${quoted}`];
  return encodedWords(name, room).map((word) => ` ${word}`);
}
