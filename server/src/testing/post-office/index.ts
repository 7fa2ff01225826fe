// The mail world that tests and the demonstration run against: sending servers and mailboxes on loopback, and people who answer. It keeps a
// ledger of every message that it accepted, so that what Postrider says can be held against what really arrived.
import { originalOf } from '../persona/original.ts';
import { humanReply, outOfOffice } from '../persona/people.ts';
import { dsn } from '../persona/servers.ts';
import { type AcceptedMessage, type Script, type SmtpServer, startSmtpServer } from '../smtp-server/index.ts';
import { type ImapServer, startImapServer } from '../imap-server/index.ts';

/** What a recipient does with each mail: nothing, or an answer that lands in the sender's mailbox. */
export type Reaction = 'silent' | 'reply' | 'out_of_office' | 'hard_bounce' | 'soft_bounce';
export type Behaviour = (recipient: string, nth: number, message: AcceptedMessage) => Reaction;

export type Delivery = {
  /** Order of acceptance. */
  sequence: number;
  messageId: string;
  login: string;
  recipient: string;
  subject: string;
  inReplyTo: string;
  raw: Buffer;
  /** What the recipient did, decided at acceptance. */
  reaction: Reaction;
  /** Sequence at which this recipient's answer had reached the sender's mailbox; null when it never did. */
  answeredAfter: number | null;
};

export type PostOffice = {
  smtp: SmtpServer;
  imap: ImapServer;
  deliveries: Delivery[];
  /** The body of POST /v1/inboxes/smtp for one of the senders. */
  connection(address: string, displayName?: string): SmtpInbox;
  follow(script: Script | undefined): void;
  close(): Promise<void>;
};

type Server = { host: string; port: number; security: 'ssl' | 'starttls' };
export type SmtpInbox = { email_address: string; display_name: string; smtp: Server & { password: string }; imap: Server };

export type PostOfficeOptions = {
  senders: readonly string[];
  behave?: Behaviour;
  /** The time that answers carry. */
  now: () => Date;
  script?: Script;
  /** Into which folder a sender gets the mail that another sender writes to them; without it none arrives. */
  sorts?: (recipient: string, nth: number) => 'INBOX' | 'Junk';
  /** Whether the provider files a copy of what it accepted in Sent, as Gmail does. */
  filesSent?: boolean;
};

export const PASSWORD = 'correct horse battery staple';

/** Open one. Senders log in by STARTTLS for sending and by TLS for reading. */
export async function openPostOffice({
  senders,
  behave = () => 'silent',
  now,
  script,
  sorts,
  filesSent = true,
}: PostOfficeOptions): Promise<PostOffice> {
  const users = senders.map((username) => ({ username, password: PASSWORD }));
  const imap = await startImapServer({ security: 'ssl', users });
  const deliveries: Delivery[] = [];
  const seen = new Map<string, number>();

  const onAccepted = (message: AcceptedMessage) => {
    const recipient = message.rcptTo[0]?.toLowerCase() ?? '';
    const original = originalOf(message.raw);
    const nth = (seen.get(recipient) ?? 0) + 1;
    seen.set(recipient, nth);
    const login = message.login ?? '';
    const delivery: Delivery = {
      sequence: message.sequence,
      messageId: original.messageId,
      login,
      recipient,
      subject: original.subject,
      inReplyTo: original.fields.get('in-reply-to')?.[0] ?? '',
      raw: message.raw,
      reaction: behave(recipient, nth, message),
      answeredAfter: null,
    };
    deliveries.push(delivery);
    if (filesSent) imap.deliver(login, 'Sent', message.raw);
    if (sorts && senders.includes(recipient)) imap.deliver(recipient, sorts(recipient, nth), message.raw, { internalDate: now() });
    const answer = answerTo(delivery, now());
    if (!answer) return;
    imap.deliver(login, 'INBOX', answer);
    delivery.answeredAfter = deliveries.length;
  };

  const smtp = await startSmtpServer({ security: 'starttls', users, onAccepted, ...(script && { script }) });
  return {
    smtp,
    imap,
    deliveries,
    connection: (address, displayName = address.slice(0, address.indexOf('@'))) => ({
      email_address: address,
      display_name: displayName,
      smtp: { host: '127.0.0.1', port: smtp.port, security: 'starttls', password: PASSWORD },
      imap: { host: '127.0.0.1', port: imap.port, security: 'ssl' },
    }),
    follow: (next) => smtp.follow(next),
    close: async () => {
      await smtp.close();
      await imap.close();
    },
  };
}

function answerTo({ reaction, raw, recipient }: Delivery, date: Date): Buffer | null {
  if (reaction === 'reply') return humanReply({ to: raw, from: recipient, date, text: 'Thanks, tell me more.' });
  if (reaction === 'out_of_office') return outOfOffice({ to: raw, from: recipient, date });
  if (reaction === 'hard_bounce') return dsn({ original: raw, recipient, date, status: '5.1.1', diagnostic: '550 5.1.1 User unknown' });
  if (reaction === 'soft_bounce') return dsn({ original: raw, recipient, date, status: '5.2.2', diagnostic: '552 5.2.2 Mailbox full' });
  return null;
}
