import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inTransaction, rowsOf } from '#store/db.ts';
import type { CreateSingleSendBody } from '@postrider/sdk';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import { createSends } from './create.ts';

type Api = Awaited<ReturnType<House['api']>>;
let h: House;
let api: Api;
let inbox: string;
before(async () => {
  h = await house();
  api = await h.api();
  inbox = await sandbox();
});
after(() => h.close());

const sandbox = async (on = api) => (await on.inboxes.createSandbox({ display_name: 'Ann' })).id;
const letter = (change: object = {}): CreateSingleSendBody => ({
  to: 'bob@example.com',
  subject: 'Hello',
  body_text: 'Hi',
  inbox_id: inbox,
  ...change,
});
const texts = async (id: string) =>
  (
    await rowsOf<Record<'subject' | 'body_html' | 'body_text', string | null>>(
      h.db,
      'select subject, body_html, body_text from sends join send_contents using (workspace_id) where id = $1 and send_id = id',
      [id],
    )
  )[0]!;
const told = async (id: string) => (await api.events.list({ resource_id: id })).data.sort((a, b) => a.sequence - b.sequence).map((one) => one.type);
const counts = async () =>
  rowsOf(
    h.db,
    `select (select count(*) from sends) as sends, (select count(*) from events) as events, (select count(*) from messages) as messages`,
    [],
  );

test('a send from a sandbox goes straight to sent, with its whole trail, its message and its metadata', async () => {
  const metadata = { 'order id': ' 7\n', ü: '"' };
  const send = await api.sends.create(letter({ to: { email: ' Bob@Example.com ', name: 'Bob "B" <,;' }, metadata }));
  assert.deepEqual(
    [send.lastResponse.status, send.state, send.to_email, send.attempt_count, send.sent_at, send.failure_reason, send.campaign_id],
    [201, 'sent', 'Bob@Example.com', 1, h.now().toISOString(), null, null],
  );
  assert.deepEqual([send.metadata, send.provider_thread_id], [metadata, send.rfc822_message_id]);
  const events = (await api.events.list({ resource_id: send.id })).data.reverse();
  assert.deepEqual(
    events.map((one) => [one.type, (one.data as { state: string }).state]),
    [
      ['send.scheduled', 'scheduled'],
      ['send.sending', 'sending'],
      ['send.sent', 'sent'],
    ],
  );
  for (const event of events) assert.deepEqual(event.metadata, metadata);
  const [message] = (await api.messages.list({ thread_id: send.rfc822_message_id! })).data;
  assert.deepEqual(
    [message!.direction, message!.from_name, message!.subject, message!.rfc822_message_id],
    ['outbound', 'Ann', 'Hello', send.rfc822_message_id],
  );
  assert.equal((await api.inboxes.retrieve(inbox)).last_send_at, h.now().toISOString());
  const { lastResponse: _, ...plain } = send;
  assert.deepEqual(JSON.parse(JSON.stringify(await api.sends.retrieve(send.id))), plain);
  const summary = { id: inbox, email_address: (await api.inboxes.retrieve(inbox)).email_address, display_name: 'Ann', status: 'active' };
  assert.deepEqual((await api.sends.retrieve(send.id, { expand: 'inbox' })).inbox, summary);
});

const field = (name: string, code: string, ...values: unknown[]): [object, string, string][] =>
  values.map((value) => [{ [name]: value }, code, name]);
