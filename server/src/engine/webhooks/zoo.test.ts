// What receivers do to whoever calls them: each costs one attempt that says why, in bounded time, and nothing else.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { WebhookDelivery } from '@postrider/sdk';
import { systemClock } from '#platform/clock.ts';
import { httpPoster } from '#platform/egress-http.ts';
import { egress } from '#platform/egress.ts';
import { localhostCert, otherHostCert, testCa } from '#testing/certs/certs.ts';
import { type House, house } from '#testing/house.ts';
import { type Script, rawReceiver, receiver } from '#testing/receiver/index.ts';

/** Where nothing will come, the 15 seconds of an exchange are half a second; elsewhere they are 15: a busy machine is no silent receiver. */
const HURRY = 30;
const DEADLINE_MS = 15_000 / HURRY;
/** Far from what a busy machine adds to half a second, and still no 15. */
const IN_TIME_MS = 12_000;

let h: House;
let hasty: House;
let api: Awaited<ReturnType<House['api']>>;
let hastyApi: typeof api;
/** What the hasty one has set its clock to. */
const deadlines = new Set<number>();
before(async () => {
  h = await house({ names: { 'rebind.example.com': ['93.184.216.34', '127.0.0.1'], 'nowhere.example.com': [] } });
  hasty = await house({ hurry: HURRY });
  const { clock } = hasty.world;
  const { after: set } = clock;
  clock.after = (ms, run) => (deadlines.add(ms), set(ms, run));
  [api, hastyApi] = [await h.api(), await hasty.api()];
});
after(() => Promise.all([h.close(), hasty.close()]));

