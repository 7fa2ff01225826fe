import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimitError } from '@postrider/sdk';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { openPostOffice } from '#testing/post-office/index.ts';
import { refused } from '#testing/refused.ts';

const ANN = 'ann@sender.test';
const MINUTE = 60_000;

/** A body whose server refuses at once. */
const nowhere = { host: 'no-such-host.invalid', port: 587, security: 'starttls' as const, password: 'x' };
const body = (email: string) => ({ email_address: email, smtp: nowhere, imap: { ...nowhere, port: 993, security: 'ssl' as const } });
const tried = async (h: House) =>
  (await rowsOf<{ attempts: number }>(h.db, 'select attempts from inbox_connect_attempts order by 1', [])).map((one) => one.attempts);

test('fifty connections a minute and workspace, however many come at once; then 429 with the wait, and no server is called', async () => {
  await using h = await house();
  const api = await h.api({ mode: 'live' });
  let dialled = 0;
  h.world.mail.connectSmtp = async () => {
    dialled++;
    return { kind: 'broken', phase: 'connect', fault: 'refused', detail: 'No.' };
  };
  h.tick(20_000);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => api.inboxes.connectSmtp(body(`a${i}@x.test`)).catch((error: unknown) => error)),
  );
  const limited = answers.filter((one) => one instanceof RateLimitError);
  assert.deepEqual([limited.length, dialled], [10, 50]);
  const headers = { authorization: `Bearer ${await h.secretFor({ mode: 'live' })}`, 'content-type': 'application/json' };
  const raw = await h.app.inject({ method: 'POST', url: '/v1/inboxes/smtp', headers, payload: JSON.stringify(body('b@x.test')) });
  assert.deepEqual([raw.statusCode, raw.headers['retry-after']], [429, '40']);
  // Another workspace, and another minute, are free of it.
  await refused((await h.api({ mode: 'live', workspace: 'two' })).inboxes.connectSmtp(body('a@x.test')), 422, 'inbox_connection_failed', 'smtp');
  await refused(api.inboxes.connectSmtp(body('a@x.test')), 429, 'rate_limit_exceeded');
  h.tick(40_000);
  await refused(api.inboxes.connectSmtp(body('a@x.test')), 422, 'inbox_connection_failed', 'smtp');
  assert.deepEqual(await tried(h), [1, 1]);
  await refused((await h.api({ mode: 'test' })).inboxes.connectSmtp(body('a@x.test')), 403, 'mode_mismatch');
  assert.deepEqual(await tried(h), [1, 1]);
});

test('a server that answers to nothing holds the call for a bounded time, and what it says later is hung up on', async () => {
  await using h = await house();
  const api = await h.api({ mode: 'live' });
  const { clock } = h.world;
  const after = clock.after;
  const due: (() => void)[] = [];
  clock.after = (ms, run) => (ms === 15_000 ? (due.push(run), () => undefined) : after(ms, run));
  const silent = Promise.withResolvers<never>();
  let hungUp = 0;
  h.world.mail.connectSmtp = () => silent.promise;
  const refusal = refused(api.inboxes.connectSmtp(body('a@x.test')), 422, 'inbox_connection_failed', 'smtp');
  while (due.length === 0) await new Promise((resolve) => setImmediate(resolve));
  due[0]!();
  await refusal;
  silent.resolve({ usable: true, sizeLimit: null, offer: async () => undefined, close: async () => void hungUp++ } as never);
  await silent.promise;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hungUp, 1);
});

test('warm-up is for OAuth inboxes of an active paid plan', async () => {
  await using h = await house();
  const api = await h.api({ mode: 'live' });
  await using office = await opened(h);
  const { id } = await api.inboxes.connectSmtp(office.connection(ANN));
  await refused(api.inboxes.update(id, { warmup_enabled: true }), 422, 'validation_failed', 'warmup_enabled');
  assert.equal((await api.inboxes.update(id, { warmup_enabled: false })).warmup_enabled, false);
  await rowsOf(h.db, `update inboxes set provider = 'google'`, []);
  for (const [plan, status] of [
    [null, null],
    ['pro', 'trialing'],
    ['pro', 'past_due'],
  ] as const) {
    await rowsOf(h.db, 'update workspaces set plan = $1, plan_status = $2', [plan, status]);
    await refused(api.inboxes.update(id, { warmup_enabled: true }), 403, 'not_entitled');
  }
  await rowsOf(h.db, `update workspaces set plan = 'pro', plan_status = 'active'`, []);
  assert.equal((await api.inboxes.update(id, { warmup_enabled: true })).warmup_enabled, true);
  assert.equal((await api.inboxes.update(id, { warmup_enabled: false })).warmup_enabled, false);
});

async function opened(h: House) {
  const office = await openPostOffice({ senders: [ANN], now: h.now });
  return { ...office, [Symbol.asyncDispose]: () => office.close() };
}

test('a zone that is flipped all day long buys no second allowance', async () => {
  await using h = await house();
  const api = await h.api();
  const { id } = await api.inboxes.createSandbox();
  await api.inboxes.update(id, { daily_limit: 3 });
  let sent = 0;
  for (let i = 0; i < 25; i++) {
    const timezone = i % 2 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago';
    await api.inboxes.update(id, { timezone });
    const { state } = await api.sends.create({ to: `p${i}@x.test`, subject: 'Hi', body_text: 'x', inbox_id: id });
    if (state === 'sent') sent++;
    h.tick(40 * MINUTE);
  }
  // Sixteen hours and forty minutes have passed.
  assert.equal(sent, 3);
});

test('names that try to look like another header, or like another writing, are refused or stay what they are', async () => {
  await using h = await house();
  const api = await h.api();
  const { id } = await api.inboxes.createSandbox();
  for (const name of ['Ann\r\nBcc: x@y.zz', 'Ann\0', 'Ann\u202Ennb', '\u2066Ann', 'x'.repeat(121), 'Ann\u2028'])
    await refused(api.inboxes.update(id, { display_name: name }), 422, 'validation_failed', 'display_name');
  const encoded = '=?utf-8?B?QW5u?=';
  assert.equal((await api.inboxes.update(id, { display_name: encoded })).display_name, encoded);
});
