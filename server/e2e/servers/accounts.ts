// Who has a mailbox in the world of these checks.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

export type Account = { email: string; name: string; password: string };

export const SENDER_DOMAIN = 'sender.test';
export const PEOPLE_DOMAIN = 'people.test';

/** The mailboxes that campaigns send from. */
export const SENDERS: readonly Account[] = [
  { email: 'ann@sender.test', name: 'Ann Sender', password: 'correct horse 42' },
  { email: 'bob@sender.test', name: 'Bob Sender', password: 'pässwörd-雪' },
  { email: 'cid@sender.test', name: 'Cid Sender', password: 'plain+/=3' },
];
/** Writes to whomever in any name: what people answer comes in through this account. */
export const POSTMAN: Account = { email: 'postman@sender.test', name: 'Postman', password: 'any name will do' };
/** The one mailbox of everybody at `people.test`. */
export const CATCH_ALL: Account = { email: 'everybody@people.test', name: 'Everybody', password: 'read all of it' };
/** Out of office: Sieve answers in her place. */
export const AWAY: Account = { email: 'away@people.test', name: 'Away', password: 'gone fishing' };
export const ACCOUNTS: readonly Account[] = [...SENDERS, POSTMAN, CATCH_ALL, AWAY];

/** The user that owns mailboxes: Debian has it on every machine. */
export const MAIL_USER = 'mail';

/** A home for every account below `folder`: `<domain>/<local part>`, with the mail in `Maildir`. */
export function makeHomes(folder: string): void {
  const id = (flag: string) => Number(execFileSync('id', [flag, MAIL_USER], { encoding: 'utf8' }));
  const [uid, gid] = [id('-u'), id('-g')];
  for (const { email } of ACCOUNTS) {
    const [local = '', domain = ''] = email.split('@');
    for (const path of [domain, join(domain, local)]) {
      mkdirSync(join(folder, path), { recursive: true });
      chownSync(join(folder, path), uid, gid);
    }
  }
}