const head = (status: string, ...fields: string[]) => `HTTP/1.1 ${status}\r\n${fields.map((one) => `${one}\r\n`).join('')}\r\n`;
const says = (text: string | Buffer): Script => (socket) => void socket.write(text); // prettier-ignore
const ends = (text: string): Script => (socket) => void socket.end(text); // prettier-ignore
/** Again and again, as fast as it is taken or every `everyMs`. */
const floods = (first: string, again: string | Buffer, everyMs = 0): Script => (socket) => {
  socket.write(first);
  const more = () => {
    if (socket.destroyed) return;
    if (everyMs > 0) setTimeout(() => (socket.write(again), more()), everyMs);
    else if (socket.write(again)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}; // prettier-ignore
const BOMB = gzipSync(Buffer.alloc(20_000_000));
const GZIPPED = Buffer.concat([Buffer.from(head('200 OK', 'content-encoding: gzip', `content-length: ${BOMB.length}`)), BOMB]);
const MANY_HEADERS = Array.from({ length: 100_000 }, (_, i) => `x-${i}: y`);

type Expected = Pick<WebhookDelivery, 'status' | 'response_status' | 'error'>;
const OK = (response_status = 200): Expected => ({ status: 'succeeded', response_status, error: null });
const NO = (error: WebhookDelivery['error'], response_status: number | null = null): Expected => ({ status: 'failed', response_status, error });

const ZOO: [string, Script, Expected][] = [
  ['204', says(head('204 No Content')), OK(204)],
  ['299', says(head('299 Odd', 'content-length: 0')), OK(299)],
  ['300', says(head('300 Choose', 'content-length: 0')), NO('redirect', 300)],
  ['400', says(head('400 No', 'content-length: 0')), NO('status', 400)],
  ['503', says(head('503 Busy', 'content-length: 0')), NO('status', 503)],
  ['199 and then nothing', says(head('199 Odd')), NO('timeout')],
  ['nothing, ever', () => undefined, NO('timeout')],
  ['half a status line', says('HTTP/1.1 20'), NO('timeout')],
  ['a byte of headers at a time', floods('HTTP/1.1 200 OK\r\nx: ', 'y', 20), NO('timeout')],
  ['a byte of body at a time', floods(head('200 OK', 'content-length: 1000000'), 'y', 20), NO('timeout')],
  ['a body that never comes', says(head('200 OK', 'content-length: 10')), NO('timeout')],
  ['announcements without end', floods('', head('103 Early Hints', 'x: y'), 5), NO('timeout')],
  ['announcements without end, fast', floods('', head('103 Early Hints', 'x: y')), NO('timeout')],
  ['a body without end', floods(head('200 OK', 'transfer-encoding: chunked'), `10000\r\n${'x'.repeat(65536)}\r\n`), OK()],
  ['ten gigabytes of a failure', floods(head('500 No', 'content-length: 10000000000'), 'x'.repeat(65536)), NO('status', 500)],
  ['a bomb of gzip', says(GZIPPED), OK()],
  ['a hundred thousand headers', says(head('200 OK', ...MANY_HEADERS)), NO('reset')],
  ['a header of a megabyte', says(head('200 OK', `x: ${'y'.repeat(1_000_000)}`)), NO('reset')],
  ['an upgrade', says(head('101 Switching', 'upgrade: h2c', 'connection: upgrade')), NO('reset')],
  ['no HTTP', ends('220 mail.example.com ESMTP\r\n'), NO('reset')],
  ['HTTP/2 at once', says(Buffer.from('0000000400000000000000', 'hex')), NO('reset')],
  ['an end without a word', (socket) => void socket.end(), NO('reset')],
  ['a reset', (socket) => void socket.resetAndDestroy(), NO('reset')],
  ['a reset within the body', (socket) => void socket.write(head('200 OK', 'content-length: 10'), () => socket.resetAndDestroy()), NO('reset')],
  ['a body shorter than announced', ends(`${head('200 OK', 'content-length: 10')}abc`), NO('reset')],
  ['two lengths', says(`${head('200 OK', 'content-length: 1', 'content-length: 2')}a`), NO('reset')],
]; // prettier-ignore

for (const [name, script, expected] of ZOO) {
  test(`a receiver that gives ${name}: ${expected.error ?? 'a success'}`, async () => {
    await using hostile = await rawReceiver(script);
    const caller = expected.error === 'timeout' ? hastyApi : api;
    const { id } = await caller.webhooks.create({ url: hostile.url, enabled_events: ['*'] });
    const started = performance.now();
    const { status, response_status, error, latency_ms: latency } = await caller.webhooks.test(id);
    const took = performance.now() - started;
    assert.deepEqual({ status, response_status, error }, expected);
    assert.equal(hostile.connections(), 1);
    if (error === 'timeout') assert.ok(deadlines.has(DEADLINE_MS), 'it was the deadline of the whole exchange');
    if (error === 'timeout') assert.ok(latency! >= DEADLINE_MS - 20 && took < IN_TIME_MS, `${latency} ms of ${took}`);
    // What was not asked for is not read: the rest may lie in buffers of the two sockets.
    assert.ok(hostile.written() < 12_000_000, `${hostile.written()} bytes`);
    await caller.webhooks.delete(id);
  });
}

test('a redirect is a failure, and nobody goes there', async () => {
  await using there = await receiver();
  for (const status of [301, 302, 303, 307, 308]) {
    await using hostile = await rawReceiver(says(head(`${status} Moved`, `location: ${there.url}`, 'content-length: 0')));
    const { id } = await api.webhooks.create({ url: hostile.url, enabled_events: ['*'] });
    const done = await api.webhooks.test(id);
    assert.deepEqual([done.status, done.error, done.response_status], ['failed', 'redirect', status]);
    await api.webhooks.delete(id);
  }
  assert.deepEqual(there.received, []);
});

test('an answer that was put behind another one is not taken for the answer to the next request', async () => {
  const answers: Script = (socket: Socket) => {
    const poisoned = head('200 OK', 'content-length: 0') + head('200 OK', 'content-length: 0', 'x-smuggled: yes');
    socket.write(poisoned);
    socket.on('data', () => socket.write(head('500 No', 'content-length: 0')));
  };
  await using hostile = await rawReceiver(answers);
  const { id } = await api.webhooks.create({ url: hostile.url, enabled_events: ['*'] });
  const statuses: unknown[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await api.webhooks.test(id)).response_status);
  assert.equal(hostile.connections(), 3, 'a connection that has said too much is not used again');
  assert.deepEqual(statuses, [200, 200, 200]);
  await api.webhooks.delete(id);
});

test('what cannot be reached: closed port, no TLS, wrong certificate, no such name', async () => {
  const gone = await receiver();
  await gone.close();
  await using plain = await receiver();
  await using wrong = await rawReceiver(ends(head('200 OK')), otherHostCert);
  const targets: [string, WebhookDelivery['error'][]][] = [
    [gone.url, ['refused']],
    [plain.url.replace('http:', 'https:'), ['tls']],
    [wrong.url, ['tls']],
    ['http://nowhere.example.com/', ['dns']],
  ];
  for (const [url, errors] of targets) {
    const { id } = await api.webhooks.create({ url, enabled_events: ['*'] });
    const done = await api.webhooks.test(id);
    assert.ok(errors.includes(done.error) && done.response_status === null, `${url}: ${done.error}`);
    await api.webhooks.delete(id);
  }
});

test('a live endpoint whose name leads to a private address is not connected to, however often its answer changes', async () => {
  const live = await h.api({ mode: 'live' });
  const { id } = await live.webhooks.create({ url: 'https://rebind.example.com/', enabled_events: ['*'] });
  for (let i = 0; i < 2; i++) {
    const done = await live.webhooks.test(id);
    assert.deepEqual([done.status, done.error, done.response_status], ['failed', 'blocked_address', null]);
  }
});

test('connections are kept, judged by their certificate and counted to the deadline of the request that opens them', async () => {
  const clock = systemClock();
  const poster = httpPoster(egress({ allowPrivate: true, extraCa: [testCa] }, clock), clock);
  await using secure = await rawReceiver((socket) => {
    const answer = () => void socket.write(head('200 OK', 'content-length: 0'));
    answer();
    socket.on('data', (part: Buffer) => part.includes('POST') && answer());
  }, localhostCert);
  const post = (deadlineMs = 15_000) => poster.post({ url: secure.url, headers: {}, body: '{}', deadlineMs, maxBytes: 10 });
  for (let i = 0; i < 5; i++) assert.deepEqual(await post(), { status: 200 });
  assert.equal(secure.connections(), 1);
  await poster.close();
});
