// What may come over a socket, from those who mean well and those who do not. Whatever it is, the answer comes soon, has the envelope, and
// nothing is written.
import assert from 'node:assert/strict';
import { type Socket, connect as connectTcp } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { serverUrl } from '#testing/database.ts';
import { type Demo, demo } from './demo.ts';

let d: Demo;
let port: number;
/** A client that does not say all. It is let go while the others are at work, at a server of its own, whose haste would cut busy ones as well. */
let slow: Promise<string>;
let hasty: Demo;
before(async () => {
  d = await demo(serverUrl());
  const url = await d.app.listen({ port: 0, host: '127.0.0.1' });
  port = Number(new URL(url).port);
});
after(async () => d[Symbol.asyncDispose]());

type Part = string | Buffer;

/** Write the parts, and hear everything until the other side closes, or until `enough`. */
function exchange(parts: Part[], { enough, to = port, end = false }: { enough?: (heard: string) => boolean; to?: number; end?: boolean } = {}) {
  return new Promise<string>((resolve, reject) => {
    let heard = '';
    const done = (socket: Socket) => (socket.destroy(), resolve(heard));
    const socket = connectTcp(to, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
      if (end) socket.end();
    });
    socket.on('data', (chunk) => {
      heard += String(chunk);
      if (enough?.(heard)) done(socket);
    });
    // A server that refuses a long body may close before it has all come.
    socket.on('close', () => resolve(heard)).on('error', (error: NodeJS.ErrnoException) => (heard ? done(socket) : reject(error)));
  });
}

type Asked = { method?: string; path?: string; auth?: string | null; type?: string | null; body?: Part; headers?: string[]; to?: number };

/** One whole request on a connection of its own. */
async function ask({ method = 'POST', path = '/v1/marks', auth = 'Bearer admin', type = 'application/json', body, headers = [], to }: Asked) {
  const content = body === undefined ? undefined : Buffer.from(body);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: a',
    'Connection: close',
    ...(auth === null ? [] : [`Authorization: ${auth}`]),
    ...(type === null || content === undefined ? [] : [`Content-Type: ${type}`]),
    ...(content === undefined || headers.some((one) => one.startsWith('Content-Length')) ? [] : [`Content-Length: ${content.length}`]),
    ...headers,
  ];
  return read(await exchange([`${head.join('\r\n')}\r\n\r\n`, ...(content === undefined ? [] : [content])], to === undefined ? {} : { to }));
}

function read(heard: string) {
  const [head = '', ...rest] = heard.split('\r\n\r\n');
  const text = rest.join('\r\n\r\n');
  const { error } = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: { code: string; param?: string; request_id: string } };
  return { status: Number(head.slice(9, 12)), head, text, code: error?.code, param: error?.param, requestId: error?.request_id };
}

async function refused(asked: Asked, status: number, code: string, param?: string) {
  const before = performance.now();
  const answer = await ask(asked);
  assert.deepEqual([answer.status, answer.code, answer.param], [status, code, param], `${JSON.stringify(asked).slice(0, 200)} ${answer.text}`);
  assert.match(answer.head, new RegExp(`request-id: ${answer.requestId}`, 'i'));
  assert.ok(performance.now() - before < 30_000);
}

const nothingWritten = async (work: () => Promise<void>) => {
  const before = await d.marks();
  await work();
  assert.deepEqual(await d.marks(), before);
};
const WORD = '{"word":"a"}';

test('a request that never ends is ended (begins here, heard at the end)', async () => {
  hasty = await demo(serverUrl());
  const { server } = hasty.app;
  const to = Number(new URL(await hasty.app.listen({ port: 0, host: '127.0.0.1' })).port);
  assert.deepEqual([server.headersTimeout, server.requestTimeout, server.keepAliveTimeout], [10_000, 60_000, 65_000]);
  Object.assign(server, { headersTimeout: 100, requestTimeout: 200 });
  const head = 'POST /v1/marks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\n';
  slow = exchange([`${head}Content-Length: 12\r\n\r\n{`], { to });
});