const MANY = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']));
const REFUSED: [object, string, string][] = [
  ...field('to', 'parameter_missing', undefined),
  ...field(
    'to',
    'validation_failed',
    null,
    5,
    [],
    Array.from({ length: 1001 }, (_, i) => `p${i}@b.co`),
  ),
  [{ to: [['a@b.co']] }, 'validation_failed', 'to[0]'],
  [{ to: [null] }, 'validation_failed', 'to[0]'],
  [{ to: ['bob'] }, 'invalid_email', 'to[0]'],
  [{ to: [{ email: 'bob' }] }, 'invalid_email', 'to[0].email'],
  ...field('to', 'invalid_email', '', 'bob', 'a@b', '"a@evil"@good.com', 'a@b.co\r\nBcc: x@y.zz', 'a@b.co, c@d.co', `${'a'.repeat(65)}@b.co`),
  [{ to: {} }, 'parameter_missing', 'to.email'],
  [{ to: { email: 'x' } }, 'invalid_email', 'to.email'],
  [{ to: { email: 'a@b.co', name: 'A\r\nBcc: x@y.zz' } }, 'validation_failed', 'to.name'],
  [{ to: { email: 'a@b.co', phone: '1' } }, 'unknown_parameter', 'to.phone'],
  ...field('subject', 'parameter_missing', undefined),
  ...field('subject', 'validation_failed', '', '   ', '\u00a0', 'a\r\nBcc: x@y.zz', 'a\0b', 'a\ud800', 'x'.repeat(999), null, 5),
  [{ body_text: undefined }, 'parameter_missing', 'body_text'],
  ...field('body_text', 'validation_failed', 'a\0b', null, 'x'.repeat(500_001)),
  ...field('body_html', 'validation_failed', 5, 'a\udc00'),
  ...field('inbox_id', 'parameter_missing', undefined),
  ...['inbox_ids', 'mode', 'state', 'from', 'attachment', 'seed', 'reply_subject'].flatMap((name) => field(name, 'unknown_parameter', 'x')),
  ...field(
    'send_at',
    'validation_failed',
    '2030-02-01',
    '2030-02-01T09:00:00',
    '2030-02-30T09:00:00Z',
    'tomorrow',
    1893456000,
    '2030-02-01T25:00:00Z',
    '',
  ),
  ...field('send_at', 'validation_failed', '9999-12-31T23:59:59Z', '2031-02-01T00:00:00Z', '2030-02-01T09:00:00+99:00', '+275760-09-13T00:00:00Z'),
  ...field(
    'in_reply_to_message_id',
    'validation_failed',
    'x@y.test',
    '<x@y.test>\r\nBcc: a@b.co',
    `<${'x'.repeat(10_000)}@y>`,
    '<>',
    '<a b@c>',
    '<ü@y.test>',
    '',
  ),
  ...field('metadata', 'validation_failed', 'x', [], MANY),
  [{ metadata: { a: 5 } }, 'validation_failed', 'metadata.a'],
  [{ metadata: { a: 'x'.repeat(2001) } }, 'validation_failed', 'metadata.a'],
  [{ metadata: JSON.parse('{"__proto__": "x"}') as object }, 'unknown_parameter', 'metadata.__proto__'],
  ...field('variables', 'validation_failed', 'x', []),
  ...field('append_signature', 'validation_failed', 'true', 1),
];

test('a send that does not fit is refused by name, and leaves no trace', async () => {
  const before = await counts();
  for (const [change, code, param] of REFUSED) await refused(api.sends.create(letter(change)), 422, code, param);
  await refused((await h.api({ scope: 'read' })).sends.create(letter()), 403, 'insufficient_scope');
  assert.deepEqual(await counts(), before);
});

test('an inbox that is not there for this caller is the same as none; one that can no longer send is told', async () => {
  const foreign = await sandbox(await h.api({ workspace: 'two' }));
  const messages = new Set<string>();
  for (const inbox_id of [foreign, 'inb_01jd0000000000000000000000', 'con_01jd0000000000000000000000', 'x', '']) {
    messages.add((await refused(api.sends.create(letter({ inbox_id })), 404, 'resource_missing', 'inbox_id')).message);
  }
  await refused((await h.api({ mode: 'live' })).sends.create(letter()), 404, 'resource_missing', 'inbox_id');
  assert.equal(messages.size, 1);
  const other = await sandbox();
  for (const status of ['revoked', 'failed', 'connecting']) {
    await rowsOf(h.db, 'update inboxes set status = $2 where id = $1', [other, status]);
    await refused(api.sends.create(letter({ inbox_id: other })), 409, 'invalid_inbox_state', 'inbox_id');
  }
});

test('from a paused inbox it waits, and the inbox has sent nothing', async () => {
  const paused = await sandbox();
  await api.inboxes.update(paused, { status: 'paused' });
  const send = await api.sends.create(letter({ inbox_id: paused }));
  assert.deepEqual([send.state, send.sent_at, await told(send.id)], ['scheduled', null, ['send.scheduled']]);
  assert.equal((await api.inboxes.retrieve(paused)).last_send_at, null);
});

test('what goes over the cap of the day waits for the next', async () => {
  const small = await sandbox();
  await api.inboxes.update(small, { daily_limit: 2 });
  const sends = await Promise.all(Array.from({ length: 5 }, () => api.sends.create(letter({ inbox_id: small }))));
  assert.deepEqual(sends.map((one) => one.state).sort(), ['scheduled', 'scheduled', 'scheduled', 'sent', 'sent']);
  for (const one of sends) if (one.state === 'scheduled') assert.equal(one.scheduled_at, '2030-01-08T00:00:00.000Z');
});

test('send_at: the past is now, the future waits, any zone counts', async () => {
  const past = await api.sends.create(letter({ send_at: '0001-01-01T00:00:00Z' }));
  assert.deepEqual([past.state, past.scheduled_at], ['sent', h.now().toISOString()]);
  assert.equal((await api.sends.create(letter({ send_at: null }))).state, 'sent');
  const later = await api.sends.create(letter({ send_at: '2030-02-01T09:00:00.5+05:45' }));
  assert.deepEqual([later.state, later.scheduled_at, later.sent_at], ['scheduled', '2030-02-01T03:15:00.500Z', null]);
});

