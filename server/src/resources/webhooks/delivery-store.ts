import type { Selectable } from 'kysely';
import { newId } from '#platform/ids.ts';
import { rowsOf } from '#store/db.ts';
import { type PageParams, page } from '#store/page.ts';
import type { Tables } from '#store/tables.gen.ts';
import type { Ctx } from '#world/ctx.ts';
import { LOGGED, type LoggedEvent, payloadOf } from './payload.ts';

export type Delivery = Selectable<Tables['webhook_deliveries']>;
type Filter = PageParams & {
  status?: Delivery['status'] | undefined;
  event_type?: string | undefined;
  event_id?: string | undefined;
};

const ours = (ctx: Ctx, webhookId: string) =>
  ctx.db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('workspace_id', '=', ctx.workspaceId)
    .where('mode', '=', ctx.mode)
    .where('webhook_id', '=', webhookId);

export const byId = (ctx: Ctx, webhookId: string, id: string) => ours(ctx, webhookId).where('id', '=', id).executeTakeFirst();

export function list(ctx: Ctx, webhookId: string, { status, event_type: eventType, event_id: eventId, ...paging }: Filter) {
  let query = ours(ctx, webhookId);
  if (status) query = query.where('status', '=', status);
  if (eventType) query = query.where('event_type', '=', eventType);
  if (eventId) query = query.where('event_id', '=', eventId);
  return page(query, paging, 'whd', (id) => byId(ctx, webhookId, id));
}

/** The body of each of these deliveries, by its id. */
export async function bodiesOf(ctx: Ctx, deliveries: readonly Delivery[]): Promise<Map<string, string>> {
  const text = `select ${LOGGED} from events ev where ev.workspace_id = $1 and ev.mode = $2 and ev.id = any($3::text[])`;
  const ids = [...new Set(deliveries.filter((one) => one.body === null).map((one) => one.event_id))];
  const events = ids.length ? await rowsOf<LoggedEvent>(ctx.db, text, [ctx.workspaceId, ctx.mode, ids]) : [];
  const logged = new Map(events.map((event) => [event.id, payloadOf(event)]));
  return new Map(deliveries.map((one) => [one.id, one.body ?? logged.get(one.event_id) ?? '']));
}

type Told = Pick<Delivery, 'event_id' | 'event_type' | 'trigger' | 'body'>;

/** A delivery that is due now, its number one more than the last of its event. The endpoint is locked. */
export async function due(ctx: Ctx, webhookId: string, { event_id: eventId, event_type: eventType, trigger, body }: Told): Promise<Delivery> {
  const row: Delivery = {
    ...blank(ctx, webhookId),
    event_id: eventId,
    event_type: eventType,
    trigger,
    body,
    attempt: await nextAttempt(ctx, webhookId, eventId),
    next_attempt_at: ctx.now,
  };
  await insert(ctx, row);
  return row;
}

/** What every delivery is before it is told what it carries. */
export const blank = (ctx: Ctx, webhookId: string) => ({
  workspace_id: ctx.workspaceId,
  webhook_id: webhookId,
  id: newId(ctx, 'whd', ctx.now),
  mode: ctx.mode,
  failures: 0,
  status: 'pending' as const,
  response_status: null,
  error: null,
  latency_ms: null,
  leased_until: null,
  lease_holder: null,
  attempted_at: null,
  created_at: ctx.now,
});

export const insert = (ctx: Ctx, row: Delivery) => ctx.db.insertInto('webhook_deliveries').values(row).execute();

async function nextAttempt(ctx: Ctx, webhookId: string, eventId: string): Promise<number> {
  const text = `
    select coalesce(max(attempt), 0) + 1 as next from webhook_deliveries where workspace_id = $1 and webhook_id = $2 and event_id = $3`;
  const [row] = await rowsOf<{ next: number }>(ctx.db, text, [ctx.workspaceId, webhookId, eventId]);
  return row!.next;
}

/** Take back what waits at an endpoint and is not on its way: the rest of its event's schedule, when `next` takes its place. */
export const dropWaitingBefore = (ctx: Ctx, next: Delivery) =>
  waiting(ctx, next.webhook_id).where('event_id', '=', next.event_id).where('id', '<>', next.id).execute();

/** Take back every delivery of a type that waits at an endpoint and is not on its way. */
export const dropWaitingOf = (ctx: Ctx, webhookId: string, eventType: string) =>
  waiting(ctx, webhookId).where('event_type', '=', eventType).execute();

const waiting = (ctx: Ctx, webhookId: string) =>
  ctx.db
    .deleteFrom('webhook_deliveries')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .where('leased_until', 'is', null);
