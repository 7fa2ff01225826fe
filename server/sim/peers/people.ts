// Those who are written to, and what comes back from them. What somebody does with a mail belongs to the seed, the person and how many came before.
import { drawFor } from '#platform/random.ts';
import { originalOf } from '#testing/persona/original.ts';
import { complaint, humanReply, outOfOffice } from '#testing/persona/people.ts';
import { dsn } from '#testing/persona/servers.ts';
import type { Taken } from './office.ts';

/** Something that will arrive in the mailbox of `login`. */
export type Answer = { login: string; raw: Buffer; what: string };

const HABITS = [
  [0.1, 'reply'],
  [0.05, 'out_of_office'],
  [0.05, 'hard_bounce'],
  [0.05, 'soft_bounce'],
  [0.02, 'complaint'],
  [0.02, 'asks_out'],
] as const;

/** What the recipient of a mail answers, if anything. `nth`: how many mails came to it before. */
export function answerTo(seed: number, { login, to, raw, at }: Taken, nth: number): Answer | null {
  let draw = drawFor('habit', seed, to[0] ?? '', nth);
  const habit = HABITS.find(([share]) => (draw -= share) < 0)?.[1];
  if (!habit) return null;
  const from = to[0] ?? '';
  const date = new Date(at);
  const original = { original: raw, recipient: from, date };
  const letters = {
    reply: () => humanReply({ to: raw, from, date, text: 'Thanks, tell me more.' }),
    out_of_office: () => outOfOffice({ to: raw, from, date }),
    hard_bounce: () => dsn({ ...original, status: '5.1.1', diagnostic: '550 5.1.1 User unknown' }),
    soft_bounce: () => dsn({ ...original, status: '5.2.2', diagnostic: '552 5.2.2 Mailbox full' }),
    complaint: () => complaint({ to: raw, date }),
    asks_out: () => humanReply({ to: raw, from, date, text: 'unsubscribe' }),
  };
  return { login, raw: letters[habit](), what: `${habit} of ${from}` };
}

/** By which words a text is known: its step's number, and a letter for a variant. */
export function textOf(body: string): { text: string | null; variant: string | null } {
  const [, text = null, variant = null] = /Text no\. (\d+)([a-z]?)/.exec(body) ?? [];
  return { text, variant };
}

/** What a mail says of itself: its Message-ID, the text of the step that it is, and its way out. */
export function readMail(raw: Buffer): { messageId: string; text: string | null; variant: string | null; wayOut: string | null } {
  const { messageId, fields, body } = originalOf(raw);
  return { messageId, ...textOf(body), wayOut: /<(http[^<>]+)>/.exec(fields.get('list-unsubscribe')?.[0] ?? '')?.[1] ?? null };
}
