import type { HeldMessage, MailServer, SmtpSession } from '#mail/mail.ts';
import { doors, type MailWorld } from './world.ts';

/** A session; throws what the server answered instead of one. */
export async function login(world: Pick<MailWorld, 'ca'>, server: MailServer): Promise<SmtpSession> {
  const answer = await doors([world.ca]).connectSmtp(server);
  if ('kind' in answer) throw new Error(`No session: ${JSON.stringify(answer)}`);
  return answer;
}

/** A message of a few lines with CRLF; `id` is the left side of its Message-ID. */
export function note(id: string, body = 'Hello.\r\n', to = 'sam@people.test'): Buffer {
  const head = [
    'Date: Mon, 02 Mar 2026 09:15:00 +0000',
    'From: Ann <ann@sender.test>',
    `To: ${to}`,
    `Subject: Note ${id}`,
    `Message-ID: <${id}@sender.test>`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Offer a message; throws unless the server holds it all but the dot. */
export async function hold(session: SmtpSession, to: string, message: Buffer, from = 'ann@sender.test'): Promise<HeldMessage> {
  const offered = await session.offer({ from, to: [to] }, message);
  if (offered.kind !== 'held') throw new Error(`Not held: ${JSON.stringify(offered)}`);
  return offered;
}

/** Send a message; throws unless the server accepts it. */
export async function send(session: SmtpSession, to: string, message: Buffer, from?: string): Promise<void> {
  const ending = await (await hold(session, to, message, from)).release();
  if (ending.kind !== 'accepted') throw new Error(`Not accepted: ${JSON.stringify(ending)}`);
}
