import { found } from '#platform/refusal.ts';
import { ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import * as store from './store.ts';
import { Message, MessageQuery, present } from './wire.ts';

export const routes = [
  route(
    'GET /v1/messages',
    { summary: 'List messages.', scope: 'read', query: MessageQuery, reply: { 200: listOf(Message) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  route(
    'GET /v1/messages/{id}',
    { summary: 'Retrieve a message.', scope: 'read', params: idParams({ id: 'msg' }), reply: { 200: Message } },
    async (ctx, { params }) => ok(present(found(await store.byId(ctx, params.id), 'message'))),
  ),
];
