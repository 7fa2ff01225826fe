// The mark by which we know our own warm-up mails: which one it is, signed. It stands in a header of its own and is the local part of the
// Message-ID, so that reports and automatic answers, which bring no header back, are known by what they cite.
import { bytesOfId, idOfBytes } from '#platform/ids.ts';
import { type Fields, type InboundMessage, field } from '#mail/parse/message.ts';
import type { World } from '#world/ctx.ts';

/** The header; a mailbox's owner may have a filter sort by it. */
export const HEADER = 'X-Thread-Token';
const PURPOSE = 'warm-up';
const SAID_BYTES = 32;
/** 48 bytes: every character counts, so that a token has one spelling. */
const TOKEN = /^[\w-]{64}$/;

export type MailKey = { workspaceId: string; id: string };

export function tokenOf({ box }: Pick<World, 'box'>, { workspaceId, id }: MailKey): string {
  const said = Buffer.concat([bytesOfId(workspaceId), bytesOfId(id)]);
  return Buffer.concat([said, box.sign(said, PURPOSE)]).toString('base64url');
}

/** Which mail a token names, if we have signed it; else null. Asks no database. */
export function keyIn({ box }: Pick<World, 'box'>, text: string): MailKey | null {
  if (!TOKEN.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  const said = bytes.subarray(0, SAID_BYTES);
  if (!box.isSigned(said, PURPOSE, bytes.subarray(SAID_BYTES))) return null;
  return { workspaceId: idOfBytes('wsp', said.subarray(0, 16)), id: idOfBytes('wum', said.subarray(16)) };
}

/** The Message-ID of a warm-up mail, under the domain that it comes from (RFC 5322 3.6.4). */
export function warmupMessageId(world: Pick<World, 'box'>, key: MailKey, senderAddress: string): string {
  const domain = senderAddress.slice(senderAddress.lastIndexOf('@') + 1);
  return `<${tokenOf(world, key)}@${/^[\x21-\x7e]+$/.test(domain) ? domain.toLowerCase() : 'localhost.localdomain'}>`;
}

const inMessageId = (world: Pick<World, 'box'>, id: string) => keyIn(world, /^<([\w-]{64})@[^@]*>$/.exec(id)?.[1] ?? '');
const inFields = (world: Pick<World, 'box'>, fields: Fields | null) => keyIn(world, field(fields, HEADER.toLowerCase()).trim());

/** Which warm-up mail this claims to be, null for every other. */
export const markOn = (world: Pick<World, 'box'>, message: InboundMessage): MailKey | null =>
  inFields(world, message.headers) ?? (message.messageId === null ? null : inMessageId(world, message.messageId));

/** Which warm-up mail a report or an automatic answer is about: by what it cites, or brings back. */
export function markCited(world: Pick<World, 'box'>, message: InboundMessage, cited: readonly string[]): MailKey | null {
  for (const id of cited) {
    const key = inMessageId(world, id);
    if (key) return key;
  }
  return inFields(world, message.originalHeaders);
}
