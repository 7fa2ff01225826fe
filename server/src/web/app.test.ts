import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { after, before, test } from 'node:test';
import { type Demo, demo } from './demo.ts';
import { connect } from '#store/db.ts';
import { serverUrl } from '#testing/database.ts';

const ID = 'con_01jd0000000000000000000000';

let d: Demo;
before(async () => void (d = await demo(serverUrl())));
after(async () => d[Symbol.asyncDispose]());

type Call = { key?: string; headers?: Record<string, string>; body?: unknown; raw?: string | Buffer };

async function call(line: string, { key = 'admin', headers = {}, body, raw }: Call = {}, on = d) {
  const [method, url] = line.split(' ') as ['GET', string];
  const given = body === undefined ? {} : { 'content-type': 'application/json' };
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const reply = await on.app.inject({
    method,
    url,
    headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...given, ...headers },
    ...(payload === undefined ? {} : { payload }),
  });
  const parsed = (reply.body === '' ? {} : reply.json()) as { error?: Record<string, unknown> } & Record<string, unknown>;
  return { status: reply.statusCode, headers: reply.headers, body: parsed, error: parsed.error ?? {}, text: reply.body };
}

const refused = (reply: Awaited<ReturnType<typeof call>>, status: number, code: string, param?: string) =>
  assert.deepEqual([reply.status, reply.error['code'], reply.error['param']], [status, code, param], reply.text);

test('every answer carries its request id and the version, and every "no" the envelope', async () => {
  const fine = await call('GET /v1/marks');
  assert.equal(fine.status, 200);
  assert.match(String(fine.headers['request-id']), /^req_[0-7][0-9a-z]{25}$/);
  assert.equal(fine.headers['service-version'], '0.1.0');
  assert.equal(fine.headers['content-type'], 'application/json; charset=utf-8');
  const no = await call('POST /v1/marks', { body: { word: '' } });
  assert.deepEqual(no.error, {
    type: 'invalid_request_error',
    code: 'validation_failed',
    message: no.error['message'],
    param: 'word',
    request_id: no.headers['request-id'],
    doc_url: 'https://api.example.com/docs/errors/validation_failed',
  });
  for (const url of ['/nowhere', '/v1/%zz', '/v1/marks?limit=0']) {
    const reply = await call(`GET ${url}`);
    assert.equal(reply.error['request_id'], reply.headers['request-id'], url);
    assert.ok(reply.headers['service-version'], url);
    assert.match(`${String(reply.headers['ratelimit-remaining'])} of ${String(reply.headers['ratelimit-limit'])}`, /^\d+ of \d+$/, url);
  }
});

test('without exactly one bearer token nobody gets in', async () => {
  const headers = [
    undefined,
    '',
    'Basic admin',
    'Bearer',
    'Bearer ',
    'Bearer\tadmin',
    'Bearer admin admin',
    'Bearer admin,Bearer admin',
    'Bearer wrong',
    `Bearer ${'a'.repeat(10_000)}`,
  ];
  for (const authorization of headers) {
    const reply = await call('POST /v1/marks', { key: '', headers: authorization === undefined ? {} : { authorization }, body: { word: 'in' } });
    refused(reply, 401, 'invalid_api_key');
    assert.equal(reply.headers['ratelimit-remaining'], reply.headers['ratelimit-limit'], 'nobody pays for it');
    assert.equal(reply.headers['www-authenticate'], 'Bearer');
  }
  refused(await call('GET /v1/marks?api_key=admin', { key: '' }), 401, 'invalid_api_key');
  assert.ok(!(await d.marks()).includes('in'));
});

test('scopes: admin includes write, write includes read', async () => {
  const allowed = { read: [200, 403, 403], write: [200, 201, 403], admin: [200, 201, 200] };
  for (const [key, statuses] of Object.entries(allowed)) {
    const replies = [
      await call('GET /v1/marks', { key }),
      await call('POST /v1/marks', { key, body: { word: 'scoped' } }),
      await call(`DELETE /v1/marks/${ID}?confirm=true`, { key }),
    ];
    assert.deepEqual(replies.map((one) => one.status), statuses); // prettier-ignore
    for (const one of replies)
      if (one.status === 403) assert.deepEqual([one.error['code'], one.error['type']], ['insufficient_scope', 'permission_error']);
  }
});

