import { oneLine } from '#mail/template/one-line.ts';
import { Refusal, found } from '#platform/refusal.ts';
import { type Message, newestOf } from '#resources/messages/index.ts';
import { type Letter, MAX_SUBJECT, createSends } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';
import type { ThreadReply } from './wire.ts';

/** Messages in which to look for whom to answer, and with which subject. */
const LOOKED_AT = 100;

/**
 * Reply in a thread, from its inbox, to its latest message. The subject that is taken from the thread is sent as it is: a stranger's words are no
 * template. Refuses with `parameter_missing` where nobody has written whom to answer.
 */
export async function replyTo(ctx: Ctx, id: string, { subject, to, ...body }: ThreadReply): Promise<Letter> {
  const thread = found(await store.byId(ctx, id), 'thread');
  const newest = await newestOf(ctx, thread, LOOKED_AT);
  const recipient = to ?? writerOf(newest);
  if (recipient === undefined)
    throw new Refusal('parameter_missing', 'Nobody has written in this thread: say whom the reply goes to.', { param: 'to' });
  const [sent] = await createSends(ctx, [
    {
      ...body,
      to: { email: recipient },
      inbox_id: thread.inbox_id,
      thread_id: id,
      ...(subject === undefined ? { reply_subject: replySubject(newest) } : { subject }),
    },
  ]);
  if (!(sent instanceof Refusal)) return sent!;
  // There is no field for the inbox here: it is the thread's.
  throw sent.details.param === 'inbox_id' ? new Refusal(sent.code, sent.message, { ...sent.details, param: 'id' }) : sent;
}

/** Who wrote last; a bounce report is nobody's letter. */
const writerOf = (newest: readonly Message[]): string | undefined =>
  newest.find((message) => message.direction === 'inbound' && message.classification !== 'bounce' && message.from_email !== null)?.from_email ??
  undefined;

function replySubject(newest: readonly Message[]): string {
  const last = oneLine(newest.find((message) => (message.subject ?? '').trim() !== '')?.subject ?? '').trim();
  return (/^re\s*:/i.test(last) ? last : `Re: ${last}`).trim().slice(0, MAX_SUBJECT);
}
