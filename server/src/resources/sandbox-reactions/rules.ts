// What a recipient does with a mail from a sandbox inbox. Pure: the same inbox, address and mail give the same.
import { emailKey } from '#platform/email-address.ts';
import { drawFor, wholeDrawFor } from '#platform/random.ts';
import type { SandboxConfig } from '#resources/inboxes/index.ts';
import type { Row } from './store.ts';

export type Kind = Row['kind'];
export type Reaction = { kind: Kind; afterSeconds: number };

const SCRIPT = /^(reply\+interested|reply|ooo|bounce|softbounce|open|click|unsubscribe|complaint|fail)(?:-.+)?$/;

/** The part that an address plays by its name: `bounce-17@{sandbox_domain}` bounces. Null for everybody else. */
export function scriptOf(address: string, sandboxDomain: string): string | null {
  const key = emailKey(address);
  const at = key.lastIndexOf('@');
  if (key.slice(at + 1) !== sandboxDomain.toLowerCase()) return null;
  return SCRIPT.exec(key.slice(0, at))?.[1] ?? null;
}

/** Whether the sandbox's server refuses mail to this address. */
export const isRefused = (address: string, sandboxDomain: string): boolean => scriptOf(address, sandboxDomain) === 'fail';

/** A report comes back about as fast as mail servers write one. */
const BOUNCE_SECONDS = [1, 5] as const;

/**
 * What `address` does, and how long after the mail was sent. Each question (does it bounce? is it opened? …) has a draw of its own, which belongs
 * to `parts`; a bounce excludes the rest, and nobody clicks in a mail that is not open.
 */
export function reactionsOf(address: string, config: SandboxConfig, sandboxDomain: string, parts: readonly (string | number)[]): Reaction[] {
  const happens = (what: string, probability: number) => drawFor('sandbox', what, ...parts) < probability;
  const after = (what: string, [min, max]: readonly [number, number]) => wholeDrawFor(min, max, 'sandbox delay', what, ...parts);
  const open = after('open', [config.open_delay_seconds_min, config.open_delay_seconds_max]);
  const click = Math.max(open, after('click', [config.click_delay_seconds_min, config.click_delay_seconds_max]));
  const reply = after('reply', [config.reply_delay_seconds_min, config.reply_delay_seconds_max]);
  const bounce = after('bounce', BOUNCE_SECONDS);
  const opened: Reaction = { kind: 'open', afterSeconds: open };
  const clicked: Reaction[] = [opened, { kind: 'click', afterSeconds: click }];
  const script = scriptOf(address, sandboxDomain);
  if (script !== null) {
    const plays: Record<string, Reaction[]> = {
      reply: [{ kind: 'reply', afterSeconds: reply }],
      'reply+interested': [{ kind: 'reply_interested', afterSeconds: reply }],
      ooo: [{ kind: 'auto_reply', afterSeconds: reply }],
      bounce: [{ kind: 'bounce', afterSeconds: bounce }],
      softbounce: [{ kind: 'soft_bounce', afterSeconds: bounce }],
      open: [opened],
      click: clicked,
      unsubscribe: [{ kind: 'unsubscribe', afterSeconds: click }],
      complaint: [{ kind: 'complaint', afterSeconds: reply }],
    };
    return plays[script] ?? [];
  }
  if (happens('bounce', config.bounce_probability)) return [{ kind: 'bounce', afterSeconds: bounce }];
  const clicks = happens('click', config.click_probability);
  const opens = clicks || happens('open', config.open_probability);
  return [
    ...(clicks ? clicked : opens ? [opened] : []),
    ...(happens('reply', config.reply_probability) ? [{ kind: 'reply' as const, afterSeconds: reply }] : []),
  ];
}
