import { found } from '#platform/refusal.ts';
import { ExpandQuery, expanding } from '#resources/inboxes/index.ts';
import { ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import { messageBody } from './body.ts';
import { MessageBody } from './body-wire.ts';
import * as store from './store.ts';
import { Message, MessageQuery, present } from './wire.ts';

export const routes = [
  route(
    'GET /v1/messages',
    { summary: 'List messages.', scope: 'read', query: MessageQuery, reply: { 200: listOf(Message) } },
    async (ctx, { query: { expand, ...filter } }) => {
      const page = await store.list(ctx, filter);
      return ok(list(page, await expanding(ctx, page.rows, expand, present)));
    },
  ),
  route(
    'GET /v1/messages/{id}',
    { summary: 'Retrieve a message.', scope: 'read', params: idParams({ id: 'msg' }), query: ExpandQuery, reply: { 200: Message } },
    async (ctx, { params, query }) => {
      const row = found(await store.byId(ctx, params.id), 'message');
      return ok((await expanding(ctx, [row], query.expand, present))(row));
    },
  ),
  route(
    'GET /v1/messages/{id}/body',
    {
      summary:
        'Retrieve the body of a message, fetched from the mailbox now. What was sent is read from the mailbox too: where the provider files no ' +
        'copy in Sent, it has no body.',
      scope: 'read',
      params: idParams({ id: 'msg' }),
      reply: { 200: MessageBody },
      refusals: ['body_unavailable'],
    },
    async (ctx, { params: { id } }) => ok({ object: 'message_body' as const, message_id: id, ...(await messageBody(ctx, id)) }),
  ),
];
