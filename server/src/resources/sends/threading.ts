// Where a send stands in a conversation: what it answers, what it cites (RFC 5322 3.6.4), and which thread it goes on.
import { isMessageId } from '#mail/compose/message-id.ts';
import { Refusal } from '#platform/refusal.ts';
import { type ThreadKey, byMessageId, newestOf, threadKeyOf } from '#resources/messages/index.ts';
import type { Ctx } from '#world/ctx.ts';
import type { Letter } from './store.ts';

type Asked = { inbox_id: string; thread_id?: string | undefined; in_reply_to_message_id?: string | undefined };
export type Threading = Pick<Letter, 'in_reply_to' | 'thread_references' | 'provider_thread_id' | 'is_reply'>;
/** What was found for each call that asks for a place in a conversation. */
export type Threadings = ReadonlyMap<string, Threading | Refusal>;

/** Messages that are cited besides the first of a conversation. */
const MOST_CITED = 20;

const nameOf = ({ inbox_id: inbox, thread_id: thread, in_reply_to_message_id: cited }: Asked) => JSON.stringify([inbox, thread, cited]);
const asks = ({ thread_id: thread, in_reply_to_message_id: cited }: Asked) => thread !== undefined || cited !== undefined;

/** Look up the conversations that are asked for; nothing is asked of the database where none is. */
export async function threadingsOf(ctx: Ctx, asked: readonly Asked[]): Promise<Threadings> {
  const found = new Map<string, Threading | Refusal>();
  for (const one of asked) if (asks(one) && !found.has(nameOf(one))) found.set(nameOf(one), await threadingOf(ctx, one));
  return found;
}

/** The place of one call's send; null begins a conversation. */
export const threadingFor = (asked: Asked, found: Threadings): Threading | Refusal | null => (asks(asked) ? found.get(nameOf(asked))! : null);

async function threadingOf(ctx: Ctx, { inbox_id: inbox, thread_id: thread, in_reply_to_message_id: cited }: Asked): Promise<Threading | Refusal> {
  if (thread !== undefined) {
    const key = threadKeyOf(thread);
    const ids = key && (await citable(ctx, key));
    if (!key || !ids) return new Refusal('resource_missing', 'No such thread.', { param: 'thread_id' });
    if (key.inbox_id !== inbox) return new Refusal('validation_failed', 'This thread is in another inbox.', { param: 'thread_id' });
    return { ...citing(ids, cited), provider_thread_id: key.thread_id, is_reply: true };
  }
  const message = await byMessageId(ctx, inbox, cited!);
  const ids = message && (await citable(ctx, message));
  return { ...citing(ids ?? [], cited), provider_thread_id: message?.thread_id ?? cited!, is_reply: false };
}

/** The Message-IDs of a conversation, oldest first, the first and the newest of them; undefined when there is no such conversation. */
async function citable(ctx: Ctx, key: ThreadKey): Promise<string[] | undefined> {
  const newest = await newestOf(ctx, key, MOST_CITED);
  if (newest.length === 0) return undefined;
  const ids = [key.thread_id, ...newest.toReversed().map((message) => message.rfc822_message_id ?? '')];
  return [...new Set(ids.filter(isMessageId))];
}

/** Answer the message that is named, else the latest; cite the conversation, and what is answered last. */
function citing(ids: readonly string[], named: string | undefined): Pick<Threading, 'in_reply_to' | 'thread_references'> {
  const answered = named ?? ids.at(-1) ?? null;
  return { in_reply_to: answered, thread_references: answered === null ? [] : [...ids.filter((id) => id !== answered), answered] };
}
