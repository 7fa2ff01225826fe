import { found } from '#platform/refusal.ts';
import { newestOf } from '#resources/messages/index.ts';
import { SendWire, presentSend } from '#resources/sends/index.ts';
import { created, ok, route } from '#web/route.ts';
import { list, listOf } from '#web/wire.ts';
import { replyTo } from './reply.ts';
import * as store from './store.ts';
import { Thread, ThreadParams, ThreadQuery, ThreadReply, present, presentWhole } from './wire.ts';

const MOST_MESSAGES = 100;

export const routes = [
  route(
    'GET /v1/threads',
    { summary: 'List threads, the one with the latest message first.', scope: 'read', query: ThreadQuery, reply: { 200: listOf(Thread) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  route(
    'GET /v1/threads/{id}',
    { summary: 'Retrieve a thread with its messages.', scope: 'read', params: ThreadParams, reply: { 200: Thread } },
    async (ctx, { params: { id } }) => {
      const thread = found(await store.byId(ctx, id), 'thread');
      return ok(presentWhole(thread, await newestOf(ctx, thread, MOST_MESSAGES + 1), MOST_MESSAGES));
    },
  ),
  route(
    'POST /v1/threads/{id}/replies',
    {
      summary: 'Reply in a thread, from its inbox. A reply counts towards the daily cap but is never held back by it.',
      scope: 'write',
      params: ThreadParams,
      body: ThreadReply,
      reply: { 201: SendWire },
      refusals: ['recipient_suppressed', 'invalid_inbox_state', 'plan_limit_reached', 'invalid_email'],
    },
    async (ctx, { params: { id }, body }) => created(presentSend(await replyTo(ctx, id, body))),
  ),
];
