// The server's side of AUTH PLAIN, LOGIN and XOAUTH2, one line at a time.
import type { User } from './script.ts';

/** `challenge`: ask for another line (334). `verdict`: the name that is logged in, null for no. */
export type AuthStep = { challenge: string } | { verdict: string | null };

const decode = (line: string) => Buffer.from(line, 'base64').toString('utf8');
const encode = (text: string) => Buffer.from(text, 'utf8').toString('base64');

/** A dialogue for one AUTH command: feed it the initial response (null when the command had none), then every line. */
export function authDialogue(mechanism: string, users: readonly User[]): (line: string | null) => AuthStep {
  const lines: string[] = [];
  return (line) => {
    if (line !== null) lines.push(line);
    const [first, second] = lines;
    if (mechanism === 'LOGIN') {
      if (first === undefined) return { challenge: encode('Username:') };
      if (second === undefined) return { challenge: encode('Password:') };
      return { verdict: byPassword(users, decode(first), decode(second)) };
    }
    if (first === undefined) return { challenge: '' };
    if (mechanism === 'PLAIN') {
      const [, username = '', password = ''] = decode(first).split('\0');
      return { verdict: byPassword(users, username, password) };
    }
    const [, username = '', token = ''] = /^user=([^\x01]*)\x01auth=Bearer ([^\x01]*)\x01\x01$/.exec(decode(first)) ?? [];
    const user = users.find((one) => one.username === username && 'accessToken' in one && one.accessToken === token);
    if (user) return { verdict: user.username };
    return second === undefined ? { challenge: encode('{"status":"401","schemes":"bearer"}') } : { verdict: null };
  };
}

function byPassword(users: readonly User[], username: string, password: string): string | null {
  return users.some((one) => one.username === username && 'password' in one && one.password === password) ? username : null;
}
