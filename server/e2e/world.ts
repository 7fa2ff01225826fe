// A small world of mail on this machine: three sending mailboxes at sender.test and everybody at people.test, served by Postfix and Dovecot.
import { join } from 'node:path';
import type { MailServer } from '#mail/mail.ts';
import { mailboxOpener } from '#mail/imap/index.ts';
import { smtpConnector } from '#mail/smtp/index.ts';
import { systemClock } from '#platform/clock.ts';
import { egress } from '#platform/egress.ts';
import { logTo } from '#platform/log.ts';
import { type Account, CATCH_ALL, makeHomes, PEOPLE_DOMAIN, POSTMAN, SENDERS } from './servers/accounts.ts';
import { type Certificates, makeCertificates } from './servers/certificates.ts';
import { type Dovecot, startDovecot } from './servers/dovecot.ts';
import { maildirMessages } from './servers/maildir.ts';
import { makePlace, type Place } from './servers/place.ts';
import { freePorts } from './servers/program.ts';
import { type Postfix, startPostfix } from './servers/postfix.ts';

export type Sender = Account & { smtp: MailServer; imap: MailServer };
export type Delivered = {
  /** Whom it was for: the envelope's recipient, as Postfix noted it. */
  recipient: string;
  messageId: string | null;
  /** As it lies in the Maildir: LF lines, and Postfix's trace fields on top. */
  raw: Buffer;
};

export type MailWorld = {
  /** The authority of all its servers, as PEM and as the path of a file. */
  ca: string;
  caFile: string;
  certificates: Certificates;
  senders: Sender[];
  /**
   * Everybody here has a mailbox. By the beginning of the local part: `unknown` is refused with 550 5.1.1, `later` is put off with 451 4.7.1;
   * `bounce` and `full` are accepted and then bounced by the next server, with 550 5.1.1 and 552 5.2.2. `away@people.test` answers by itself.
   */
  domain: string;
  /** The mailbox that holds all mail of `domain`. */
  everybody: Sender;
  postfix: Postfix;
  dovecot: Dovecot;
  place: Place;
  /** All that reached anybody at `domain`, in no order that means anything. Wait for `postfix.settled` first. */
  readRecipientMail(): Delivered[];
  /** Hand a message (CRLF lines) to Postfix in anybody's name: `from` is the envelope's sender, '' for a program's. Resolves once it is delivered. */
  answerAs(from: string, to: string, raw: Buffer): Promise<void>;
  stop(): Promise<void>;
};

/** Our two doors, as the service would open them to servers of this authority. */
export function doors(ca: readonly string[]): { connectSmtp: ReturnType<typeof smtpConnector>; openMailbox: ReturnType<typeof mailboxOpener> } {
  const clock = systemClock();
  const way = egress({ allowPrivate: true, extraCa: ca }, clock);
  const log = logTo('silent');
  return {
    connectSmtp: smtpConnector({ egress: way, clock, clientName: 'e2e.postrider.test' }),
    openMailbox: mailboxOpener({ egress: way, clock, log }),
  };
}

/** Start it all; `stop` ends every process and removes every file. */
export async function startMailWorld(): Promise<MailWorld> {
  const place = makePlace();
  const ending: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ending.toReversed()) await end();
    place.remove();
  };
  try {
    const certificates = await makeCertificates(place.subfolder('certificates'));
    const homes = place.subfolder('homes');
    makeHomes(homes);
    // Each of the two servers has to know of the other.
    const [inbound = 0] = await freePorts(1);
    const dovecot = await startDovecot({ folder: place.subfolder('dovecot'), homes, certificates, inbound });
    ending.push(dovecot.stop);
    const postfix = await startPostfix({ folder: place.subfolder('postfix'), homes, certificates, dovecot, inbound });
    ending.push(postfix.stop);
    return assemble({ place, certificates, homes, dovecot, postfix, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

type Parts = Pick<MailWorld, 'place' | 'certificates' | 'dovecot' | 'postfix' | 'stop'> & { homes: string };

function assemble({ homes, ...parts }: Parts): MailWorld {
  const { certificates, dovecot, postfix } = parts;
  const sender = (account: Account): Sender => {
    const at = (port: number): MailServer => ({
      host: 'localhost',
      port,
      security: 'ssl',
      credentials: { username: account.email, password: account.password },
    });
    return { ...account, smtp: { ...at(postfix.ports.starttls), security: 'starttls' }, imap: at(dovecot.ports.tls) };
  };
  const { connectSmtp } = doors([certificates.ca]);
  const catchAll = join(homes, PEOPLE_DOMAIN, CATCH_ALL.email.split('@')[0] ?? '', 'Maildir');
  return {
    ...parts,
    ca: certificates.ca,
    caFile: certificates.caFile,
    senders: SENDERS.map(sender),
    domain: PEOPLE_DOMAIN,
    everybody: sender(CATCH_ALL),
    readRecipientMail: () => maildirMessages(catchAll).map(delivered),
    async answerAs(from, to, raw) {
      const session = await connectSmtp(sender(POSTMAN).smtp);
      if ('kind' in session) throw new Error(`The postman does not get in: ${JSON.stringify(session)}`);
      const offered = await session.offer({ from, to: [to] }, raw);
      const ending = offered.kind === 'held' ? await offered.release() : offered;
      await session.close();
      if (ending.kind !== 'accepted') throw new Error(`The answer to ${to} was not taken: ${JSON.stringify(ending)}`);
      await postfix.settled();
    },
  };
}

function delivered(raw: Buffer): Delivered {
  const text = raw.toString('utf8');
  const end = text.search(/\r?\n\r?\n/);
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, 'im').exec(end < 0 ? text : text.slice(0, end))?.[1];
  return { recipient: field('X-Original-To') ?? field('Delivered-To') ?? '', messageId: field('Message-ID') ?? null, raw };
}
