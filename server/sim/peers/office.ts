// The mail world of one seed: sending servers, mailboxes, and a ledger of what was accepted. Everything in memory and in one thread, behind the same
// doors as our SMTP and IMAP clients; those have tests of their own against servers on sockets.
import { type Mail, type MailServer, MailboxError, type SmtpSession } from '#mail/mail.ts';
import { type Account, append, newAccount } from '#testing/imap-server/store.ts';
import { mailboxSession } from './mailbox.ts';
import { smtpSession } from './smtp.ts';
import type { Trouble } from './trouble.ts';

/** `known`: the server's 250 was heard. */
export type Taken = { at: number; login: string; to: readonly string[]; raw: Buffer; known: boolean };

/** What a process holds of the mail world; when it is dead, nothing that it still does reaches anybody. */
export type Grip = {
  dead: boolean;
  /** The message that lacks nothing but its dot. */
  holding: { login: string; raw: Buffer } | null;
};

export type Office = {
  /** The doors as a process sees them. */
  mailFor(grip: Grip): Mail;
  /** Have the next fitting moment go wrong, for one login or for all. */
  trouble(trouble: Trouble, login?: string): void;
  /** End every connection; the next use of each finds that out. */
  dropAll(): void;
  /** The next reading of this login's mailbox fails so. */
  breakMailbox(login: string, fault: MailboxError['fault']): void;
  /** A message arrives. */
  deliver(login: string, raw: Buffer): void;
  /** Forget what was to go wrong. */
  heal(): void;
};

type Options = { now: () => Date; filesSent: (login: string) => boolean; onTaken: (taken: Taken) => void };

const loginOf = ({ credentials }: MailServer) => credentials.username;

/** Accounts that are there as soon as they are asked for. */
function accountsOf(): (login: string) => Account {
  const accounts = new Map<string, Account>();
  return (login) => {
    const account = accounts.get(login) ?? newAccount(login, '');
    accounts.set(login, account);
    return account;
  };
}

/** What is to go wrong, each once and in its turn. */
function troubles() {
  const waiting: { trouble: Trouble; login: string | undefined }[] = [];
  return {
    add: (trouble: Trouble, login?: string) => void waiting.push({ trouble, login }),
    next(at: Trouble['at'], login: string): Trouble | undefined {
      const i = waiting.findIndex((one) => one.trouble.at === at && (one.login === undefined || one.login === login));
      return i < 0 ? undefined : waiting.splice(i, 1)[0]!.trouble;
    },
    clear: () => void (waiting.length = 0),
  };
}

export function openOffice({ now, filesSent, onTaken }: Options): Office {
  const accountOf = accountsOf();
  const waiting = troubles();
  const unreadable = new Map<string, MailboxError['fault']>();
  let line = 0;
  const take = (taken: Omit<Taken, 'at'>) => {
    if (filesSent(taken.login)) append(accountOf(taken.login).folders.get('Sent')!, taken.raw, now());
    onTaken({ ...taken, at: now().getTime() });
  };
  const mailFor = (grip: Grip): Mail => ({
    async connectSmtp(server) {
      const login = loginOf(server);
      const trouble = waiting.next('connect', login);
      if (trouble?.at === 'connect') return trouble.answer;
      const opened = line;
      return smtpSession({ login, grip, isCut: () => line !== opened || grip.dead, next: waiting.next, take }) satisfies SmtpSession;
    },
    async openMailbox(server) {
      const login = loginOf(server);
      const opened = line;
      const checked = () => {
        const fault = unreadable.get(login);
        unreadable.delete(login);
        if (fault) throw new MailboxError(fault, 'The mailbox ended it.');
        if (line !== opened || grip.dead) throw new MailboxError('closed', 'The connection was lost.');
      };
      checked();
      return mailboxSession(accountOf(login), checked);
    },
  });
  return {
    mailFor,
    trouble: waiting.add,
    dropAll: () => void line++,
    breakMailbox: (login, fault) => void unreadable.set(login, fault),
    deliver: (login, raw) => void append(accountOf(login).folders.get('INBOX')!, raw, now()),
    heal() {
      waiting.clear();
      unreadable.clear();
    },
  };
}