test('who must not be written to is refused when the send is scheduled', async () => {
  await api.suppressions.create({ email: 'Gone@Example.com' });
  await refused(api.sends.create(letter({ to: ' gone@EXAMPLE.com' })), 422, 'recipient_suppressed', 'to');
  const contact = await api.contacts.create({ email: 'status@example.com' });
  for (const status of ['unsubscribed', 'bounced', 'blacklisted']) {
    await rowsOf(h.db, 'update contacts set global_status = $2 where id = $1', [contact.id, status]);
    await refused(api.sends.create(letter({ to: 'Status@example.com' })), 422, 'recipient_suppressed', 'to');
  }
});

test('variables, then the contact, then the sender fill a letter; HTML is escaped, a header stays one line', async () => {
  await api.contacts.create({ email: 'carl@example.com', attributes: { first: 'Carl', city: '<Ulm>' } });
  const send = await api.sends.create(
    letter({
      to: 'carl@example.com',
      subject: 'Hi {{first}} {{line}}',
      body_html: '<p>{{city}} {{sender_name}} {{none}}</p>',
      body_text: undefined,
      variables: { first: 'C.', line: 'a\r\nBcc: x@y.zz' },
    }),
  );
  const written = await texts(send.id);
  assert.equal(written.subject, 'Hi C. a Bcc: x@y.zz');
  assert.equal(send.subject, written.subject);
  assert.deepEqual([written.body_html, written.body_text?.trim()], ['<p>&lt;Ulm&gt; Ann </p>', '<Ulm> Ann']);
  const plain = await texts((await api.sends.create(letter({ body_text: 'Text {{email}}' }))).id);
  assert.deepEqual([plain.body_html, plain.body_text], [null, 'Text bob@example.com']);
});

test('a path leads into what a source holds itself, and to nothing else', async () => {
  const variables = { deal: { owner: { name: 'Eve & Co' }, list: ['x'], n: 7, ok: true, none: null } };
  const paths = [
    'deal.owner.name',
    'deal.n',
    'deal.ok',
    'deal.list',
    'deal.owner',
    'deal.none',
    'deal.owner.name.length',
    'constructor',
    'deal.toString',
  ];
  const body_text = [...paths, 'constructor.name'].map((path) => `[{{${path}}}]`).join('') + '[{{ deal.none | default: "d" }}]{{unclosed';
  const written = await texts((await api.sends.create(letter({ body_text, body_html: '<p>{{deal.owner.name}}</p>', variables }))).id);
  assert.equal(written.body_text, '[Eve & Co][7][true][][][][][][][][d]{{unclosed');
  assert.equal(written.body_html, '<p>Eve &amp; Co</p>');
});

test('spintax is drawn for each send, and its own draw stays', async () => {
  const seen = new Map<string, string>();
  for (let i = 0; i < 12; i++) {
    const send = await api.sends.create(letter({ subject: '{a|b}', body_text: '{a|b} {c|{d|e}}' }));
    const written = await texts(send.id);
    assert.match(`${written.subject} ${written.body_text}`, /^[ab] [ab] [cde]$/);
    assert.equal(written.subject, written.body_text![0], 'the first draw of both is the same');
    seen.set(written.subject!, send.id);
  }
  assert.equal(seen.size, 2);
});

test('a letter that grows beyond measure when it is filled is refused', async () => {
  const variables = { x: 'x'.repeat(20_000) };
  for (const change of [{ body_text: '{{x}}'.repeat(600) }, { body_html: '{{x}}'.repeat(600) }]) {
    await refused(api.sends.create(letter({ ...change, variables })), 422, 'validation_failed', Object.keys(change)[0]);
  }
  await refused(api.sends.create(letter({ subject: 'Hi {{x}}', variables })), 422, 'validation_failed', 'subject');
  await refused(api.sends.create(letter({ subject: '{{none}}', variables })), 422, 'validation_failed', 'subject');
});

test('one key, one send: replays, other bodies, fifty at once, another workspace', async () => {
  const first = await api.sends.create(letter(), { idempotencyKey: 'one' });
  assert.equal((await api.sends.create(letter(), { idempotencyKey: 'one' })).id, first.id);
  await refused(api.sends.create(letter({ subject: 'Other' }), { idempotencyKey: 'one' }), 409, 'idempotency_key_reused');
  const tries = await Promise.allSettled(Array.from({ length: 50 }, () => api.sends.create(letter(), { idempotencyKey: 'many' })));
  const ids = new Set(tries.map((one) => (one.status === 'fulfilled' ? one.value.id : one.reason.code)));
  ids.delete('idempotency_in_progress');
  assert.equal(ids.size, 1);
  const theirs = await h.api({ workspace: 'two' });
  assert.notEqual((await theirs.sends.create(letter({ inbox_id: await sandbox(theirs) }), { idempotencyKey: 'one' })).id, first.id);
});

