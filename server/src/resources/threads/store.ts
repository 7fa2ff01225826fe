// A thread is what the messages of one mailbox that share a thread id have in common. Its place in the list is its last message.
import { sql, type SqlBool } from 'kysely';
import { Refusal } from '#platform/refusal.ts';
import { type Message, type ThreadKey, threadKeyOf } from '#resources/messages/index.ts';
import { rowsOf } from '#store/db.ts';
import { type Page, type PageParams, page } from '#store/page.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = ThreadKey & {
  mode: Message['mode'];
  subject: string | null;
  message_count: number;
  has_reply: boolean;
  has_bounce: boolean;
  first_message_at: Date;
  last_message_at: Date;
};
type Head = ThreadKey & { id: string; created_at: Date };
type Filter = PageParams & { inbox_id?: string | undefined; has_reply?: boolean | undefined };

/**
 * One page, by last message. A walk sees the messages that there were when it began (its cursors carry that moment), so a thread that goes on
 * meanwhile keeps its place in it and is met once; what is shown of it is as of now. A thread's id as a cursor begins a walk at that thread.
 */
export async function list(ctx: Ctx, { inbox_id: inbox, has_reply: hasReply, limit, ...cursors }: Filter): Promise<Page<Row>> {
  const { asOf, ...place } = await placeOf(ctx, cursors);
  let query = ctx.db
    .selectFrom('messages as m')
    .select(['m.id', 'm.created_at', 'm.inbox_id', 'm.thread_id'])
    .where('m.workspace_id', '=', ctx.workspaceId)
    .where('m.mode', '=', ctx.mode)
    .where('m.created_at', '<=', asOf)
    .where(isLast(asOf));
  if (inbox) query = query.where('m.inbox_id', '=', inbox);
  if (hasReply !== undefined) query = query.where(hasReply ? HAS_REPLY : sql<SqlBool>`not ${HAS_REPLY}`);
  const heads = await page<never, never, Head>(query as never, { limit, ...place }, 'msg', async () => undefined);
  const known = new Map((await summaries(ctx, heads.rows)).map((row) => [nameOf(row), row]));
  const wrapped = (cursor: string | null) => cursor && `${asOf.getTime().toString(36)}.${cursor}`;
  return {
    rows: heads.rows.map((head) => known.get(nameOf(head))!),
    hasMore: heads.hasMore,
    nextCursor: wrapped(heads.nextCursor),
    prevCursor: wrapped(heads.prevCursor),
  };
}

const nameOf = ({ inbox_id: inbox, thread_id: thread }: ThreadKey) => `${inbox} ${thread}`;

// The list runs along messages_list from the newest message and skips those that are not the last of their thread, each by one look into
// messages_thread: threads are short, so little is skipped.
const isLast = (asOf: Date) => sql<SqlBool>`not exists (
  select 1 from messages later
   where later.workspace_id = m.workspace_id and later.inbox_id = m.inbox_id and later.thread_id = m.thread_id
     and (later.created_at, later.id) > (m.created_at, m.id) and later.created_at <= ${asOf})`;

const HAS_REPLY = sql<SqlBool>`exists (
  select 1 from messages reply
   where reply.workspace_id = m.workspace_id and reply.inbox_id = m.inbox_id and reply.thread_id = m.thread_id and reply.classification = 'reply')`;

type Place = { asOf: Date; starting_after?: string; ending_before?: string };

/** The cursors in the form that a page of messages takes, and the moment as of which they walk. Throws `invalid_cursor`. */
async function placeOf(ctx: Ctx, cursors: Omit<PageParams, 'limit'>): Promise<Place> {
  const place: Place = { asOf: ctx.now };
  for (const param of ['starting_after', 'ending_before'] as const) {
    const cursor = cursors[param];
    if (cursor === undefined) continue;
    const [, since, rest] = /^([0-9a-z]{1,10})\.([A-Za-z0-9_-]+)$/.exec(cursor) ?? [];
    const head = since === undefined ? await headOf(ctx, threadKeyOf(cursor)) : undefined;
    if (rest !== undefined && since !== undefined) Object.assign(place, { asOf: new Date(Number.parseInt(since, 36)), [param]: rest });
    else if (head) Object.assign(place, { [param]: Buffer.from(`${head.created_at.getTime()}|${head.id}`).toString('base64url') });
    else throw new Refusal('invalid_cursor', `This ${param} is no cursor that this list has given.`, { param });
  }
  return place;
}

async function headOf(ctx: Ctx, key: ThreadKey | undefined): Promise<Head | undefined> {
  if (!key) return undefined;
  return ctx.db.selectFrom('messages').select(['id', 'created_at', 'inbox_id', 'thread_id'])
    .where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode)
    .where('inbox_id', '=', key.inbox_id).where('thread_id', '=', key.thread_id)
    .orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst(); // prettier-ignore
}

const SUMMARIES = `
  select m.inbox_id, m.thread_id, m.mode, count(*)::integer as message_count,
         coalesce(bool_or(m.classification = 'reply'), false) as has_reply, coalesce(bool_or(m.classification = 'bounce'), false) as has_bounce,
         min(m.created_at) as first_message_at, max(m.created_at) as last_message_at,
         (array_agg(m.subject order by m.created_at, m.id) filter (where m.subject is not null))[1] as subject
    from unnest($3::text[], $4::text[]) as wanted (inbox_id, thread_id)
    join messages m on m.workspace_id = $1 and m.mode = $2 and m.inbox_id = wanted.inbox_id and m.thread_id = wanted.thread_id
   group by m.inbox_id, m.thread_id, m.mode`;

/** What there is to say of these threads, in no order; nothing of those that are not ours. */
function summaries(ctx: Ctx, keys: readonly ThreadKey[]): Promise<Row[]> {
  return rowsOf<Row>(ctx.db, SUMMARIES, [ctx.workspaceId, ctx.mode, keys.map((key) => key.inbox_id), keys.map((key) => key.thread_id)]);
}

/** The thread of a public id, undefined when it does not exist for this caller. */
export async function byId(ctx: Ctx, id: string): Promise<Row | undefined> {
  const key = threadKeyOf(id);
  return key && (await summaries(ctx, [key]))[0];
}
