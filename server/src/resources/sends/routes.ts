import { Refusal, found } from '#platform/refusal.ts';
import { byIds } from '#resources/inboxes/index.ts';
import { created, gatheredRoute, ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import type { Ctx } from '#world/ctx.ts';
import { cancelSend } from './cancel.ts';
import { createSends } from './create.ts';
import * as store from './store.ts';
import { ExpandQuery, NewSend, Send, SendQuery, present } from './wire.ts';

const params = idParams({ id: 'snd' });

/** The rows as they are shown, with the inbox's summary when it is asked for. */
async function expanded(ctx: Ctx, rows: store.Row[], expand: 'inbox' | undefined) {
  if (!expand) return present;
  const inboxes = new Map((await byIds(ctx, [...new Set(rows.map((row) => row.inbox_id))])).map((inbox) => [inbox.id, inbox]));
  return (row: store.Row) => {
    const inbox = inboxes.get(row.inbox_id);
    const summary = inbox && { id: inbox.id, email_address: inbox.email_address, display_name: inbox.display_name, status: inbox.status };
    return { ...present(row), inbox: summary ?? null };
  };
}

export const routes = [
  route('GET /v1/sends', { summary: 'List sends.', scope: 'read', query: SendQuery, reply: { 200: listOf(Send) } }, async (ctx, { query }) => {
    const { expand, ...filter } = query;
    const page = await store.list(ctx, filter);
    return ok(list(page, await expanded(ctx, page.rows, expand)));
  }),
  gatheredRoute(
    'POST /v1/sends',
    {
      summary: 'Schedule a send. It leaves as soon as its inbox may send, or at send_at.',
      scope: 'write',
      body: NewSend,
      reply: { 201: Send },
      refusals: ['recipient_suppressed', 'invalid_inbox_state', 'plan_limit_reached'],
    },
    async (calls) => {
      const answers = new Map<(typeof calls)[number], store.Row | Refusal>();
      for (const group of byTenant(calls)) {
        const outcomes = await createSends(group[0]!.ctx, group.map((call) => call.input.body)); // prettier-ignore
        for (const [i, call] of group.entries()) answers.set(call, outcomes[i]!);
      }
      return calls.map((call) => {
        const outcome = answers.get(call)!;
        return outcome instanceof Refusal ? outcome : created(present(outcome));
      });
    },
  ),
  route(
    'GET /v1/sends/{id}',
    { summary: 'Retrieve a send.', scope: 'read', params, query: ExpandQuery, reply: { 200: Send } },
    async (ctx, { params: { id }, query }) => {
      const row = found(await store.byId(ctx, id), 'send');
      return ok((await expanded(ctx, [row], query.expand))(row));
    },
  ),
  route(
    'POST /v1/sends/{id}/cancel',
    { summary: 'Cancel a send that is still scheduled.', scope: 'write', params, reply: { 200: Send }, refusals: ['send_not_cancelable'] },
    async (ctx, { params: { id } }) => ok(present(await cancelSend(ctx, id))),
  ),
];

/** Calls by workspace and mode, in a fixed order, so that two batches lock their tenants alike. */
function byTenant<C extends { ctx: Ctx }>(calls: readonly C[]): C[][] {
  const groups = Map.groupBy(calls, ({ ctx }) => `${ctx.workspaceId} ${ctx.mode}`);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
