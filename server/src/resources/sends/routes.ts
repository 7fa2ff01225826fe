import { z } from 'zod';
import { Refusal, found } from '#platform/refusal.ts';
import { ExpandQuery, expanding } from '#resources/inboxes/index.ts';
import { created, gatheredRoute, ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import type { Ctx } from '#world/ctx.ts';
import { cancelSend } from './cancel.ts';
import { MAX_BODY_BYTES } from './attachments-wire.ts';
import { createMany } from './create-many.ts';
import { createSends } from './create.ts';
import { NewSend, isBulk, recipientOf } from './letter-wire.ts';
import type { Wanted } from './plan-one.ts';
import * as store from './store.ts';
import { BulkSendResult, Send, SendQuery, present, presentBulk } from './wire.ts';

const params = idParams({ id: 'snd' });

export const routes = [
  route('GET /v1/sends', { summary: 'List sends.', scope: 'read', query: SendQuery, reply: { 200: listOf(Send) } }, async (ctx, { query }) => {
    const { expand, ...filter } = query;
    const page = await store.list(ctx, filter);
    return ok(list(page, await expanding(ctx, page.rows, expand, present)));
  }),
  gatheredRoute(
    'POST /v1/sends',
    {
      summary: 'Schedule a send, or many. It leaves as soon as its inbox may send, or at send_at.',
      scope: 'write',
      body: NewSend,
      maxBodyBytes: MAX_BODY_BYTES,
      reply: { 201: z.union([Send, BulkSendResult]).meta({ description: 'Several recipients, or any from_strategy: a bulk result.' }) },
      refusals: [
        'recipient_suppressed',
        'duplicate_recipient',
        'invalid_inbox_state',
        'no_inbox_available',
        'plan_limit_reached',
        'resource_missing',
      ],
    },
    async (calls) => {
      const answers = new Map<Call, Outcome>();
      for (const call of calls.filter(({ input }) => isBulk(input.body))) answers.set(call, await answerBulk(call));
      for (const group of byTenant(calls.filter((call) => !answers.has(call))))
        for (const [call, answer] of await answerSingle(group)) answers.set(call, answer);
      return calls.map((call) => answers.get(call)!);
    },
    // A thousand letters, or files, take their time: they do not share a transaction with those who send one.
    ({ body }) => isBulk(body) || (body.attachments?.length ?? 0) > 0,
  ),
  route(
    'GET /v1/sends/{id}',
    { summary: 'Retrieve a send.', scope: 'read', params, query: ExpandQuery, reply: { 200: Send } },
    async (ctx, { params: { id }, query }) => {
      const row = found(await store.byId(ctx, id), 'send');
      return ok((await expanding(ctx, [row], query.expand, present))(row));
    },
  ),
  route(
    'POST /v1/sends/{id}/cancel',
    { summary: 'Cancel a send that is still scheduled.', scope: 'write', params, reply: { 200: Send }, refusals: ['send_not_cancelable'] },
    async (ctx, { params: { id } }) => ok(present(await cancelSend(ctx, id))),
  ),
];

type Call = { ctx: Ctx; input: { body: NewSend } };
type Outcome = { status: 201; body: z.input<typeof Send> | z.input<typeof BulkSendResult> } | Refusal;

async function answerBulk({ ctx, input: { body } }: Call): Promise<Outcome> {
  return created(presentBulk(Array.isArray(body.to) ? body.to : [body.to], await createMany(ctx, body)));
}

/** The calls of one tenant that send one letter each. */
async function answerSingle(calls: readonly Call[]): Promise<Map<Call, Outcome>> {
  const read = calls.map(({ input: { body } }): Wanted | Refusal => {
    const to = recipientOf(body);
    return to instanceof Refusal ? to : { ...body, to, inbox_id: body.inbox_id! };
  });
  const outcomes = await createSends(calls[0]!.ctx, read.filter((one): one is Wanted => !(one instanceof Refusal))); // prettier-ignore
  return new Map(
    calls.map((call, i) => {
      const outcome = read[i] instanceof Refusal ? read[i] : outcomes.shift()!;
      return [call, outcome instanceof Refusal ? outcome : created(present(outcome))];
    }),
  );
}

/** Calls by workspace and mode, in a fixed order, so that two batches lock their tenants alike. */
function byTenant<C extends { ctx: Ctx }>(calls: readonly C[]): C[][] {
  const groups = Map.groupBy(calls, ({ ctx }) => `${ctx.workspaceId} ${ctx.mode}`);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
