import { z } from 'zod';
import { created, ok, route } from '#web/route.ts';
import { ConfirmQuery, idParams } from '#web/wire.ts';
import { createApiKey } from './create-api-key.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';
import * as store from './store.ts';
import { ApiKey, ApiKeyList, ApiKeyWithSecret, NewApiKey, present, presentAll, presentWithSecret } from './wire.ts';

const params = idParams({ id: 'key' });

export const routes = [
  route(
    'GET /v1/api_keys',
    { summary: "List the API keys of the calling key's mode.", scope: 'read', query: z.strictObject({}), reply: { 200: ApiKeyList } },
    async (ctx) => ok(presentAll(await store.all(ctx))),
  ),
  route(
    'POST /v1/api_keys',
    {
      summary: 'Create an API key; its secret is shown this once.',
      scope: 'admin',
      body: NewApiKey,
      reply: { 201: ApiKeyWithSecret },
      refusals: ['mode_mismatch'],
      secret: true,
    },
    async (ctx, { body }) => created(presentWithSecret(await createApiKey(ctx, body))),
  ),
  route(
    'DELETE /v1/api_keys/{id}',
    { summary: 'Revoke an API key.', scope: 'admin', params, query: ConfirmQuery, confirm: true, reply: { 200: ApiKey } },
    async (ctx, { params: { id } }) => ok(present(await revokeApiKey(ctx, id))),
  ),
  route(
    'POST /v1/api_keys/{id}/rotate',
    {
      summary: 'Give an API key a new secret; the old one stops working.',
      scope: 'admin',
      params,
      query: ConfirmQuery,
      confirm: true,
      reply: { 200: ApiKeyWithSecret },
      secret: true,
    },
    async (ctx, { params: { id } }) => ok(presentWithSecret(await rotateApiKey(ctx, id))),
  ),
];
