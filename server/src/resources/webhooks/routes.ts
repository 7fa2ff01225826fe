import { freeingRoom } from '#resources/workspaces/index.ts';
import type { z } from 'zod';
import { found } from '#platform/refusal.ts';
import { created, ok, preparedRoute, route } from '#web/route.ts';
import { PageQuery, idParams, list, listOf } from '#web/wire.ts';
import type { Ctx } from '#world/ctx.ts';
import { createWebhook } from './create-webhook.ts';
import * as deliveries from './delivery-store.ts';
import { DeliveryQuery, ReplayBody, TestBody, WebhookDelivery, WebhookReplay, presentDelivery } from './delivery-wire.ts';
import { redeliver, replay } from './redeliver.ts';
import { rotateWebhook } from './rotate-webhook.ts';
import * as store from './store.ts';
import { keepTest, trySynthetic } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';
import { NewWebhook, WebhookEndpoint, WebhookEndpointWithSecret, WebhookPatch, present, presentWithSecret } from './wire.ts';

const params = idParams({ id: 'whk' });

const shownDelivery = async (ctx: Ctx, row: deliveries.Delivery): Promise<z.input<typeof WebhookDelivery>> =>
  presentDelivery(row, (await deliveries.bodiesOf(ctx, [row])).get(row.id)!);

const endpointRoutes = [
  route(
    'POST /v1/webhooks',
    {
      summary: 'Register a webhook endpoint; its secret is shown this once. It is sent a `webhook.verification` event, and others after its 2xx.',
      operationId: 'createWebhook',
      scope: 'admin',
      body: NewWebhook,
      reply: { 201: WebhookEndpointWithSecret },
      refusals: ['plan_limit_reached'],
      secret: true,
    },
    async (ctx, { body }) => created(presentWithSecret(await createWebhook(ctx, body))),
  ),
  route(
    'GET /v1/webhooks',
    { summary: "List the webhook endpoints of the calling key's mode.", scope: 'read', query: PageQuery, reply: { 200: listOf(WebhookEndpoint) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  route(
    'GET /v1/webhooks/{id}',
    { summary: 'Retrieve a webhook endpoint.', scope: 'read', params, reply: { 200: WebhookEndpoint } },
    async (ctx, { params: { id } }) => ok(present(found(await store.byId(ctx, id), 'webhook endpoint'))),
  ),
  route(
    'PATCH /v1/webhooks/{id}',
    {
      summary: 'Change a webhook endpoint, disable it or enable it again. A new url must be verified anew; what happens meanwhile waits for that.',
      scope: 'admin',
      params,
      body: WebhookPatch,
      reply: { 200: WebhookEndpoint },
    },
    async (ctx, { params: { id }, body }) => ok(present(await updateWebhook(ctx, id, body))),
  ),
  route(
    'DELETE /v1/webhooks/{id}',
    { summary: 'Delete a webhook endpoint and the log of its deliveries.', scope: 'admin', params, reply: { 200: WebhookEndpoint } },
    async (ctx, { params: { id } }) => ok(present(found(await freeingRoom(ctx, 'webhooks', () => store.remove(ctx, id)), 'webhook endpoint'))),
  ),
  route(
    'POST /v1/webhooks/{id}/rotate',
    {
      summary: 'Give a webhook endpoint a new signing secret, shown this once. For 24 hours the old one signs as well.',
      scope: 'admin',
      params,
      reply: { 200: WebhookEndpointWithSecret },
      secret: true,
    },
    async (ctx, { params: { id } }) => ok(presentWithSecret(await rotateWebhook(ctx, id))),
  ),
];

const deliveryRoutes = [
  preparedRoute(
    'POST /v1/webhooks/{id}/test',
    {
      summary: 'Send a synthetic event, whose `metadata.test` is true, and answer how it went. A 2xx verifies the endpoint.',
      scope: 'admin',
      params,
      body: TestBody,
      reply: { 200: WebhookDelivery },
    },
    (ctx, { params: { id }, body }) => trySynthetic(ctx, id, body.event_type),
    async (ctx, { prepared }) => ok(await shownDelivery(ctx, await keepTest(ctx, prepared))),
  ),
  route(
    'GET /v1/webhooks/{id}/deliveries',
    {
      summary: 'List the deliveries to an endpoint, one for each attempt, of the last 30 days.',
      scope: 'read',
      params,
      query: DeliveryQuery,
      reply: { 200: listOf(WebhookDelivery) },
    },
    async (ctx, { params: { id }, query }) => {
      found(await store.byId(ctx, id), 'webhook endpoint');
      const page = await deliveries.list(ctx, id, query);
      const bodies = await deliveries.bodiesOf(ctx, page.rows);
      return ok(list(page, (row) => presentDelivery(row, bodies.get(row.id)!)));
    },
  ),
  route(
    'POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    {
      summary: 'Deliver the event of a delivery again, at once, with the whole schedule of retries.',
      operationId: 'redeliverWebhookDelivery',
      scope: 'admin',
      params: idParams({ id: 'whk', delivery_id: 'whd' }),
      reply: { 202: WebhookDelivery },
      refusals: ['invalid_webhook_state'],
    },
    async (ctx, { params: { id, delivery_id: deliveryId } }) => ({
      status: 202 as const,
      body: await shownDelivery(ctx, await redeliver(ctx, id, deliveryId)),
    }),
  ),
  route(
    'POST /v1/webhooks/{id}/replay',
    {
      summary: 'Deliver every event that the endpoint wants again, from a sequence on; also those from before it was registered.',
      scope: 'admin',
      params,
      body: ReplayBody,
      reply: { 202: WebhookReplay },
      refusals: ['invalid_webhook_state'],
    },
    async (ctx, { params: { id }, body }) => ({
      status: 202 as const,
      body: { object: 'webhook_replay' as const, webhook_id: id, ...(await replay(ctx, id, body.from_sequence)) },
    }),
  ),
];

export const routes = [...endpointRoutes, ...deliveryRoutes];
