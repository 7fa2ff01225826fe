import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';

let h: House;
let api: Awaited<ReturnType<House['api']>>;
before(async () => {
  h = await house();
  api = await h.api();
});
after(() => h.close());

const count = async (table: string) => (await rowsOf<{ count: number }>(h.db, `select count(*) from ${table}`, []))[0]!.count;

test('a sandbox inbox begins with its defaults, and an event tells of it', async () => {
  const inbox = await api.inboxes.createSandbox({ sandbox_config: { reply_probability: 1, seed: 5 } });
  assert.match(inbox.email_address, /^sandbox-[0-9a-z]{8}@sandbox\.postrider\.test$/);
  assert.deepEqual(
    [inbox.mode, inbox.provider, inbox.status, inbox.daily_limit, inbox.effective_daily_limit, inbox.timezone, inbox.health_score],
    ['test', 'sandbox', 'active', 50, 50, 'UTC', null],
  );
  assert.deepEqual([inbox.ramp.enabled, inbox.min_gap_seconds, inbox.max_gap_seconds, inbox.last_send_at], [false, 0, 0, null]);
  assert.deepEqual(inbox.sandbox_config, {
    open_probability: 0.5,
    click_probability: 0.1,
    reply_probability: 1,
    bounce_probability: 0.02,
    open_delay_seconds_min: 1,
    open_delay_seconds_max: 5,
    click_delay_seconds_min: 2,
    click_delay_seconds_max: 10,
    reply_delay_seconds_min: 5,
    reply_delay_seconds_max: 30,
    seed: 5,
  });
  assert.deepEqual(await plain(api.inboxes.retrieve(inbox.id)), await plain(Promise.resolve(inbox)));
  const [event] = (await api.events.list({ resource_id: inbox.id })).data;
  assert.deepEqual([event!.type, event!.data], ['inbox.connected', await plain(Promise.resolve(inbox))]);
});

const plain = async (answer: Promise<unknown>) => JSON.parse(JSON.stringify(await answer)) as unknown;

const SANDBOX: [object, string, string][] = [
  [{ email_address: 'no' }, 'invalid_email', 'email_address'],
  [{ email_address: 'a@b.co\r\nBcc: x@y.zz' }, 'invalid_email', 'email_address'],
  [{ display_name: 'Ann\r\nBcc: x@y.zz' }, 'validation_failed', 'display_name'],
  [{ display_name: 'x'.repeat(121) }, 'validation_failed', 'display_name'],
  [{ display_name: 'Ann\u202Ennb' }, 'validation_failed', 'display_name'],
  [{ sandbox_config: { open_probability: -0.1 } }, 'validation_failed', 'sandbox_config.open_probability'],
  [{ sandbox_config: { reply_probability: 2 } }, 'validation_failed', 'sandbox_config.reply_probability'],
  [{ sandbox_config: { click_probability: 'NaN' } }, 'validation_failed', 'sandbox_config.click_probability'],
  [{ sandbox_config: { open_delay_seconds_min: 9, open_delay_seconds_max: 8 } }, 'validation_failed', 'sandbox_config.open_delay_seconds_min'],
  [{ sandbox_config: { reply_delay_seconds_min: 31 } }, 'validation_failed', 'sandbox_config.reply_delay_seconds_min'],
  [{ sandbox_config: { click_delay_seconds_max: -1 } }, 'validation_failed', 'sandbox_config.click_delay_seconds_max'],
  [{ sandbox_config: { seed: 1.5 } }, 'validation_failed', 'sandbox_config.seed'],
  [{ sandbox_config: { luck: 1 } }, 'unknown_parameter', 'sandbox_config.luck'],
  [{ provider: 'smtp' }, 'unknown_parameter', 'provider'],
];

test('a sandbox inbox is refused for what does not fit, and nothing is written', async () => {
  const before = [await count('inboxes'), await count('events')];
  for (const [body, code, param] of SANDBOX) await refused(api.inboxes.createSandbox(body), 422, code, param);
  await refused((await h.api({ mode: 'live' })).inboxes.createSandbox(), 403, 'mode_mismatch');
  await refused((await h.api({ scope: 'read' })).inboxes.createSandbox(), 403, 'insufficient_scope');
  assert.deepEqual([await count('inboxes'), await count('events')], before);
});

