import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  InvalidRequestError,
  PermissionError,
  Postrider,
  PostriderError,
  ProviderError,
  RateLimitError,
} from '../src/index.ts';
import { retryDelayMs } from '../src/retry.ts';
import { fakeClient, json, refusal } from './fake-fetch.ts';

const contact = { id: 'con_1', object: 'contact', email: 'ann@example.com' };

test('a call carries key, JSON and query, and its answer stays in reach', async () => {
  const { client, calls } = fakeClient(() => json(contact, 201, { 'request-id': 'req_1' }));
  const made = await client.contacts.create({ email: 'ann@example.com' });
  const [call] = calls;
  assert.equal(call?.url.href, 'https://postrider.test/v1/contacts');
  assert.equal(call?.method, 'POST');
  assert.equal(call?.body, '{"email":"ann@example.com"}');
  assert.equal(call?.headers['authorization'], 'Bearer svc_test_key');
  assert.equal(call?.headers['content-type'], 'application/json');
  assert.deepEqual(made, contact);
  assert.equal(made.lastResponse.status, 201);
  assert.equal(made.lastResponse.requestId, 'req_1');
  assert.ok(!JSON.stringify(made).includes('lastResponse'));

  await client.messages.list({ direction: 'inbound', inbox_id: 'inb_1', limit: 5, starting_after: undefined });
  assert.equal(calls[1]?.url.search, '?direction=inbound&inbox_id=inb_1&limit=5');
  assert.equal(calls[1]?.headers['idempotency-key'], undefined);
});

