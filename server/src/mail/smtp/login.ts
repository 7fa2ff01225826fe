// AUTH (RFC 4954): the choice of a mechanism, its lines, and replies from which our own secrets are taken out.
import type { Broken, Credentials, Refused } from '../mail.ts';
import type { Capabilities } from './capabilities.ts';
import type { Conversation } from './conversation.ts';
import { isBreak, lost, refused } from './replies.ts';

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

/** Throws when a credential holds a character that would end a line or a field. Such a one comes from a bug, and must never be written. */
export function checkCredentials(credentials: Credentials): void {
  const parts = 'password' in credentials ? [credentials.username, credentials.password] : [credentials.username, credentials.accessToken];
  // XOAUTH2 separates its fields by ^A.
  const forbidden = 'password' in credentials ? /[\r\n\0]/ : /[\r\n\0\x01]/;
  if (parts.some((part) => forbidden.test(part))) throw new Error('A credential holds a control character.');
}

/** The lines to say one after another, or null when the server offers nothing we speak. */
function linesFor(credentials: Credentials, offered: ReadonlySet<string>): string[] | null {
  const { username } = credentials;
  if ('accessToken' in credentials) {
    // A refused token is answered by a challenge that wants an empty line before the verdict comes.
    return offered.has('XOAUTH2') ? [`AUTH XOAUTH2 ${base64(`user=${username}\x01auth=Bearer ${credentials.accessToken}\x01\x01`)}`, ''] : null;
  }
  if (offered.has('PLAIN')) return [`AUTH PLAIN ${base64(`\0${username}\0${credentials.password}`)}`];
  return offered.has('LOGIN') ? ['AUTH LOGIN', base64(username), base64(credentials.password)] : null;
}

/** Some servers repeat the line that they refuse. Takes out the secret itself, and all that may be a whole or shortened base64 of it. */
function redaction(credentials: Credentials): (line: string) => string {
  const secret = 'password' in credentials ? credentials.password : credentials.accessToken;
  const spellings = [secret, base64(secret)].filter(Boolean).map((spelling) => RegExp.escape(spelling));
  const plain = new RegExp([...spellings, '[A-Za-z0-9+/]{24,}={0,2}'].join('|'), 'giu');
  return (line) => line.replace(plain, '[removed]');
}

/** Log in over a connection that is already encrypted. Null when the server agreed. */
export async function login(talk: Conversation, { auth }: Capabilities, credentials: Credentials): Promise<Refused | Broken | null> {
  const lines = linesFor(credentials, auth);
  if (!lines) {
    const text = `The server offers no login that these credentials can use (${[...auth].join(', ') || 'none'}).`;
    return refused('auth', { code: 504, lines: [`5.5.4 ${text}`] });
  }
  for (const line of lines) {
    talk.send(`${line}\r\n`, 1);
    const reply = await talk.read('auth');
    if (isBreak(reply)) return lost('auth', reply);
    if (reply.code === 235) return null;
    if (reply.code >= 400) return refused('auth', reply, redaction(credentials));
    if (reply.code !== 334) break;
  }
  return lost('auth', talk.end('protocol', 'The server answered the login with neither yes nor no.'));
}
