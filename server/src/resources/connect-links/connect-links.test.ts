import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import { redirectUrl } from './rules.ts';

const HOUR = 3_600_000;
const ORIGIN = 'https://app.house.test';

let h: House;
before(async () => {
  h = await house({
    env: {
      APP_ORIGIN: ORIGIN,
      GOOGLE_CLIENT_ID: 'client',
      GOOGLE_CLIENT_SECRET: 'canary-client-secret',
      MAILPROVIDER_CLIENT_ID: 'client',
      MAILPROVIDER_CLIENT_SECRET: 'canary-client-secret',
      MAILPROVIDER_AUTHORIZE_URL: 'https://provider.test/authorize',
    },
  });
});
after(() => h.close());

const links = () => rowsOf<Record<string, string>>(h.db, 'select * from connect_links order by created_at', []);
const opened = async (url: string) => {
  const answer = await h.app.inject({ method: 'GET', url: url.replace('http://house.test', '') });
  return { status: answer.statusCode, html: answer.body, headers: answer.headers };
};

test('a link is good for an hour; neither its token nor its PKCE secret is kept in clear', async () => {
  const api = await h.api({ mode: 'live', scope: 'write' });
  const make = () => api.inboxes.createConnectLink('google', { redirect_url: `${ORIGIN}/dashboard/inboxes?from=link` }, { idempotencyKey: 'one' });
  const link = await make();
  assert.equal(link.lastResponse.status, 201);
  assert.match(link.url, /^http:\/\/house\.test\/connect\/wsp_[0-9a-z]{26}\/[\w-]{43}$/);
  assert.equal(Date.parse(link.expires_at) - h.now().getTime(), HOUR);
  const [row] = await links();
  assert.deepEqual([row!['provider'], row!['redirect_url']], ['google', `${ORIGIN}/dashboard/inboxes?from=link`]);
  const token = link.url.split('/').at(-1)!;
  for (const table of ['connect_links', 'idempotency_keys', 'events']) {
    const rows = await rowsOf<{ text: string }>(h.db, `select t::text as text from ${table} t`, []);
    assert.ok(!rows.some(({ text }) => text.includes(token)), table);
  }
  assert.match(row!['verifier_sealed']!, /^v1\./);
  await refused(make(), 409, 'idempotency_replay_unavailable');
  const page = await opened(link.url);
  assert.deepEqual([page.status, /Google/.test(page.html)], [501, true]);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
  assert.equal(page.headers['referrer-policy'], 'no-referrer');
  // A link that does not work looks the same, whatever is wrong with it.
  const other = link.url.replace(/wsp_.{26}/, 'wsp_01jd0000000000000000000000');
  const broken = [link.url.slice(0, -1), `${link.url.slice(0, -1)}x`, other, link.url.replace('wsp_', 'inb_')];
  const answers = [];
  for (const url of broken) answers.push(await opened(url));
  h.tick(HOUR);
  answers.push(await opened(link.url));
  assert.deepEqual(new Set(answers.map((one) => `${one.status} ${one.html}`)).size, 1);
  assert.equal(answers[0]!.status, 404);
  h.tick(25 * HOUR);
  await h.housekeeping.step();
  assert.deepEqual(await links(), []);
});

test('what is not configured does not exist, nor does what is no provider; test keys and readers are refused', async () => {
  const api = await h.api({ mode: 'live' });
  for (const provider of ['microsoft', 'mailprovider', 'smtp', 'sandbox', 'yahoo']) {
    const param = provider.startsWith('m') ? 'provider' : undefined;
    const error = await refused(api.inboxes.createConnectLink(provider as 'google'), 404, 'resource_missing', param);
    assert.doesNotMatch(error.message, /canary/);
  }
  await refused((await h.api({ mode: 'test' })).inboxes.createConnectLink('google'), 403, 'mode_mismatch');
  await refused((await h.api({ mode: 'live', scope: 'read' })).inboxes.createConnectLink('google'), 403, 'insufficient_scope');
  await refused(api.inboxes.createConnectLink('google', { redirect_url: 5 } as object), 422, 'validation_failed', 'redirect_url');
  await refused(api.inboxes.createConnectLink('google', { redirect: 'x' } as object), 422, 'unknown_parameter', 'redirect');
  assert.deepEqual(await links(), []);
});

test('only an https address on the very origin of the dashboard is gone to in the end', async () => {
  const fine = [`${ORIGIN}/`, `${ORIGIN}/dashboard/inboxes?a=b#c`, 'HTTPS://APP.HOUSE.TEST/x', 'https://app.house.test:443/x'];
  for (const url of fine) assert.ok(redirectUrl(url, ORIGIN).startsWith(`${ORIGIN}/`), url);
  const not = [
    'http://app.house.test/', '//app.house.test/', '/dashboard', 'https:app.house.test/', 'https:/app.house.test/', 'https:\\\\app.house.test/',
    'https://app.house.test\\@evil.test/', 'https://evil.test\\@app.house.test/', 'https://user@app.house.test/', 'https://user:pw@app.house.test/',
    'https://@app.house.test/', 'https://evil.app.house.test/', 'https://app.house.test.evil.test/', 'https://app.house.test:8443/',
    'https://app.house.test/\r\nSet-Cookie: a=b', 'https://app.house.test/a b', '\thttps://app.house.test/', 'https://app.house.test/\0',
    `https://app.house.test/${'x'.repeat(10_000)}`, 'javascript:alert(1)', 'data:text/html,x', 'https://', 'https://[', 'https://аpp.house.test/', '',
  ]; // prettier-ignore
  for (const url of not) assert.equal(redirectUrl(url, ORIGIN), '/dashboard/inboxes', url);
  assert.equal(redirectUrl(undefined, ORIGIN), '/dashboard/inboxes');
  const api = await h.api({ mode: 'live' });
  await api.inboxes.createConnectLink('google', { redirect_url: 'https://evil.test/' });
  assert.equal((await links())[0]!['redirect_url'], '/dashboard/inboxes');
});
