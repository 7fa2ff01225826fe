import type { Selectable } from 'kysely';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx, World } from '#world/ctx.ts';
import { type ThreadKey, threadKeyOf } from './thread-id.ts';

export type Row = Selectable<Tables['messages']>;
type Filter = PageParams & {
  inbox_id?: string | undefined;
  direction?: Row['direction'] | undefined;
  classification?: NonNullable<Row['classification']> | undefined;
  thread_id?: string | undefined;
};

const ours = (ctx: Ctx) => ctx.db.selectFrom('messages').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();
export function list(ctx: Ctx, { inbox_id, direction, classification, thread_id, ...paging }: Filter) {
  let query = ours(ctx);
  if (inbox_id) query = query.where('inbox_id', '=', inbox_id);
  if (direction) query = query.where('direction', '=', direction);
  if (classification) query = query.where('classification', '=', classification);
  // No provider's thread id looks like one of ours.
  const known = thread_id === undefined ? undefined : threadKeyOf(thread_id);
  if (known) query = query.where('inbox_id', '=', known.inbox_id).where('thread_id', '=', known.thread_id);
  else if (thread_id !== undefined) query = query.where('thread_id', '=', thread_id);
  return page(query, paging, 'msg', (id) => byId(ctx, id));
}

/** The newest messages of a conversation, newest first. */
export const newestOf = (ctx: Ctx, { inbox_id: inbox, thread_id: thread }: ThreadKey, limit: number) =>
  ours(ctx).where('inbox_id', '=', inbox).where('thread_id', '=', thread)
    .orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute(); // prettier-ignore

/** The message of this Message-ID that an inbox holds. */
export const byMessageId = (ctx: Ctx, inboxId: string, messageId: string) =>
  ours(ctx).where('inbox_id', '=', inboxId)
    .where(({ eb, or, and }) => or([eb('identity', '=', messageId), and([eb('direction', '=', 'inbound'), eb('rfc822_message_id', '=', messageId)])]))
    .limit(1).executeTakeFirst(); // prettier-ignore

/** Insert unless this inbox has met the same message before (then undefined): (inbox, identity) is unique. */
export const insertOnce = (ctx: Ctx, row: Omit<Row, 'workspace_id' | 'mode'>) =>
  ctx.db.insertInto('messages').values({ ...row, workspace_id: ctx.workspaceId, mode: ctx.mode })
    .onConflict((key) => key.columns(['workspace_id', 'inbox_id', 'identity']).doNothing())
    .returningAll().executeTakeFirst(); // prettier-ignore

export type Outbound = Pick<
  Row,
  | 'workspace_id'
  | 'id'
  | 'mode'
  | 'inbox_id'
  | 'thread_id'
  | 'rfc822_message_id'
  | 'in_reply_to'
  | 'from_email'
  | 'from_name'
  | 'to_email'
  | 'subject'
> & { created_at: Date };

/** The messages that sends have become, many tenants at once. A copy that was met in the Sent folder before stays as it is. */
export async function insertOutbound(world: World, rows: readonly Outbound[]): Promise<void> {
  await rowsOf(
    world.db,
    `insert into messages (workspace_id, id, mode, inbox_id, direction, thread_id, identity, rfc822_message_id, in_reply_to,
                           from_email, from_name, to_email, subject, created_at)
     select workspace_id, id, mode, inbox_id, 'outbound', thread_id, rfc822_message_id, rfc822_message_id, in_reply_to,
            from_email, from_name, to_email, subject, created_at
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                   $8::text[], $9::text[], $10::text[], $11::text[], $12::timestamptz[])
            as t (workspace_id, id, mode, inbox_id, thread_id, rfc822_message_id, in_reply_to, from_email, from_name, to_email, subject, created_at)
     on conflict (workspace_id, inbox_id, identity) do nothing`,
    [
      rows.map((row) => row.workspace_id),
      rows.map((row) => row.id),
      rows.map((row) => row.mode),
      rows.map((row) => row.inbox_id),
      rows.map((row) => row.thread_id),
      rows.map((row) => row.rfc822_message_id),
      rows.map((row) => row.in_reply_to),
      rows.map((row) => row.from_email),
      rows.map((row) => row.from_name),
      rows.map((row) => row.to_email),
      rows.map((row) => row.subject),
      rows.map((row) => row.created_at),
    ],
  );
}