test('T1 to T8: no credential, or none of ours', () =>
  nothingWritten(async () => {
    const auths = [null, 'Basic YTpi', 'Bearer', 'Bearer ', 'Bearer \t', 'Bearer\tadmin', 'Bearer admin admin', 'Bearer admi', 'Bearer adminn'];
    for (const auth of [...auths, `Bearer ${'a'.repeat(10_000)}`, 'Bearer svc_live_admin'])
      await refused({ auth, body: WORD }, 401, 'invalid_api_key');
    await refused({ auth: `Bearer ${'a'.repeat(20_000)}`, body: WORD }, 431, 'invalid_parameter');
    await refused({ auth: null, path: '/v1/marks?api_key=admin&key=admin', body: WORD }, 401, 'invalid_api_key');
    await refused({ headers: ['Authorization: Bearer read'], body: WORD, auth: 'Bearer wrong' }, 401, 'invalid_api_key');
  }));

test('T9 to T14, T17 to T20, T23: bodies that are no object, no text, or no JSON', () =>
  nothingWritten(async () => {
    const json: [Part, number, string, string?][] = [
      ['{"word":', 400, 'invalid_json'],
      [`${WORD}{}`, 400, 'invalid_json'],
      ['[]', 422, 'validation_failed'],
      ['"x"', 422, 'validation_failed'],
      ['null', 422, 'validation_failed'],
      [Buffer.from(`\uFEFF${WORD}`, 'utf16le'), 400, 'invalid_json'],
      [Buffer.from([0x7b, 0xff, 0x7d]), 400, 'invalid_json'],
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, 'invalid_json'],
      [`{"word":"a","metadata":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}`, 400, 'invalid_json'],
      ['{"word":"a","count":1e400}', 422, 'validation_failed', 'count'],
      ['{"word":"a","count":1.5}', 422, 'validation_failed', 'count'],
      ['{"word":"a\\u0000"}', 422, 'validation_failed', 'word'],
      ['{"word":"\\ud800"}', 422, 'validation_failed', 'word'],
      ['{"__proto__":{"word":"a"}}', 422, 'unknown_parameter', '__proto__'],
      ['{"word":"a","constructor":{}}', 422, 'unknown_parameter', 'constructor'],
      ['{"word":"a","wrod":"b"}', 422, 'unknown_parameter', 'wrod'],
    ];
    for (const [body, status, code, param] of json) await refused({ body }, status, code, param);
    for (const type of ['text/plain', 'application/xml', null, 'application/json; charset=utf-16', 'application/jsonx'])
      await refused({ body: WORD, type }, 415, 'unsupported_media_type');
    const bomb = gzipSync(`{"word":"${'a'.repeat(10_000_000)}"}`);
    await refused({ body: bomb, headers: ['Content-Encoding: gzip'] }, 400, 'invalid_json');
  }));

test('T13, T14, T17: a byte order mark is passed over, of two equal names the last counts, -0 is a number', async () => {
  const answer = await ask({ body: '\uFEFF{"word":"first","word":"last","count":-0}' });
  assert.deepEqual([answer.status, JSON.parse(answer.text).word], [201, 'last']);
});

test('T16: a body that is too long is refused by its length, before it has come', () =>
  nothingWritten(async () => {
    const length = 50 * 1024 * 1024;
    await refused({ body: '{', headers: [`Content-Length: ${length}`] }, 413, 'payload_too_large');
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const endless = await exchange([
      'POST /v1/marks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      ...Array.from({ length: 40 }, () => chunk),
    ], { enough: (heard) => heard.includes('"doc_url"') }); // prettier-ignore
    assert.match(endless, /^HTTP\/1\.1 413 .*payload_too_large/s);
  }));