test('canceling: once, while it waits, and never what has left', async () => {
  const { id } = await api.sends.create(letter({ send_at: '2030-02-01T09:00:00Z' }));
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => api.sends.cancel(id)));
  assert.equal(tries.filter((one) => one.status === 'fulfilled').length, 1);
  for (const one of tries) if (one.status === 'rejected') assert.deepEqual([one.reason.status, one.reason.code], [409, 'send_not_cancelable']);
  const canceled = await api.sends.retrieve(id);
  assert.deepEqual([canceled.state, canceled.canceled_at, await told(id)], ['canceled', h.now().toISOString(), ['send.scheduled', 'send.canceled']]);
  for (const state of ['sending', 'sent', 'failed']) {
    const other = await api.sends.create(letter({ send_at: '2030-02-01T09:00:00Z' }));
    await rowsOf(h.db, 'update sends set state = $2 where id = $1', [other.id, state]);
    await refused(api.sends.cancel(other.id), 409, 'send_not_cancelable');
  }
  await refused(api.sends.cancel('snd_01jd0000000000000000000000'), 404, 'resource_missing', 'id');
  assert.deepEqual(
    (await api.sends.list({ state: 'canceled' })).data.map((one) => one.id),
    [id],
  );
});

test('sixty-four at once cannot go over the quota of the month; test mode is free; a canceled send is given back', async () => {
  const live = await h.ctx({ mode: 'live', workspace: 'quota' });
  const caller = await h.api({ mode: 'live', workspace: 'quota' });
  const free = await h.api({ workspace: 'quota' });
  const source = await sandbox(free);
  // A live inbox without a server: its sends are scheduled and wait.
  await rowsOf(h.db, `update inboxes set mode = 'live', provider = 'smtp' where id = $1`, [source]);
  await rowsOf(h.db, `update workspaces set plan = 'pro' where id = $1`, [live.workspaceId]);
  await rowsOf(h.db, `insert into usage_months values ($1, 'live', '2030-01-01', 9990)`, [live.workspaceId]);
  const planned = { to: { email: 'bob@example.com' }, subject: 's', body_text: 'b', inbox_id: source, append_signature: false };
  // All of them have begun before one of them asks what is left.
  const begun = Promise.withResolvers<void>();
  let count = 0;
  const inTransactions = Array.from({ length: 8 }, () =>
    inTransaction(live, async (inside) => {
      await rowsOf(inside.db, 'select 1', []);
      if (++count === 8) begun.resolve();
      await begun.promise;
      return createSends(inside, [planned, planned]);
    }),
  );
  const inBatches = Array.from({ length: 56 }, () => caller.sends.create(letter({ inbox_id: source })));
  const [outcomes, tries] = await Promise.all([Promise.all(inTransactions), Promise.allSettled(inBatches)]);
  for (const one of tries) if (one.status === 'rejected') assert.deepEqual([one.reason.status, one.reason.code], [403, 'plan_limit_reached']);
  const made = await rowsOf<{ id: string }>(h.db, 'select id from sends where workspace_id = $1', [live.workspaceId]);
  assert.deepEqual([made.length, outcomes.flat().length], [10, 16]);
  await caller.sends.cancel(made[0]!.id);
  await caller.sends.create(letter({ inbox_id: source }));
  await refused(caller.sends.create(letter({ inbox_id: source })), 403, 'plan_limit_reached');
  assert.equal((await free.sends.create(letter({ inbox_id: await sandbox(free) }))).state, 'sent');
  assert.equal((await caller.workspace.retrieve()).usage.sends_this_month, 10_000);
});

test('lists filter and expand', async () => {
  const own = await sandbox();
  const send = await api.sends.create(letter({ inbox_id: own }));
  const [listed] = (await api.sends.list({ inbox_id: own, state: 'sent', expand: 'inbox' })).data;
  assert.deepEqual([listed!.id, listed!.inbox!.id], [send.id, own]);
  assert.deepEqual((await api.sends.list({ inbox_id: own, state: 'failed' })).data, []);
  for (const [param, value] of [
    ['state', 'lost'],
    ['expand', 'inbox,secret'],
    ['expand', 'secret'],
    ['limit', '-1'],
    ['to', 'x'],
  ]) {
    await refused(api.sends.list({ [param!]: value } as object), 400, 'invalid_parameter', param);
  }
});
