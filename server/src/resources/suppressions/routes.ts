import { found } from '#platform/refusal.ts';
import { batch, batchResult, readRows } from '#web/batch.ts';
import { created, ok, route } from '#web/route.ts';
import { idParams, list, listOf } from '#web/wire.ts';
import * as store from './store.ts';
import { suppress, suppressAll } from './suppress.ts';
import { NewSuppression, Suppression, SuppressionBatch, SuppressionBatchResult, SuppressionQuery, present } from './wire.ts';

const params = idParams({ id: 'sup' });

export const routes = [
  route(
    'GET /v1/suppressions',
    { summary: 'List suppressions.', scope: 'read', query: SuppressionQuery, reply: { 200: listOf(Suppression) } },
    async (ctx, { query }) => ok(list(await store.list(ctx, query), present)),
  ),
  route(
    'POST /v1/suppressions',
    { summary: 'Suppress an address; 200 when it already is.', scope: 'write', body: NewSuppression, reply: { 200: Suppression, 201: Suppression } },
    async (ctx, { body }) => {
      const { row, isNew } = await suppress(ctx, body);
      return isNew ? created(present(row)) : ok(present(row));
    },
  ),
  route(
    'POST /v1/suppressions/batch',
    { summary: 'Suppress up to 1,000 addresses.', scope: 'write', body: SuppressionBatch, reply: { 200: SuppressionBatchResult } },
    async (ctx, { body: { suppressions } }) => {
      const outcomes = await batch(readRows(NewSuppression, suppressions), (rows) => suppressAll(ctx, rows));
      return ok(batchResult(suppressions, outcomes, ({ row }) => present(row)));
    },
  ),
  route(
    'GET /v1/suppressions/{id}',
    { summary: 'Retrieve a suppression.', scope: 'read', params, reply: { 200: Suppression } },
    async (ctx, { params: { id } }) => ok(present(found(await store.byId(ctx, id), 'suppression'))),
  ),
  route(
    'DELETE /v1/suppressions/{id}',
    { summary: 'Take an address off the list.', scope: 'admin', params, reply: { 200: Suppression } },
    async (ctx, { params: { id } }) => ok(present(found(await store.remove(ctx, id), 'suppression'))),
  ),
];