test('T21: lengths that do not agree are refused, and what follows is no request of its own', () =>
  nothingWritten(async () => {
    const head = 'POST /v1/marks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\n';
    const smuggled =
      'POST /v1/marks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"word":"b"}';
    const broken = [
      `${head}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      `${head}Content-Length: 12\r\nContent-Length: 13\r\n\r\n${WORD}`,
      `${head}Content-Length: -1\r\n\r\n${WORD}`,
      `${head}Content-Length: 0x0c\r\n\r\n${WORD}`,
      `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
      `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `${head}Bad Header: 1\r\n\r\n`,
      `${head}X: a\0b\r\n\r\n`,
      'GET / HTTP/9.9\r\nHost: a\r\n\r\n',
      'NONSENSE\r\n\r\n',
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]),
    ];
    for (const text of broken) {
      const answer = read(await exchange([text]));
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_parameter'], String(text).slice(0, 200));
    }
    // Shorter than it says, and the caller goes away.
    await exchange([`${head}Content-Length: 100\r\n\r\n${WORD}`], { end: true });
    assert.equal((await ask({ method: 'GET', path: '/livez' })).status, 200);
  }));

test('T24, T27: other methods are told so and write nothing', () =>
  nothingWritten(async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY'])
      await refused({ method, path: '/v1/marks', body: WORD }, 405, 'method_not_allowed');
    assert.equal((await ask({ method: 'BREW', body: WORD })).status, 400);
    const head = await ask({ method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
  }));

test('T25: paths that only look like ours are not found', () =>
  nothingWritten(async () => {
    const dots = ['/v1/%2e%2e/v1/marks', '/v1/../v1/marks', '//v1/marks', '/v1/marks/', '/v1//marks'];
    for (const path of [...dots, '/v1/marks%00', '/v1/marks%2f', '/V1/marks', '/%76%31/marks%'])
      await refused({ path, body: WORD }, 404, 'resource_missing');
    assert.equal((await ask({ path: `/v1/marks?x=${'a'.repeat(20_000)}`, body: WORD })).status, 431);
  }));

test('T28: Expect: 100-continue is answered before the body is sent; no other expectation is met', async () => {
  const head = 'POST /v1/marks HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\n';
  const heard = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(`${head}Content-Length: 18\r\nExpect: 100-continue\r\n\r\n`));
    socket.on('data', (chunk) => {
      if (text === '' && String(chunk).startsWith('HTTP/1.1 100')) socket.write('{"word":"expected"}'.slice(0, 18));
      text += String(chunk);
    });
    socket.on('close', () => resolve(text)).on('error', reject);
  });
  assert.match(heard, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 .*invalid_json/s, 'the body was heard: it lacks its last byte');
  assert.match(await exchange([`${head}Content-Length: 12\r\nExpect: tea\r\n\r\n${WORD}`]), /^HTTP\/1\.1 417 /);
});

test('T29, T30: beyond the burst 429 with Retry-After, whatever address the caller claims; nothing of those is written', async () => {
  await using small = await demo(serverUrl(), { settings: { RATE_LIMIT_BURST: '20', RATE_LIMIT_PER_SECOND: '1' } });
  const to = Number(new URL(await small.app.listen({ port: 0, host: '127.0.0.1' })).port);
  const spoofed = (nth: number) => [`X-Forwarded-For: 10.0.0.${nth}`, `Forwarded: for=10.0.0.${nth}`, `X-Real-IP: 10.0.0.${nth}`];
  const answers = await Promise.all(Array.from({ length: 100 }, (_, nth) => ask({ to, body: `{"word":"w${nth}"}`, headers: spoofed(nth) })));
  const late = answers.filter((one) => one.status === 429);
  assert.deepEqual([answers.filter((one) => one.status === 201).length, late.length], [20, 80]);
  for (const { head, code } of late) {
    assert.equal(code, 'rate_limit_exceeded');
    assert.match(head, /retry-after: [1-9]\d*/i);
    assert.match(head, /ratelimit-limit: 20\r\nratelimit-remaining: 0\r\nratelimit-reset: \d+/i);
  }
  assert.equal((await small.marks()).length, 20);
  for (const one of [
    await ask({ to, method: 'GET', auth: 'Bearer read_2', path: '/v1/marks?limit=0' }),
    await ask({ to, auth: 'Bearer read_2', body: WORD }),
  ]) {
    assert.ok([400, 403].includes(one.status));
    assert.match(one.head, /ratelimit-remaining: 1[89]/i, 'a "no" has the level too');
  }
});

test('many requests on one connection are answered in their order', async () => {
  const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\n\r\n`;
  const heard = await exchange([one('/livez') + one('/v1/marks?limit=0') + one('/health').replace('Host: a', 'Host: a\r\nConnection: close')]);
  assert.deepEqual([...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status), ['200', '400', '200']); // prettier-ignore
});

test('T22: the slow one has been ended with 408, and nothing of it is kept', async () => {
  const answer = read(await slow);
  assert.deepEqual([answer.status, answer.code], [408, 'invalid_parameter']);
  assert.deepEqual(await hasty.marks(), []);
  await hasty[Symbol.asyncDispose]();
});
