import { found } from '#platform/refusal.ts';
import { ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import * as store from './store.ts';
import { Event, EventQuery, present } from './wire.ts';

export const routes = [
  route('GET /v1/events', { summary: 'List events.', scope: 'read', query: EventQuery, reply: { 200: listOf(Event) } }, async (ctx, { query }) =>
    ok(list(await store.list(ctx, query), present)),
  ),
  route(
    'GET /v1/events/{id}',
    { summary: 'Retrieve an event.', scope: 'read', params: idParams({ id: 'evt' }), reply: { 200: Event } },
    async (ctx, { params }) => ok(present(found(await store.byId(ctx, params.id), 'event'))),
  ),
];
