// MAIL, RCPT and DATA: who writes to whom, up to the server's leave to send the message.
import type { Broken, Envelope, Refused } from '../mail.ts';
import type { Capabilities } from './capabilities.ts';
import type { Conversation } from './conversation.ts';
import { isBreak, lost, refused } from './replies.ts';

export type Command = { phase: 'mail' | 'rcpt' | 'data'; line: string; recipient?: string };

const ASCII = /^[\x21-\x7e]*$/;

/** An address between angle brackets. Throws on what would leave them: a bug upstream, which must never reach a server. */
function path(address: string): string {
  if (/[\x00-\x20\x7f<>]/.test(address)) throw new Error('An envelope address holds a control character, a blank or an angle bracket.');
  return `<${address}>`;
}

/**
 * The commands for an envelope, or the refusal that the server's own EHLO already gives: 552 5.3.4 when the message is over its SIZE (RFC 1870
 * section 6), 553 5.6.7 when an address needs SMTPUTF8 (RFC 6531 section 3.5) and it has none. Throws on an envelope that no server may see.
 */
export function commandsFor(envelope: Envelope, size: number, eightBit: boolean, offered: Capabilities): Command[] | Refused {
  if (envelope.to.length === 0) throw new Error('An envelope needs a recipient.');
  const from = path(envelope.from);
  const to = envelope.to.map(path);
  const international = ![envelope.from, ...envelope.to].every((address) => ASCII.test(address));
  if (offered.sizeLimit !== null && size > offered.sizeLimit) {
    return refused('mail', { code: 552, lines: [`5.3.4 The message has ${size} bytes, and the server takes ${offered.sizeLimit}.`] });
  }
  if (international && !offered.smtpUtf8) {
    return refused('mail', { code: 553, lines: ['5.6.7 An address is not ASCII, and the server does not offer SMTPUTF8.'] });
  }
  let mail = `MAIL FROM:${from}`;
  if (offered.size) mail += ` SIZE=${size}`;
  if (eightBit && offered.eightBitMime) mail += ' BODY=8BITMIME';
  if (international) mail += ' SMTPUTF8';
  return [
    { phase: 'mail', line: `${mail}\r\n` },
    ...to.map((one, i): Command => ({ phase: 'rcpt', line: `RCPT TO:${one}\r\n`, ...(to.length > 1 && { recipient: envelope.to[i]! }) })),
    { phase: 'data', line: 'DATA\r\n' },
  ];
}

/**
 * Say the commands, all in one write where the server takes that (RFC 2920). Null means that it waits for the message. One refused recipient
 * refuses the whole message; the transaction is then reset and the connection can go on, unless the server waits for the message all the same:
 * no dot may ever end that one, so the connection is destroyed.
 */
export async function announce(talk: Conversation, commands: readonly Command[], atOnce: boolean): Promise<Refused | Broken | null> {
  let no: Refused | null = null;
  if (atOnce) talk.send(commands.map((command) => command.line).join(''), commands.length);
  for (const { phase, line, recipient } of commands) {
    if (!atOnce) {
      if (no) break;
      talk.send(line, 1);
    }
    const reply = await talk.read(phase);
    if (isBreak(reply)) return no ?? lost(phase, reply);
    if (reply.code === 421) {
      talk.end('closed', 'The server closes the connection (421).');
      return no ?? refused(phase, reply);
    }
    if (reply.code >= 400) no ??= { ...refused(phase, reply), ...(recipient !== undefined && { recipient }) };
    else if (phase === 'data' ? reply.code !== 354 : reply.code >= 300) {
      const why = talk.end('protocol', `The server answered ${phase.toUpperCase()} with ${reply.code}.`);
      return no ?? lost(phase, why);
    } else if (phase === 'data' && no) {
      talk.end('protocol', 'The server wants a message whose envelope it refused.');
      return no;
    }
  }
  if (no) await reset(talk);
  return no;
}

async function reset(talk: Conversation): Promise<void> {
  talk.send('RSET\r\n', 1);
  const reply = await talk.read('mail');
  if (!isBreak(reply) && reply.code !== 250) talk.end('protocol', `The server answered RSET with ${reply.code}.`);
}