test('an address is connected once, also when twenty come at once; another workspace neither knows nor cares', async () => {
  for (let round = 0; round < 5; round++) {
    const tries = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => api.inboxes.createSandbox({ email_address: `${i % 2 ? 'R' : 'r'}ace${round}@x.test` })),
    );
    assert.equal(tries.filter((one) => one.status === 'fulfilled').length, 1);
    for (const one of tries)
      if (one.status === 'rejected') assert.deepEqual([one.reason.status, one.reason.param], [422, 'email_address'], one.reason.message);
  }
  const theirs = await (await h.api({ workspace: 'two' })).inboxes.createSandbox({ email_address: 'race0@x.test' });
  assert.equal(theirs.email_address, 'race0@x.test');
});

const PATCHES: [object, string, string][] = [
  ...[0, 501, -1, 1.5, '50', null, 1e9].map((daily_limit): [object, string, string] => [{ daily_limit }, 'validation_failed', 'daily_limit']),
  [{ ramp: { end: 51 } }, 'validation_failed', 'ramp.end'],
  [{ daily_limit: 20, ramp: { end: 30 } }, 'validation_failed', 'ramp.end'],
  [{ ramp: { days: 91 } }, 'validation_failed', 'ramp.days'],
  [{ ramp: { days: 0 } }, 'validation_failed', 'ramp.days'],
  [{ ramp: { start: 0 } }, 'validation_failed', 'ramp.start'],
  [{ ramp: { enabled: 'true' } }, 'validation_failed', 'ramp.enabled'],
  [{ ramp: { pace: 1 } }, 'unknown_parameter', 'ramp.pace'],
  ...['failed', 'revoked', 'connecting', 'over_quota_today', 'ACTIVE', '', null].map((status): [object, string, string] => [
    { status },
    'validation_failed',
    'status',
  ]),
  ...['Mars/X', 'UTC+25', '+02:00', '', '../etc', 'Europe/Berlin\n'].map((timezone): [object, string, string] => [
    { timezone },
    'validation_failed',
    'timezone',
  ]),
  [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'validation_failed', 'tags'],
  [{ tags: ['x'.repeat(41)] }, 'validation_failed', 'tags[0]'],
  [{ tags: ['ok', '🚀'] }, 'validation_failed', 'tags[1]'],
  [{ tags: ['  '] }, 'validation_failed', 'tags[0]'],
  [{ tags: 'sales' }, 'validation_failed', 'tags'],
  [{ signature_html: 'x'.repeat(10_001) }, 'validation_failed', 'signature_html'],
  ...['a@b.co\r\nBcc: x@y.zz', 'a@b.co, c@d.co', 'Ann <a@b.co>', ''].map((reply_to): [object, string, string] => [
    { reply_to },
    'invalid_email',
    'reply_to',
  ]),
  [{ display_name: 'Ann\nLee' }, 'validation_failed', 'display_name'],
  [{ display_name: '\u2066Ann' }, 'validation_failed', 'display_name'],
  [{ min_gap_seconds: 10 }, 'validation_failed', 'min_gap_seconds'],
  [{ max_gap_seconds: 3601 }, 'validation_failed', 'max_gap_seconds'],
  [{ warmup_enabled: true }, 'validation_failed', 'warmup_enabled'],
  [{ sandbox_config: { open_delay_seconds_max: 0 } }, 'validation_failed', 'sandbox_config.open_delay_seconds_min'],
  ...['mode', 'id', 'email_address', 'provider', 'health_score', 'smtp'].map((name): [object, string, string] => [
    { [name]: 'x' },
    'unknown_parameter',
    name,
  ]),
];

test('a change that does not fit is refused by name and changes nothing', async () => {
  const inbox = await api.inboxes.createSandbox();
  for (const [body, code, param] of PATCHES) await refused(api.inboxes.update(inbox.id, body), 422, code, param);
  assert.deepEqual(await plain(api.inboxes.retrieve(inbox.id)), await plain(Promise.resolve(inbox)));
  await refused((await h.api({ scope: 'read' })).inboxes.update(inbox.id, { daily_limit: 3 }), 403, 'insufficient_scope');
});

