import { type Selectable, type SqlBool, sql } from 'kysely';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx, World } from '#world/ctx.ts';

/** What is known of a send, without its texts. */
export type Row = Omit<Selectable<Tables['sends']>, 'is_open'>;
/** The texts of a send, and what else stands in its message: written once, kept apart. */
export type Contents = Omit<Selectable<Tables['send_contents']>, 'workspace_id' | 'send_id'>;
/** A send with everything that will leave. */
export type Letter = Row & Contents;
type Filter = PageParams & { inbox_id?: string | undefined; state?: Row['state'] | undefined };

const ours = (ctx: Ctx) => ctx.db.selectFrom('sends').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();
export const locked = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
export const byIds = (ctx: Ctx, ids: readonly string[]) =>
  ours(ctx)
    .where('id', '=', sql<string>`any(${[...ids]})`)
    .execute();
export const byMessageIds = (ctx: Ctx, messageIds: readonly string[]) =>
  ours(ctx).where('rfc822_message_id', '=', sql<string>`any(${[...messageIds]})`).execute(); // prettier-ignore

export function list(ctx: Ctx, { inbox_id, state, ...paging }: Filter) {
  let query = ours(ctx);
  if (inbox_id) query = query.where('inbox_id', '=', inbox_id);
  if (state) query = query.where('state', '=', state);
  return page(query, paging, 'snd', (id) => byId(ctx, id));
}

// Always true of what is asked for with them: they let the indexes of open sends answer, which ask for them in these words.
const OPEN_OF_ENROLLMENT = sql<SqlBool>`is_open and enrollment_id > ''`;
const OPEN_OF_CAMPAIGN = sql<SqlBool>`is_open and campaign_id > ''`;

/** The sends of these enrollments that no worker holds, locked in id order. */
export const lockedScheduledOf = (ctx: Ctx, enrollmentIds: readonly string[]) =>
  ours(ctx).where('enrollment_id', '=', sql<string>`any(${[...enrollmentIds]})`).where('state', '=', 'scheduled').where(OPEN_OF_ENROLLMENT)
    .orderBy('id').forNoKeyUpdate().execute(); // prettier-ignore

export const cancel = (ctx: Ctx, ids: readonly string[]) =>
  ctx.db.updateTable('sends').set({ state: 'canceled', canceled_at: ctx.now, due_at: null })
    .where('workspace_id', '=', ctx.workspaceId).where('id', '=', sql<string>`any(${[...ids]})`).where('state', '=', 'scheduled')
    .returningAll().execute(); // prettier-ignore

/** Hold (`due_at` null) or let go the waiting sends of a campaign. */
export const setHeld = (ctx: Ctx, campaignId: string, held: boolean) =>
  ctx.db.updateTable('sends').set({ due_at: held ? null : sql<Date>`greatest(scheduled_at, ${ctx.now})` })
    .where('workspace_id', '=', ctx.workspaceId).where('campaign_id', '=', campaignId).where('state', '=', 'scheduled')
    .where(OPEN_OF_CAMPAIGN).execute(); // prettier-ignore

const COLUMNS = {
  workspace_id: 'text', id: 'text', mode: 'text', inbox_id: 'text', to_email: 'text', to_email_key: 'text', to_name: 'text', subject: 'text',
  state: 'text', rfc822_message_id: 'text', provider_thread_id: 'text', in_reply_to: 'text',
  thread_references: 'jsonb', is_reply: 'boolean', attempt_count: 'integer', scheduled_at: 'timestamptz', sent_at: 'timestamptz',
  created_at: 'timestamptz', metadata: 'jsonb', campaign_id: 'text', contact_id: 'text', enrollment_id: 'text', campaign_step_id: 'text',
  variant_id: 'text', due_at: 'timestamptz', fence: 'integer',
} as const; // prettier-ignore
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const CONTENTS = {
  body_html: 'text', body_text: 'text', cc: 'jsonb', bcc: 'jsonb', reply_to: 'text', headers: 'jsonb', attachments: 'jsonb',
  track_opens: 'boolean', track_clicks: 'boolean',
} as const; // prettier-ignore
const CONTENT_NAMES = Object.keys(CONTENTS) as (keyof typeof CONTENTS)[];

// The parameters of both parts stand in one list; workspace and id come first in it.
const INSERT = `
  with made as (
    insert into sends (${NAMES.join(', ')})
    select ${NAMES.map((name) => (name === 'thread_references' ? 'array(select jsonb_array_elements_text(thread_references))' : name)).join(', ')}
      from unnest(${NAMES.map((name, i) => `$${i + 1}::${COLUMNS[name]}[]`).join(', ')}) as t (${NAMES.join(', ')})
  )
  insert into send_contents (workspace_id, send_id, ${CONTENT_NAMES.join(', ')})
  select * from unnest($1::text[], $2::text[], ${CONTENT_NAMES.map((name, i) => `$${NAMES.length + i + 1}::${CONTENTS[name]}[]`).join(', ')})`;

/** Insert many sends, of many tenants, in one statement. */
export async function insertAll(world: World, rows: readonly Letter[]): Promise<void> {
  const types = { ...COLUMNS, ...CONTENTS };
  const cell = (row: Letter, name: keyof typeof types) => (types[name] === 'jsonb' && row[name] !== null ? JSON.stringify(row[name]) : row[name]);
  const column = (name: keyof typeof types) => rows.map((row) => cell(row, name));
  await rowsOf(world.db, INSERT, [...NAMES.map(column), ...CONTENT_NAMES.map(column)]);
}
