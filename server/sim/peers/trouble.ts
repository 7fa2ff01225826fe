// What a sending server may do instead of taking a message, by the moment at which it does.
import type { Broken, Refused, Unknown, Unwritten } from '#mail/mail.ts';
import type { Dice } from '../dice.ts';

/** `lost`: the server takes the message, and nobody hears of it. `unheard`: nobody knows, and it did not. */
export type Trouble =
  | { at: 'connect'; answer: Refused | Broken }
  | { at: 'offer'; answer: Refused | Broken }
  | { at: 'dot'; answer: Refused | Unknown | Unwritten; accepted: boolean };

const refused = (phase: Refused['phase'], code: number, enhanced: string, text: string): Refused => ({
  kind: 'refused',
  phase,
  permanent: code >= 500,
  reply: { code, enhanced, text },
});
const broken = (phase: Broken['phase'], fault: Broken['fault']): Broken => ({
  kind: 'broken',
  phase,
  fault,
  detail: `The server ended it (${fault}).`,
});
const unknown = (fault: Unknown['fault']): Unknown => ({ kind: 'unknown', phase: 'dot', fault, detail: 'No answer after the dot.' });

/** Draw one. Refused logins are rare: three in a row give an inbox up. */
export function drawTrouble(dice: Dice): Trouble {
  return dice.weighted<Trouble>([
    [2, { at: 'connect', answer: broken('connect', 'refused') }],
    [1, { at: 'connect', answer: broken('banner', 'timeout') }],
    [1, { at: 'connect', answer: refused('auth', 454, '4.7.0', 'try again later') }],
    [1, { at: 'connect', answer: refused('auth', 535, '5.7.8', 'authentication failed') }],
    [2, { at: 'offer', answer: broken('mail', 'closed') }],
    [2, { at: 'offer', answer: broken('rcpt', 'timeout') }],
    [2, { at: 'offer', answer: broken('body', 'reset') }],
    [2, { at: 'offer', answer: refused('mail', 421, '4.3.2', 'closing') }],
    [2, { at: 'offer', answer: refused('rcpt', 450, '4.2.1', 'greylisted') }],
    [1, { at: 'offer', answer: refused('rcpt', 550, '5.1.1', 'user unknown') }],
    [1, { at: 'offer', answer: refused('rcpt', 550, '5.7.1', 'not wanted here') }],
    [1, { at: 'offer', answer: refused('data', 451, '4.3.0', 'not now') }],
    [1, { at: 'dot', answer: refused('dot', 451, '4.3.0', 'not now'), accepted: false }],
    [1, { at: 'dot', answer: refused('dot', 554, '5.6.0', 'content rejected'), accepted: false }],
    [3, { at: 'dot', answer: unknown('timeout'), accepted: true }],
    [3, { at: 'dot', answer: unknown('closed'), accepted: false }],
    [1, { at: 'dot', answer: { kind: 'unwritten', detail: 'The connection was gone before the dot.' }, accepted: false }],
  ]);
}

/** Whether the conversation goes on after such an answer. */
export const endsConversation = (answer: Trouble['answer']): boolean => answer.kind !== 'refused' || answer.reply.code === 421;