test('every mutation has an idempotency key, the same through all its attempts', async () => {
  const { client, calls } = fakeClient((_, index) => (index % 3 < 2 ? refusal(503, 'api_error', 'service_unavailable') : json(contact)));
  const key = (index: number) => calls[index]?.headers['idempotency-key'];
  await client.contacts.create({ email: 'a@example.com' });
  await client.contacts.create({ email: 'a@example.com' });
  assert.equal(calls.length, 6);
  assert.match(key(0) ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual([key(1), key(2)], [key(0), key(0)]);
  assert.notEqual(key(3), key(0));
  await client.contacts.update('con_1', {}, { idempotencyKey: 'mine' });
  assert.deepEqual([key(6), key(7), key(8)], ['mine', 'mine', 'mine']);
});

test('the client can be given its own maker of keys', async () => {
  let count = 0;
  const { client, calls } = fakeClient(() => json(contact), { idempotencyKey: () => `key-${++count}` });
  await client.contacts.delete('con_1');
  await client.campaigns.pause('cmp_1');
  assert.deepEqual(
    calls.map((call) => call.headers['idempotency-key']),
    ['key-1', 'key-2'],
  );
});

test('what may pass is tried again, twice by default, and then reported', async () => {
  const passing = [
    () => refusal(409, 'idempotency_error', 'idempotency_in_progress'),
    () => refusal(429, 'rate_limit_error', 'rate_limit_exceeded'),
    () => refusal(502, 'provider_error', 'body_unavailable'),
    () => refusal(500, 'api_error', 'internal_error'),
    () => refusal(503, 'api_error', 'service_unavailable'),
    () => new Response('<h1>Gateway Timeout</h1>', { status: 504 }),
    () => Promise.reject(new TypeError('fetch failed')),
  ];
  for (const answer of passing) {
    const { client, calls, waits } = fakeClient(answer);
    await assert.rejects(client.events.retrieve('evt_1'), PostriderError);
    assert.equal(calls.length, 3);
    assert.equal(waits.length, 2);
    const once = fakeClient(answer);
    await assert.rejects(once.client.events.retrieve('evt_1', { maxRetries: 0 }), PostriderError);
    assert.equal(once.calls.length, 1);
  }
});

test('what would fail again is not tried again', async () => {
  const lasting = [
    () => refusal(400, 'invalid_request_error', 'confirmation_required'),
    () => refusal(409, 'idempotency_error', 'idempotency_key_reused'),
    () => refusal(409, 'invalid_request_error', 'campaign_running'),
  ];
  for (const answer of lasting) {
    const { client, calls } = fakeClient(answer);
    await assert.rejects(client.campaigns.start('cmp_1'), PostriderError);
    assert.equal(calls.length, 1);
  }
});

test('Retry-After is honoured, and ends the call when it asks for more than a minute', async () => {
  const patient = fakeClient((_, index) =>
    index === 0 ? refusal(429, 'rate_limit_error', 'rate_limit_exceeded', {}, { 'retry-after': '7' }) : json(contact),
  );
  await patient.client.contacts.retrieve('con_1');
  const [wait = 0] = patient.waits;
  assert.ok(wait >= 7000 && wait <= 8750, `${wait}`);

  const sentAway = fakeClient(() => refusal(503, 'api_error', 'service_unavailable', {}, { 'retry-after': '3600' }));
  await assert.rejects(sentAway.client.contacts.retrieve('con_1'), { status: 503 });
  assert.equal(sentAway.calls.length, 1);
});

test('waits grow, are spread, and read Retry-After as seconds or date', () => {
  const none = new Headers();
  assert.deepEqual(
    [0, 1, 2, 9].map((attempt) => retryDelayMs(attempt, none, () => 1)),
    [500, 1000, 2000, 8000],
  );
  assert.deepEqual(
    [0, 1, 2, 9].map((attempt) => retryDelayMs(attempt, none, () => 0)),
    [250, 500, 1000, 4000],
  );
  const after = (value: string) => retryDelayMs(0, new Headers({ 'retry-after': value }), () => 0);
  assert.equal(after('60'), 60_000);
  assert.equal(after('0'), 0);
  assert.equal(after('soon'), 250);
  const untilDate = after(new Date(Date.now() + 20_000).toUTCString());
  assert.ok(untilDate > 15_000 && untilDate <= 20_000, `${untilDate}`);
  assert.equal(after('Thu, 01 Jan 1970 00:00:00 GMT'), 0);
});

test('each family of errors has its class, and each error its facts', async () => {
  const classes = {
    invalid_request_error: InvalidRequestError,
    authentication_error: AuthenticationError,
    permission_error: PermissionError,
    idempotency_error: IdempotencyError,
    rate_limit_error: RateLimitError,
    provider_error: ProviderError,
    api_error: ApiError,
  };
  for (const [type, Class] of Object.entries(classes)) {
    const facts = { param: 'smtp.port', request_id: 'req_9', doc_url: 'https://postrider.test/docs/x', resource_id: 'key_1', problems: [{ a: 1 }] };
    const { client } = fakeClient(() => refusal(418, type, 'some_code', facts, { 'x-more': 'yes' }));
    const error = await client.workspace.retrieve().then(
      () => assert.fail(),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Class && error instanceof PostriderError);
    assert.equal(error.name, Class.name);
    const { code, message, param, status, requestId, docUrl, resourceId, problems } = error;
    assert.deepEqual(
      { type: error.type, code, message, param, status, requestId, docUrl, resourceId, problems },
      {
        type,
        code: 'some_code',
        message: 'It is some_code.',
        param: 'smtp.port',
        status: 418,
        requestId: 'req_9',
        docUrl: 'https://postrider.test/docs/x',
        resourceId: 'key_1',
        problems: [{ a: 1 }],
      },
    );
    assert.equal(error.headers.get('x-more'), 'yes');
  }
});

test('an answer that is not the service’s is judged by its status', async () => {
  const page = (status: number) => () => new Response('<html>', { status, headers: { 'request-id': 'req_2' } });
  const expected = [
    [401, AuthenticationError],
    [403, PermissionError],
    [404, InvalidRequestError],
    [429, RateLimitError],
    [500, ApiError],
    [302, ApiError],
    [200, ApiError],
  ] as const;
  for (const [status, Class] of expected) {
    const { client } = fakeClient(page(status), { maxRetries: 0 });
    const error = await client.workspace.retrieve().then(
      () => assert.fail(),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Class, `${status}`);
    assert.equal(error.code, 'unexpected_response');
    assert.equal(error.requestId, 'req_2');
  }
});

test('a connection that fails is a ConnectionError with its cause', async () => {
  const cause = new TypeError('fetch failed');
  const { client } = fakeClient(() => Promise.reject(cause), { maxRetries: 1 });
  await assert.rejects(client.contacts.list({ email: 'ann@example.com' }), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.deepEqual([error.code, error.status, error.cause], ['connection_failed', 0, cause]);
    assert.equal(error.message, 'GET https://postrider.test/v1/contacts: no answer.');
    return true;
  });
});

