import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { SignatureError, webhooks } from '../src/index.ts';

const SECRET = 'whsec_test';
const TIME = 1_790_000_000;
const NOW = new Date(TIME * 1000);
const BODY = '{"id":"evt_1","object":"event","type":"send.sent","data":{"subject":"Grüße"}}';
const sign = (body: string | Uint8Array, secret = SECRET, time: number | string = TIME) =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');
const headerOf = (...signatures: string[]) => ({ 'service-signature': [`t=${TIME}`, ...signatures.map((value) => `v1=${value}`)].join(',') });
const verify = (body: string | Uint8Array, headers: webhooks.WebhookHeaders, more: webhooks.VerifyOptions = {}) =>
  webhooks.verify(body, headers, SECRET, { now: NOW, ...more });

test('a known vector: key, time and body as openssl signs them', async () => {
  // printf '1790000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test
  const event = await verify('{"id":"evt_1"}', headerOf('e32657f3e678d33b41ec084c16ac0e125d25480a06cb3902286dc5942c6fd259'));
  assert.deepEqual(event, { id: 'evt_1' });
});

test('a signed body gives its event, from text or bytes, Headers or a plain object', async () => {
  const headers = headerOf(sign(BODY));
  const event = JSON.parse(BODY);
  assert.deepEqual(await verify(BODY, headers), event);
  assert.deepEqual(await verify(Buffer.from(BODY), headers), event);
  assert.deepEqual(await verify(BODY, new Headers(headers)), event);
  assert.deepEqual(await verify(BODY, { 'Service-Signature': headers['service-signature'] }), event);
  assert.deepEqual(await verify(BODY, { host: 'x', 'service-signature': [headers['service-signature']] }), event);
});

test('the type of an event tells what its data holds', async () => {
  const event = await verify(BODY, headerOf(sign(BODY)));
  if (event.type === 'send.sent') assert.equal(event.data.subject, 'Grüße');
  else if (event.type === 'webhook.verification') assert.fail(event.data.challenge);
  else assert.fail(event.type);
});

test('after a rotation one of several signatures is enough', async () => {
  const other = sign(BODY, 'whsec_other');
  assert.equal((await verify(BODY, headerOf(other, sign(BODY)))).id, 'evt_1');
  assert.equal((await verify(BODY, headerOf('not hex', sign(BODY), other))).id, 'evt_1');
  await assert.rejects(verify(BODY, headerOf(other, other)), { code: 'signature_mismatch' });
});

test('anything changed is refused', async () => {
  const good = sign(BODY);
  const refused: [string, string | Uint8Array, webhooks.WebhookHeaders][] = [
    ['signature_mismatch', `${BODY} `, headerOf(good)],
    ['signature_mismatch', BODY, headerOf(good.replace(/^./, (digit) => (digit === '0' ? '1' : '0')))],
    ['signature_mismatch', BODY, { 'service-signature': `t=${TIME + 1},v1=${good}` }],
    ['signature_mismatch', BODY, headerOf(sign(BODY, SECRET, `0${TIME}`))],
    ['header_missing', BODY, {}],
    ['header_missing', BODY, new Headers()],
    ['header_malformed', BODY, { 'service-signature': good }],
    ['header_malformed', BODY, { 'service-signature': `v1=${good}` }],
    ['header_malformed', BODY, { 'service-signature': `t=${TIME}` }],
    ['header_malformed', BODY, { 'service-signature': `t=${TIME},t=${TIME},v1=${good}` }],
    ['header_malformed', BODY, { 'service-signature': `t=1e9,v1=${good}` }],
    ['header_malformed', BODY, headerOf(good.slice(0, 62))],
    ['payload_unreadable', '{', headerOf(sign('{'))],
  ];
  for (const [code, body, headers] of refused) {
    await assert.rejects(verify(body, headers), (error) => error instanceof SignatureError && error.code === code, code);
  }
});

test('the time may be off by the tolerance, either way', async () => {
  const headers = headerOf(sign(BODY));
  const at = (seconds: number, tolerance?: number) => verify(BODY, headers, { now: new Date((TIME + seconds) * 1000), tolerance });
  for (const seconds of [-300, 300]) assert.equal((await at(seconds)).id, 'evt_1');
  for (const seconds of [-301, 301]) await assert.rejects(at(seconds), { code: 'timestamp_outside_tolerance' });
  await assert.rejects(at(11, 10), { code: 'timestamp_outside_tolerance' });
});

test('a missing secret and a parsed body are mistakes of the caller', async () => {
  await assert.rejects(webhooks.verify(BODY, headerOf(sign(BODY)), ''), TypeError);
  await assert.rejects(webhooks.verify(JSON.parse(BODY) as string, headerOf(sign(BODY)), SECRET), TypeError);
});
