import type { Selectable } from 'kysely';
import { type Order, type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';
import type { EventType } from './catalog.ts';

export type Row = Selectable<Tables['events']>;
type Filter = PageParams & { type?: EventType | undefined; resource_id?: string | undefined; after_sequence?: number | undefined };

const ours = (ctx: Ctx) => ctx.db.selectFrom('events').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);

export const byId = (ctx: Ctx, id: string) => ours(ctx).where('id', '=', id).executeTakeFirst();

// In the order of their commits: by the time at which its transaction began, a late one would appear behind a reader who follows the log.
const BY_SEQUENCE: Order<Row> = { column: 'sequence', of: (row) => row.sequence, value: (at) => at };

export function list(ctx: Ctx, { type, resource_id: resourceId, after_sequence: after, ...paging }: Filter) {
  let query = ours(ctx);
  if (type) query = query.where('type', '=', type);
  if (resourceId) query = query.where('resource_id', '=', resourceId);
  if (after !== undefined) query = query.where('sequence', '>', after);
  return page(query, paging, 'evt', (id) => byId(ctx, id), BY_SEQUENCE);
}
