// From a server's name to a session that has logged in: dial, banner, EHLO, STARTTLS, AUTH.
import type { Clock } from '#platform/clock.ts';
import { type Egress, EgressError } from '#platform/egress.ts';
import type { Broken, MailServer, Refused, SmtpSession } from '../mail.ts';
import { type Capabilities, capabilitiesOf } from './capabilities.ts';
import { Conversation } from './conversation.ts';
import { DEADLINES, type Deadlines } from './deadlines.ts';
import { checkCredentials, login } from './login.ts';
import { Session } from './session.ts';
import { isBreak, lost, refused } from './replies.ts';

export type SmtpConnectorOptions = {
  egress: Egress;
  clock: Clock;
  /** What EHLO gives as our name: a host name or an address literal (RFC 5321 section 4.1.4). */
  clientName: string;
  deadlines?: Partial<Deadlines>;
};

type Door = { egress: Egress; clock: Clock; clientName: string; deadlines: Deadlines };

/**
 * The way to sending servers. What it answers is a session ready for its first message, the server's no, or why the conversation broke; nothing
 * is said of credentials before TLS stands. Throws only on what is a bug: a name or a credential with characters that end a line.
 */
export function smtpConnector(options: SmtpConnectorOptions): (server: MailServer) => Promise<SmtpSession | Refused | Broken> {
  if (!/^[\x21-\x7e]+$/.test(options.clientName)) throw new Error('The client name is no host name.');
  const door: Door = { ...options, deadlines: { ...DEADLINES, ...options.deadlines } };
  return async (server) => {
    checkCredentials(server.credentials);
    const first = await dial(door, server);
    if (!(first instanceof Conversation)) return first;
    const met = await greet(door, first, server);
    if ('kind' in met) {
      first.end('closed', 'The connection was given up.');
      return met;
    }
    const no = await login(met.talk, met.offered, server.credentials);
    if (!no) return new Session(met.talk, met.offered);
    met.talk.end('closed', 'The login was refused.');
    return no;
  };
}

async function dial({ egress, clock, deadlines }: Door, { host, port, security }: MailServer): Promise<Conversation | Broken> {
  try {
    const socket = await egress.open({ host, port, tls: security === 'ssl', timeoutMs: deadlines.connect });
    return new Conversation(socket, 1, clock, deadlines);
  } catch (error) {
    return unreachable('connect', error);
  }
}

function unreachable(phase: 'connect' | 'starttls', error: unknown): Broken {
  if (!(error instanceof EgressError)) throw error;
  return { kind: 'broken', phase, fault: error.fault, detail: error.message };
}

type Met = { talk: Conversation; offered: Capabilities };

async function greet(door: Door, talk: Conversation, server: MailServer): Promise<Met | Refused | Broken> {
  const banner = await expect(talk, 'banner', 220);
  if ('kind' in banner) return banner;
  const offered = await ehlo(talk, door.clientName);
  if ('kind' in offered || server.security === 'ssl') return 'kind' in offered ? offered : { talk, offered };
  if (!offered.startTls) return lost('starttls', talk.end('tls', 'The server does not offer STARTTLS.'));
  talk.send('STARTTLS\r\n', 1);
  const leave = await expect(talk, 'starttls', 220);
  if ('kind' in leave) return leave;
  const secured = await upgrade(door, talk, server);
  if (!(secured instanceof Conversation)) return secured;
  // What was offered in plain text may have been anybody's words: ask again (RFC 3207 section 4.2).
  const again = await ehlo(secured, door.clientName);
  if (!('kind' in again)) return { talk: secured, offered: again };
  secured.end('closed', 'The connection was given up.');
  return again;
}

async function upgrade({ egress, clock, deadlines }: Door, talk: Conversation, server: MailServer): Promise<Conversation | Refused | Broken> {
  const socket = talk.detach();
  if ('fault' in socket) return lost('starttls', socket);
  try {
    return new Conversation(await egress.upgrade(socket, server.host, deadlines.starttls), 0, clock, deadlines);
  } catch (error) {
    socket.destroy();
    return unreachable('starttls', error);
  }
}

async function ehlo(talk: Conversation, clientName: string): Promise<Capabilities | Refused | Broken> {
  talk.send(`EHLO ${clientName}\r\n`, 1);
  const reply = await expect(talk, 'ehlo', 250);
  return 'kind' in reply ? reply : capabilitiesOf(reply.lines);
}

async function expect(talk: Conversation, phase: 'banner' | 'ehlo' | 'starttls', code: number): Promise<{ lines: string[] } | Refused | Broken> {
  const reply = await talk.read(phase);
  if (isBreak(reply)) return lost(phase, reply);
  if (reply.code === code) return reply;
  if (reply.code >= 400) return refused(phase, reply);
  return lost(phase, talk.end('protocol', `The server answered with ${reply.code} (${phase}).`));
}