test('a change keeps what it does not name', async () => {
  const { id } = await api.inboxes.createSandbox({ display_name: 'Ann' });
  const tagged = await api.inboxes.update(id, { tags: ['Sales', ' sales ', 'EU: west/2'], reply_to: ' Desk@x.test ', timezone: 'EST5EDT' });
  assert.deepEqual([tagged.tags, tagged.reply_to, tagged.timezone, tagged.display_name], [['sales', 'eu: west/2'], 'Desk@x.test', 'EST5EDT', 'Ann']);
  const ramped = await api.inboxes.update(id, { ramp: { enabled: true, days: 10 } });
  assert.deepEqual([ramped.ramp.enabled, ramped.ramp.start, ramped.ramp.end, ramped.ramp.days], [true, 10, 50, 10]);
  assert.deepEqual([ramped.ramp.started_at, ramped.effective_daily_limit, ramped.tags], [h.now().toISOString(), 10, ['sales', 'eu: west/2']]);
  const cleared = await api.inboxes.update(id, { display_name: null, reply_to: null, tags: [] });
  assert.deepEqual([cleared.display_name, cleared.reply_to, cleared.tags, cleared.ramp.days], [null, null, [], 10]);
  const merged = await api.inboxes.update(id, { sandbox_config: { open_probability: 0 } });
  assert.deepEqual([merged.sandbox_config!.open_probability, merged.sandbox_config!.click_probability], [0, 0.1]);
});

test('the ramp never ends above the daily limit, also when that is lowered later', async () => {
  const { id } = await api.inboxes.createSandbox();
  const lowered = await api.inboxes.update(id, { daily_limit: 5, ramp: { enabled: true } });
  assert.deepEqual([lowered.ramp.end <= 5, lowered.effective_daily_limit], [true, 5]);
  const raised = await api.inboxes.update(id, { daily_limit: 100, ramp: { end: 100 } });
  assert.deepEqual([raised.ramp.end, raised.effective_daily_limit], [100, 10]);
});

test('pausing and going on, as often as you like', async () => {
  const { id } = await api.inboxes.createSandbox();
  for (const status of ['paused', 'paused', 'active', 'active'] as const) assert.equal((await api.inboxes.update(id, { status })).status, status);
  for (const state of ['revoked', 'failed', 'connecting', 'token_expired', 'unhealthy']) {
    await rowsOf(h.db, 'update inboxes set status = $2 where id = $1', [id, state]);
    for (const status of ['paused', 'active'] as const) await refused(api.inboxes.update(id, { status }), 422, 'validation_failed', 'status');
  }
});

test('a signature keeps no script, and empty clears it', async () => {
  const { id } = await api.inboxes.createSandbox();
  const evil = [
    '<p>Ann</p><img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><p>Ann</p>',
    '<style>@import "//evil"</style><p>Ann</p>',
    '<p>Ann</p><a href="javascript:alert(1)">x</a><a href="data:text/html,<script>alert(1)</script>">y</a>',
    '<p>Ann</p><math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
    '<p onclick="alert(1)">Ann</p><iframe src=//evil></iframe><form action=//evil><input></form>',
  ];
  for (const html of evil) {
    const { signature_html: clean, signature_text: text } = await api.inboxes.update(id, { signature_html: html });
    assert.doesNotMatch(clean!, /onerror|onload|onclick|<script|<style|<svg|<iframe|<form|javascript:|data:text/i, html);
    assert.match(text!, /Ann/);
  }
  for (const none of [null, '', '<script>x</script>']) {
    const inbox = await api.inboxes.update(id, { signature_html: none });
    assert.deepEqual([inbox.signature_html, inbox.signature_text], [null, null]);
  }
});

test('lists filter, and refuse filters that they do not know', async () => {
  const { id } = await api.inboxes.createSandbox();
  await api.inboxes.update(id, { tags: ['Only-Me'], status: 'paused' });
  const ids = async (query: object) => (await api.inboxes.list(query)).data.map((one) => one.id);
  assert.deepEqual(await ids({ tag: 'only-ME' }), [id]);
  assert.deepEqual(await ids({ tag: 'only-me', status: 'active' }), []);
  assert.deepEqual(await ids({ status: 'paused', provider: 'sandbox', tag: 'only-me' }), [id]);
  assert.deepEqual(await ids({ tag: `only-me' or '1'='1` }), []);
  for (const [param, value] of [
    ['status', `';--`],
    ['provider', 'imap'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1,2'],
    ['limit', 'abc'],
    ['colour', 'red'],
  ]) {
    await refused(api.inboxes.list({ [param!]: value } as object), 400, 'invalid_parameter', param);
  }
});
