import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { about } from './about.ts';
import { allRoutes } from './all-routes.ts';
import { house } from '#testing/house.ts';
import { isCode } from '#web/error-pages.ts';
import { exampleOf } from '#web/example.ts';
import { openApiDocument } from '#web/openapi.ts';
import { tagOf } from '#web/operation-id.ts';
import { PROBLEMS } from '#web/problems.ts';
import { REMEDIES } from '#web/remedies.ts';

type Operation = {
  description: string;
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { 'x-codes'?: string[]; content?: Record<string, { example?: unknown; examples?: Record<string, unknown> }> }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: { allOf: unknown[] } }> } } }>;
  tags: { name: string; description?: string }[];
  components: { schemas: Record<string, unknown> };
};

const document = openApiDocument(allRoutes, { version: '1.2.3', baseUrl: 'https://postrider.example', about }) as Document;
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, one]) => ({ line: `${method} ${path}`, one })),
);

test('the document passes the recommended rules without an error', async () => {
  const problems = await lintFromString({ source: JSON.stringify(document), config: await createConfig({ extends: ['recommended'] }) });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location.map((one) => one.pointer).join()}`),
    [],
  );
});

test('every request and every answer has an example, and each example is what its schema takes', () => {
  for (const { line, one } of operations) {
    for (const [type, media] of Object.entries(one.requestBody?.content ?? {})) assert.notEqual(media.example, undefined, `${line} ${type}`);
    for (const [status, { content = {} }] of Object.entries(one.responses)) {
      for (const media of Object.values(content)) assert.ok(media.example !== undefined || media.examples !== undefined, `${line} ${status}`);
    }
  }
  for (const { method, path, spec } of allRoutes) {
    const schemas = [['body', spec.body, 'in'] as const, ...Object.entries(spec.reply).map(([status, schema]) => [status, schema, 'out'] as const)];
    for (const [part, schema, direction] of schemas) {
      if (!schema) continue;
      const example = exampleOf(schema, direction);
      const { success, error } = schema.safeParse(example);
      assert.ok(success, `${method} ${path} ${part}: ${JSON.stringify(example)}: ${JSON.stringify(error?.issues)}. Give its field an \`example\`.`);
    }
  }
});

test('every operation tells its scope, every noun what it is, every refusal its codes', () => {
  for (const { line, one } of operations) {
    assert.match(one.description, /scope `(read|write|admin)`/, line);
    for (const [status, reply] of Object.entries(one.responses)) {
      if (!status.startsWith('2')) assert.ok(reply['x-codes']?.length, `${line} ${status}`);
    }
  }
  const nouns = new Set(allRoutes.map(tagOf));
  for (const noun of nouns) assert.ok(Object.hasOwn(about.tags, noun), `resources/about.ts says nothing of ${noun}.`);
});

test('every event type is a webhook whose data leads to a schema', () => {
  assert.deepEqual(Object.keys(document.webhooks).sort(), [...Object.keys(about.events), 'webhook.verification'].sort());
  for (const [, name = ''] of JSON.stringify(document.webhooks).matchAll(/#\/components\/schemas\/(\w+)/g))
    assert.ok(document.components.schemas[name], name);
});

test('every code has a cause, a remedy and a page; what is no code has none', async () => {
  assert.deepEqual(Object.keys(REMEDIES).sort(), Object.keys(PROBLEMS).sort());
  await using h = await house();
  const refused = await h.app.inject({ url: '/v1/contacts' });
  const { doc_url: url } = (refused.json() as { error: { doc_url: string } }).error;
  assert.equal(new URL(url ?? '').pathname, '/docs/errors/invalid_api_key');
  for (const code of Object.keys(PROBLEMS).filter(isCode)) {
    const page = await h.app.inject({ url: `/docs/errors/${code}` });
    assert.equal(page.statusCode, 200, code);
    assert.match(String(page.headers['content-type']), /^text\/html/);
    assert.ok(page.body.includes(`HTTP ${PROBLEMS[code][0]}`), code);
    assert.ok(REMEDIES[code].cause.length > 20 && REMEDIES[code].remedy.length > 20, `${code}: say more`);
  }
  assert.equal((await h.app.inject({ url: '/docs/errors/nonsense' })).statusCode, 404);
  assert.equal((await h.app.inject({ url: '/docs/errors/__proto__' })).statusCode, 404);
  assert.equal((await h.app.inject({ url: '/docs/errors/%3Cscript%3E' })).statusCode, 404);
});

test('the reference is ours alone: no other origin, scripts by their hash, and its script packed on demand', async () => {
  await using h = await house();
  const page = await h.app.inject({ url: '/docs' });
  const policy = String(page.headers['content-security-policy']);
  assert.match(policy, /default-src 'none'; script-src 'self' 'sha256-[^']+';/);
  assert.doesNotMatch(policy, /https?:|unsafe-eval/);
  assert.deepEqual(
    [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to]) => to),
    ['/docs/scalar.js'],
  );
  assert.match(page.body, /"telemetry": false/);
  const plain = await h.app.inject({ url: '/docs/scalar.js' });
  const packed = await h.app.inject({ url: '/docs/scalar.js', headers: { 'accept-encoding': 'gzip, br' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.ok(packed.rawPayload.length < plain.rawPayload.length / 2);
  const posted = await h.app.inject({ method: 'POST', url: '/docs/errors' });
  assert.deepEqual([posted.statusCode, posted.headers['allow']], [405, 'GET, HEAD']);
});

test('/v1 and /llms.txt tell where everything is', async () => {
  await using h = await house();
  const index = (await h.app.inject({ url: '/v1' })).json() as { object: string; resources: string[]; openapi_url: string };
  assert.equal(index.object, 'index');
  assert.ok(index.resources.includes('/v1/contacts'));
  assert.equal(index.openapi_url, `${h.world.config.BASE_URL}/openapi.json`);
  const text = (await h.app.inject({ url: '/llms.txt' })).body;
  for (const { method, path } of allRoutes) assert.ok(text.includes(`\`${method} ${path}\``), path);
});