/** A fetch that answers never, and fails as the real one does when it is aborted. */
const never = ({ signal }: { signal: AbortSignal }) =>
  new Promise<Response>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('an attempt that takes too long is a timeout, and is tried again', async (t) => {
  // Time passes here when we say so: else a machine that stands still would make the second attempt late as well.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { client, calls } = fakeClient((call, index) => (index === 0 ? never(call) : json(contact)), { timeoutMs: 10 });
  const asked = client.contacts.retrieve('con_1');
  while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(9);
  assert.equal(calls[0]?.signal.aborted, false);
  t.mock.timers.tick(1);
  assert.equal((await asked).id, 'con_1');
  assert.equal(calls.length, 2);
  t.mock.timers.reset();
  const silent = fakeClient(never);
  await assert.rejects(silent.client.contacts.retrieve('con_1', { timeoutMs: 10, maxRetries: 0 }), { name: 'ConnectionError', code: 'timeout' });
});

test('an abort ends the call with its own reason: before, during and between attempts', { timeout: 40_000 }, async () => {
  const reason = new Error('changed my mind');
  const before = fakeClient(() => json(contact));
  await assert.rejects(before.client.contacts.retrieve('con_1', { signal: AbortSignal.abort(reason) }), reason);
  assert.equal(before.calls.length, 0);

  const during = new AbortController();
  const hanging = fakeClient(never);
  const call = hanging.client.contacts.retrieve('con_1', { signal: during.signal, maxRetries: 0 });
  setImmediate(() => during.abort(reason));
  await assert.rejects(call, reason);
  assert.equal(hanging.calls.length, 1);

  const between = new AbortController();
  const busy = fakeClient(() => refusal(429, 'rate_limit_error', 'rate_limit_exceeded', {}, { 'retry-after': '50' }), { sleep: undefined });
  setTimeout(() => between.abort(reason), 20);
  await assert.rejects(busy.client.contacts.retrieve('con_1', { signal: between.signal }), reason);
  assert.equal(busy.calls.length, 1);
});

test('ids are encoded, and what would address another route is refused', async () => {
  const { client, calls } = fakeClient(() => json(contact));
  await client.contacts.retrieve('con_a/b?c');
  assert.equal(calls[0]?.url.pathname, '/v1/contacts/con_a%2Fb%3Fc');
  for (const id of ['', '.', '..']) assert.throws(() => client.contacts.delete(id), TypeError);
  assert.equal(calls.length, 1);
});

test('the key comes from the options, else from the environment, and is never printed', async () => {
  const seen = async (apiKey?: string) => {
    const { client, calls } = fakeClient(() => json(contact), { apiKey });
    await client.workspace.retrieve();
    return calls[0]?.headers['authorization'];
  };
  const kept = process.env['POSTRIDER_API_KEY'];
  try {
    process.env['POSTRIDER_API_KEY'] = 'svc_live_env\n';
    assert.equal(await seen(), 'Bearer svc_live_env');
    assert.equal(await seen('svc_test_mine'), 'Bearer svc_test_mine');
    delete process.env['POSTRIDER_API_KEY'];
    assert.equal(await seen(), undefined);
  } finally {
    if (kept !== undefined) process.env['POSTRIDER_API_KEY'] = kept;
  }
  assert.throws(
    () => new Postrider({ apiKey: 'svc_test_a\nb' }),
    (error) => error instanceof TypeError && !error.message.includes('svc_test'),
  );
  assert.throws(() => new Postrider({ baseUrl: 'ftp://postrider.test' }), TypeError);
});