test('confirmation: only the exact word, or a key that needs none', async () => {
  for (const query of ['', '?confirm=TRUE', '?confirm=1', '?confirm=yes', '?confirm=', '?confirm=false']) {
    refused(await call(`DELETE /v1/marks/${ID}${query}`), 400, 'confirmation_required', 'confirm');
    refused(await call(`POST /v1/marks/${ID}/hush${query}`), 400, 'confirmation_required', 'confirm');
  }
  refused(await call(`DELETE /v1/marks/${ID}?confirm=true&confirm=true`), 400, 'invalid_parameter', 'confirm');
  refused(await call('GET /v1/marks?confirm=true'), 400, 'invalid_parameter', 'confirm');
  assert.equal((await call(`POST /v1/marks/${ID}/hush?confirm=true`)).status, 200);
  assert.equal((await call(`DELETE /v1/marks/${ID}`, { key: 'admin_auto' })).status, 200);
});

test('a body that is no JSON object is refused', async () => {
  const json = { 'content-type': 'application/json' };
  const cases: [string | Buffer, Record<string, string>, number, string, string?][] = [
    ['{', json, 400, 'invalid_json'],
    ['{"word":"a"}x', json, 400, 'invalid_json'],
    ['[]', json, 422, 'validation_failed'],
    ['"x"', json, 422, 'validation_failed'],
    ['null', json, 422, 'validation_failed'],
    ['{"word":"a"}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['word=a', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['{"word":"a"}', {}, 415, 'unsupported_media_type'],
    ['--x--', { 'content-type': 'multipart/form-data; boundary=x' }, 415, 'unsupported_media_type'],
    [Buffer.from('{"word":"a"}', 'utf16le'), { 'content-type': 'application/json; charset=utf-16' }, 415, 'unsupported_media_type'],
    [Buffer.from('\uFEFF{"word":"a"}', 'utf16le'), json, 400, 'invalid_json'],
    [`{"word":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, json, 400, 'invalid_json'],
    ['{"word":"a","count":1e400}', json, 422, 'validation_failed', 'count'],
    ['{"word":"a","metadata":{"x":-1e400}}', json, 422, 'validation_failed', 'metadata.x'],
    [Buffer.from('{"word":"\xff"}', 'latin1'), json, 400, 'invalid_json'],
    ['{"word":"a","count":1.5}', json, 422, 'validation_failed', 'count'],
    ['{"word":"a\\u0000"}', json, 422, 'validation_failed', 'word'],
    ['{"word":"a","metadata":{"x":["\\ud800"]}}', json, 422, 'validation_failed', 'metadata.x[0]'],
    ['{"word":"a","__proto__":{"x":1}}', json, 422, 'unknown_parameter', '__proto__'],
    ['{"word":"a","metadata":{"__proto__":{"x":1}}}', json, 422, 'unknown_parameter', 'metadata.__proto__'],
    [`{"word":"${'a'.repeat(1024 * 1024)}"}`, json, 413, 'payload_too_large'],
    ['{}', { 'content-type': 'application/json; charset=utf-8' }, 422, 'parameter_missing', 'word'],
    ['', {}, 422, 'parameter_missing', 'word'],
  ];
  const before = (await d.marks()).length;
  for (const [raw, headers, status, code, param] of cases) refused(await call('POST /v1/marks', { raw, headers }), status, code, param);
  assert.equal((await d.marks()).length, before);
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
  assert.equal((await call('POST /v1/marks', { raw: '\uFEFF{"word":"bom","word":"last"}', headers: json })).body['word'], 'last');
});

test('a field that does not fit is named by its path, with a code of its own', async () => {
  const cases: [object, string, string?][] = [
    [{}, 'parameter_missing', 'word'],
    [{ word: 'a', wrod: 'b' }, 'unknown_parameter', 'wrod'],
    [{ word: 'a', smtp: { port: 0 } }, 'validation_failed', 'smtp.port'],
    [{ word: 'a', smtp: {} }, 'parameter_missing', 'smtp.port'],
    [{ word: 'a', smtp: { port: 1, host: '' } }, 'unknown_parameter', 'smtp.host'],
    [{ word: 'a', contacts: [{ email: 'a@b.example' }, { email: 'nobody' }] }, 'invalid_email', 'contacts[1].email'],
    [{ word: 'a', email: 'a@b' }, 'invalid_email', 'email'],
    [{ word: 'a', to: 'a@b' }, 'invalid_email', 'to'],
    [{ word: 'a', to: { email: 'a@b' } }, 'invalid_email', 'to.email'],
    [{ word: 'a', to: {} }, 'parameter_missing', 'to.email'],
    [{ word: 'a', to: 3 }, 'validation_failed', 'to'],
    [{ word: null }, 'validation_failed', 'word'],
  ];
  for (const [body, code, param] of cases) refused(await call('POST /v1/marks', { body }), 422, code, param);
  const several = await call('POST /v1/marks', { body: { word: '', email: 'x', wrod: 1 } });
  assert.deepEqual((several.error['problems'] as { param: string }[]).map((one) => one.param), ['word', 'email', 'wrod']); // prettier-ignore
});

test('ids that do not fit are not found; query parameters that do not fit are named', async () => {
  for (const id of ['con_', 'snd_01jd0000000000000000000000', `${ID}x`, '%00', "'--", 'x'.repeat(5_000), '%2e%2e', 'é', '']) {
    const reply = await call(`GET /v1/marks/${id}`);
    assert.deepEqual([reply.status, reply.error['code']], [404, 'resource_missing'], id);
  }
  for (const limit of ['0', '-1', '1e9', 'abc', '1,2', '101', '1000000000', '', '1&limit=2'])
    refused(await call(`GET /v1/marks?limit=${limit}`), 400, 'invalid_parameter', 'limit');
  assert.equal((await call('GET /v1/marks?limit=1&limit=2')).error['message'], 'Give limit once.');
  refused(await call('GET /v1/marks?lmit=1'), 400, 'invalid_parameter', 'lmit');
  refused(await call('GET /v1/marks?__proto__=1'), 400, 'invalid_parameter', '__proto__');
  refused(await call('GET /v1/marks?starting_after=%00'), 400, 'invalid_parameter', 'starting_after');
  refused(await call(`GET /v1/marks/${ID}?x=1`), 400, 'invalid_parameter', 'x');
  assert.equal((await call('GET /v1/marks?limit=1')).body['has_more'], true);
});

test('unknown paths, other methods, HEAD', async () => {
  for (const url of ['/', '/v2', '//v1/marks', '/V1/marks', '/v1/marks/%zz', '/v1/%2e%2e/marks'])
    refused(await call(`GET ${url}`), 404, 'resource_missing');
  const put = await call('PUT /v1/marks');
  refused(put, 405, 'method_not_allowed');
  assert.equal(put.headers['allow'], 'GET, HEAD, POST');
  const options = await call(`OPTIONS /v1/marks/${ID}`);
  assert.deepEqual([options.status, options.headers['allow']], [405, 'DELETE, GET, HEAD']);
  refused(await call('POST /health'), 405, 'method_not_allowed');
  const head = await call('HEAD /v1/marks');
  assert.deepEqual([head.status, head.text], [200, '']);
  refused({ ...(await call('HEAD /v1/marks?limit=x')), error: { code: 'invalid_parameter', param: 'limit' } }, 400, 'invalid_parameter', 'limit');
});

test('health needs no key; readiness is told from above', async () => {
  for (const url of ['/health', '/v1/health'])
    assert.deepEqual((await call(`GET ${url}`, { key: '' })).body, { status: 'ok', service: 'api', version: '0.1.0' });
  assert.equal((await call('GET /livez', { key: '' })).status, 200);
  assert.equal((await call('GET /readyz', { key: '' })).status, 200);
  d.health.ok = false;
  assert.equal((await call('GET /readyz', { key: '' })).status, 503);
  d.health.ok = true;
  assert.equal((await call('GET /openapi.json', { key: '' })).body['openapi'], '3.1.0');
});

test('metrics: open, or with a token for its bearer', async () => {
  assert.equal((await d.app.inject({ url: '/metrics' })).statusCode, 200);
  refused(await call('POST /metrics'), 405, 'method_not_allowed');
  await using closed = await demo(serverUrl(), { settings: { METRICS_TOKEN: 'scrape-me-please' } });
  const ask = async (authorization?: string) =>
    (await closed.app.inject({ url: '/metrics', headers: authorization === undefined ? {} : { authorization } })).statusCode;
  const answers = [await ask(), await ask('Bearer scrape-me-pleas'), await ask('Bearer admin'), await ask('Bearer scrape-me-please')];
  assert.deepEqual(answers, [401, 401, 401, 200]);
});

test('a bug is told by nothing but its request id, and logged with it', async () => {
  const reply = await call('POST /v1/marks', { body: { word: 'boom' } });
  refused(reply, 500, 'internal_error');
  assert.ok(!reply.text.includes('hunter2') && !reply.text.includes('at '), reply.text);
  const line = d.lines.find((one) => one.includes(String(reply.headers['request-id'])));
  assert.match(line ?? '', /hunter2/);
  assert.ok(!(await d.marks()).includes('boom'));
});

test('a database that is away is 503 with Retry-After', async () => {
  await using gone = await demo(serverUrl());
  await gone.db.destroy();
  const nowhere = connect('postgresql://nobody@127.0.0.1:1/none', { log: gone.world.log });
  gone.world.db = nowhere;
  for (const url of ['/v1/marks', '/v1/gathered']) {
    const reply = await call(`POST ${url}`, { body: { word: 'a' } }, gone);
    refused(reply, 503, 'service_unavailable');
    assert.equal(reply.headers['retry-after'], '1');
  }
});

test('the rate limit: headers on every answer, 429 past the burst, refilled by time, one bucket a workspace', async () => {
  await using small = await demo(serverUrl(), { settings: { RATE_LIMIT_BURST: '3', RATE_LIMIT_PER_SECOND: '2' } });
  const levels = [];
  for (let i = 0; i < 3; i++) levels.push((await call('GET /v1/marks', { headers: { 'x-forwarded-for': `10.0.0.${i}` } }, small)).headers);
  const told = levels.map((one) => [one['ratelimit-limit'], one['ratelimit-remaining'], one['ratelimit-reset']].join(' '));
  assert.deepEqual(told, ['3 2 1', '3 1 1', '3 0 2']);
  const late = await call('GET /v1/marks', { key: 'read' }, small);
  refused(late, 429, 'rate_limit_exceeded');
  assert.deepEqual([late.headers['retry-after'], late.headers['ratelimit-remaining']], ['1', '0']);
  assert.equal((await call('GET /v1/marks', { key: 'read_2' }, small)).status, 200);
  small.pass(500);
  assert.equal((await call('GET /v1/marks', {}, small)).status, 200);
  assert.equal((await call('GET /v1/marks', {}, small)).status, 429);
});

test('guesses of keys: 429 to an address that fails too often, while its valid keys pass; trusted proxies are seen through', async () => {
  await using small = await demo(serverUrl(), { settings: { AUTH_FAILURES_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' } });
  const guess = (from: string, key = 'wrong') => call('GET /v1/marks', { key, headers: { 'x-forwarded-for': from } }, small);
  for (let i = 0; i < 3; i++) refused(await guess('198.51.100.7'), 401, 'invalid_api_key');
  const late = await guess('198.51.100.7');
  refused(late, 429, 'rate_limit_exceeded');
  assert.equal(late.headers['retry-after'], '20');
  assert.equal((await guess('198.51.100.7', 'read')).status, 200);
  refused(await guess('198.51.100.8'), 401, 'invalid_api_key');
  // One household has a net of 64 bits.
  for (const end of ['1', '2', '3']) refused(await guess(`2001:db8:1:2::${end}`), 401, 'invalid_api_key');
  refused(await guess('2001:db8:1:2::4'), 429, 'rate_limit_exceeded');
  small.pass(20_000);
  refused(await guess('198.51.100.7'), 401, 'invalid_api_key');
  refused(await guess('198.51.100.7'), 429, 'rate_limit_exceeded');
});

test('over a socket: a broken request gets the envelope, and closing waits for nobody for ever', async () => {
  await using own = await demo(serverUrl());
  const { port } = new URL(await own.app.listen({ port: 0, host: '127.0.0.1' }));
  const ask = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let heard = '';
      const socket = connectTcp(Number(port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (chunk) => void (heard += String(chunk))).on('close', () => resolve(heard)).on('error', reject);
    }); // prettier-ignore
  const broken = [
    'NONSENSE\r\n\r\n',
    'POST /v1/marks HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
  ];
  for (const text of broken) {
    const heard = await ask(text);
    assert.match(heard, /^HTTP\/1\.1 4(00|31) .*\r\nRequest-Id: req_.*"request_id":"req_/s);
  }
  const kept = await fetch(`http://127.0.0.1:${port}/v1/marks`, { headers: { authorization: 'Bearer read' } });
  assert.equal(kept.status, 200);
  await kept.text();
});
