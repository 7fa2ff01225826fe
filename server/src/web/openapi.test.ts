import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { type Demo, demo } from './demo.ts';
import { openApiDocument } from './openapi.ts';
import { operationIdOf, tagOf } from './operation-id.ts';
import type { Route } from './route.ts';
import { serverUrl } from '#testing/database.ts';

const MEANS = { version: '1.2.3', baseUrl: 'https://api.example.com' };

let d: Demo;
before(async () => void (d = await demo(serverUrl())));
after(async () => d[Symbol.asyncDispose]());

type Operation = {
  operationId: string;
  parameters?: { name: string; in: string; schema: Record<string, unknown> }[];
  requestBody?: { required: boolean; content: Record<string, { schema: { required?: string[] } }> };
  responses: Record<string, { 'x-codes'?: string[]; content: Record<string, { schema: { $ref?: string } }> }>;
};
type Doc = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, { additionalProperties?: unknown }> } };

test('the document tells of every route: parameters, bodies, answers and refusals', () => {
  const doc = openApiDocument(d.routes, MEANS) as Doc;
  const mounted = d.routes.map((route) => `${route.method.toLowerCase()} ${route.path}`).sort();
  const described = Object.entries(doc.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));
  assert.deepEqual(described.sort(), mounted);
  const names = (operation: Operation) => (operation.parameters ?? []).map((one) => `${one.in} ${one.name}`);
  const list = doc.paths['/v1/marks']!['get']!;
  assert.deepEqual(names(list), ['query limit', 'query starting_after', 'query ending_before']);
  assert.deepEqual(list.parameters![0]!.schema, { description: 'How many at most.', type: 'integer', minimum: 1, maximum: 100, default: 25 });
  const remove = doc.paths['/v1/marks/{id}']!['delete']!;
  assert.deepEqual(names(remove).sort(), ['header Idempotency-Key', 'path id', 'query confirm']);
  assert.deepEqual(remove.responses['400']!['x-codes'], ['confirmation_required', 'invalid_json', 'invalid_parameter']);
  assert.equal(remove.responses['404']!.content['application/json']!.schema.$ref, '#/components/schemas/Error');
  const create = doc.paths['/v1/marks']!['post']!;
  assert.deepEqual(create.requestBody?.content['application/json']?.schema.required, ['word']);
  assert.equal(create.responses['201']!.content['application/json']!.schema.$ref, '#/components/schemas/Mark');
  assert.ok(doc.paths['/v1/keys']!['post']!.responses['409']!['x-codes']!.includes('idempotency_replay_unavailable'));
  const upload = doc.paths['/v1/uploads']!['post']!;
  assert.deepEqual(Object.keys(upload.requestBody!.content), ['multipart/form-data', 'text/csv', 'application/json']);
});

test('the head of each answer is described', () => {
  const doc = openApiDocument(d.routes, MEANS) as unknown as {
    paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>;
    components: { headers: object };
  };
  const headsOf = (path: string, method: string, status: string) => Object.keys(doc.paths[path]![method]!.responses[status]!.headers);
  const always = ['Request-Id', 'Service-Version', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];
  assert.deepEqual(headsOf('/v1/marks', 'get', '200'), always);
  assert.deepEqual(headsOf('/v1/marks', 'get', '429'), ['Retry-After']);
  assert.deepEqual(headsOf('/v1/marks', 'post', '201'), [...always, 'Idempotent-Replayed']);
  assert.deepEqual(headsOf('/v1/marks', 'post', '409'), ['Retry-After']);
  for (const name of always) assert.ok(Object.hasOwn(doc.components.headers, name), name);
});

test('the document does not depend on the order of the routes, and its references lead somewhere', () => {
  const text = JSON.stringify(openApiDocument(d.routes, MEANS));
  assert.equal(JSON.stringify(openApiDocument(d.routes.toReversed(), MEANS)), text);
  const { components } = JSON.parse(text) as Doc;
  for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) assert.ok(components.schemas[name!], name!);
  assert.deepEqual(Object.keys(components.schemas), ['Error', 'Mark']);
  assert.equal(components.schemas['Mark']!.additionalProperties, undefined, 'an answer may gain fields');
});

test('a schema that goes in and comes out is one component', () => {
  const Shared = z.object({ name: z.string() }).meta({ id: 'Shared' });
  const both: Route = {
    method: 'POST',
    path: '/v1/things',
    spec: { summary: '', scope: 'write', body: z.strictObject({ it: Shared }), reply: { 200: z.object({ it: Shared }) } },
  };
  assert.deepEqual(Object.keys((openApiDocument([both], MEANS) as Doc).components.schemas), ['Error', 'Shared']);
});

test('operations are named by their lines', () => {
  const names: Record<string, string> = {
    'GET /v1/api_keys': 'listApiKeys',
    'POST /v1/api_keys/{id}/rotate': 'rotateApiKey',
    'POST /v1/contacts': 'createContact',
    'POST /v1/contacts/batch': 'createContactBatch',
    'GET /v1/contacts/{id}': 'retrieveContact',
    'PATCH /v1/inboxes/{id}': 'updateInbox',
    'DELETE /v1/audiences/{id}/contacts/{contact_id}': 'deleteAudienceContact',
    'POST /v1/sequences/{id}/steps': 'createSequenceStep',
    'POST /v1/sequences/{id}/steps/reorder': 'reorderSequenceSteps',
    'GET /v1/messages/{id}/body': 'retrieveMessageBody',
    'POST /v1/threads/{id}/replies': 'createThreadReply',
    'GET /v1/workspace': 'retrieveWorkspace',
    'POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver': 'redeliverWebhookDelivery',
    'GET /v1/campaigns/{id}/contacts': 'listCampaignContacts',
    'POST /v1/campaigns/{id}/start': 'startCampaign',
    'POST /v1/test_clock/advance': 'advanceTestClock',
  };
  for (const [line, name] of Object.entries(names)) {
    const [method, path] = line.split(' ') as ['GET', string];
    assert.equal(operationIdOf({ method, path, spec: { summary: '', scope: 'read', reply: {} } }), name);
  }
  assert.equal(
    operationIdOf({ method: 'POST', path: '/v1/inboxes/smtp', spec: { summary: '', scope: 'write', reply: {}, operationId: 'connectSmtpInbox' } }),
    'connectSmtpInbox',
  );
  assert.deepEqual([tagOf({ path: '/v1/api_keys/{id}' }), tagOf({ path: '/v1/contact_imports' })], ['API keys', 'Contact imports']);
});
