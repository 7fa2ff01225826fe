import type { Selectable } from 'kysely';
import { emailKey } from '#platform/email-address.ts';
import { type Statement, rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';

export type Row = Selectable<Tables['suppressions']>;
type Filter = PageParams & { email?: string | undefined; reason?: Row['reason'] | undefined };

const ours = (ctx: Ctx) => ctx.db.selectFrom('suppressions').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();

export function list(ctx: Ctx, { email, reason, ...paging }: Filter) {
  let query = ours(ctx);
  if (email) query = query.where('email_key', '=', emailKey(email));
  if (reason) query = query.where('reason', '=', reason);
  return page(query, paging, 'sup', (id) => byId(ctx, id));
}

export const byKeys = (ctx: Ctx, keys: readonly string[]) =>
  rowsOf<Row>(ctx.db, `select * from suppressions where workspace_id = $1 and mode = $2 and email_key = any($3)`, [ctx.workspaceId, ctx.mode, keys]);

/** Which of these addresses are suppressed, as emailKeys. */
export async function suppressedAmong(ctx: Ctx, emails: readonly string[]): Promise<Set<string>> {
  return new Set((await byKeys(ctx, emails.map(emailKey))).map((row) => row.email_key));
}

/** What answers which of these addresses (emailKeys, of any tenants) are suppressed, in rows `{ workspace_id, mode, email_key }`. */
export const suppressedStatement = (wanted: readonly Pick<Row, 'workspace_id' | 'mode' | 'email_key'>[]): Statement => ({
  text: `
    select workspace_id, mode, email_key from suppressions
     where (workspace_id, mode, email_key) in (select * from unnest($1::text[], $2::text[], $3::text[]))`,
  parameters: [wanted.map((one) => one.workspace_id), wanted.map((one) => one.mode), wanted.map((one) => one.email_key)],
});

/** Insert those that are not there yet and give them back; in the order of their addresses, so that two batches cannot deadlock. */
export function insertNew(ctx: Ctx, rows: readonly Row[]): Promise<Row[]> {
  const text = `
    insert into suppressions (workspace_id, mode, id, email, email_key, reason, source_send_id, created_at)
    select $1, $2, id, email, email_key, reason, source_send_id, $8
      from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) as t (id, email, email_key, reason, source_send_id)
     order by email_key collate "C"
    on conflict (workspace_id, mode, email_key) do nothing
    returning *`;
  const column = <K extends keyof Row>(name: K) => rows.map((row) => row[name]);
  return rowsOf<Row>(ctx.db, text, [
    ctx.workspaceId,
    ctx.mode,
    column('id'),
    column('email'),
    column('email_key'),
    column('reason'),
    column('source_send_id'),
    ctx.now,
  ]);
}

/** Lock the sends to these addresses, or with a copy to them, that have not ended. */
export async function lockOpenSends(ctx: Ctx, keys: readonly string[]): Promise<void> {
  const text = `
    select 1 from sends
     where workspace_id = $1 and mode = $2 and is_open and id = any(array(
             select id from sends where workspace_id = $1 and to_email_key = any($3) and is_open
             union select send_id from send_copies where workspace_id = $1 and mode = $2 and email_key = any($3)))
     order by id for no key update`;
  await rowsOf(ctx.db, text, [ctx.workspaceId, ctx.mode, keys]);
}

export const remove = (ctx: Ctx, id: string) =>
  ctx.db
    .deleteFrom('suppressions')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('mode', '=', ctx.mode)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
