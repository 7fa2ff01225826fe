import assert from 'node:assert/strict';
import { test } from 'node:test';
import { egress } from '#platform/egress.ts';
import { mailboxOpener } from '#mail/imap/index.ts';
import { smtpConnector } from '#mail/smtp/index.ts';
import { rowsOf } from '#store/db.ts';
import { testCa } from '#testing/certs/certs.ts';
import { type House, house } from '#testing/house.ts';
import { type PostOffice, openPostOffice } from '#testing/post-office/index.ts';
import { refused } from '#testing/refused.ts';

const ANN = 'ann@sender.test';
const SECRET = 'canary-smtp-7d793037a0';
const OTHER = 'canary-imap-a0760d7937';

/** Every text that the database holds, of every table. */
async function everything(h: House): Promise<string> {
  const tables = await rowsOf<{ name: string }>(h.db, `select table_name as name from information_schema.tables where table_schema = 'public'`, []);
  const texts: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await rowsOf<{ row: string }>(h.db, `select t::text as row from ${name} t`, [])) texts.push(`${name} ${row}`);
  }
  return texts.join('\n');
}

/** A house, its log at the loudest, and an office with one sender. */
async function opened() {
  const h = await house({ env: { LOG_LEVEL: 'debug' } });
  const office = await openPostOffice({ senders: [ANN], now: h.now });
  const api = await h.api({ mode: 'live' });
  const close = async () => {
    await office.close();
    await h.close();
  };
  return { h, office, api, [Symbol.asyncDispose]: close };
}

/**
 * For servers that say nothing: from here on sending servers, or mailboxes, are not waited for long. Only then, for a busy machine is no silent
 * server.
 */
function hurry({ world }: House, what: keyof House['world']['mail']): void {
  const { clock, log, mail } = world;
  const out = egress({ allowPrivate: true, extraCa: [testCa] }, clock);
  if (what === 'openMailbox') mail.openMailbox = mailboxOpener({ egress: out, clock, log, limits: { connectMs: 500, operationMs: 400 } });
  else mail.connectSmtp = smtpConnector({ egress: out, clock, clientName: 'house.test', deadlines: { banner: 150 } });
}

type Body = ReturnType<PostOffice['connection']>;
type Change = { smtp?: object; imap?: object };
const changed = (body: Body, { smtp = {}, imap = {} }: Change): Body => ({
  ...body,
  smtp: { ...body.smtp, ...smtp },
  imap: { ...body.imap, ...imap },
});
const stored = async (h: House) =>
  rowsOf(
    h.db,
    'select (select count(*) from inboxes) as inboxes, (select count(*) from inbox_folders) as folders, (select count(*) from events) as events',
    [],
  );

test('a new address: 201, watched from now on, told once; a replay talks to nobody', async () => {
  await using place = await opened();
  const { h, office, api } = place;
  office.imap.deliver(ANN, 'INBOX', 'Subject: old\r\n\r\nold\r\n');
  const body = office.connection(ANN, 'Ann');
  const inbox = await api.inboxes.connectSmtp(body, { idempotencyKey: 'once' });
  assert.equal(inbox.lastResponse.status, 201);
  assert.deepEqual([inbox.mode, inbox.provider, inbox.status, inbox.display_name, inbox.sandbox_config], ['live', 'smtp', 'active', 'Ann', null]);
  assert.deepEqual([inbox.ramp.enabled, inbox.effective_daily_limit, inbox.min_gap_seconds, inbox.max_gap_seconds], [true, 10, 60, 120]);
  const folders = await rowsOf<{ role: string; last_uid: number }>(h.db, 'select role, last_uid from inbox_folders order by role', []);
  assert.deepEqual(folders, [
    { role: 'inbox', last_uid: 1 },
    { role: 'junk', last_uid: 0 },
    { role: 'sent', last_uid: 0 },
  ]);
  assert.deepEqual(
    (await api.events.list()).data.map((one) => [one.type, one.resource_id]),
    [['inbox.connected', inbox.id]],
  );
  const talked = [office.smtp.counters.connections, office.imap.log().length];
  const replay = await api.inboxes.connectSmtp(body, { idempotencyKey: 'once' });
  assert.deepEqual([replay.lastResponse.status, replay.id], [201, inbox.id]);
  await refused(api.inboxes.connectSmtp(changed(body, { smtp: { port: 587 } }), { idempotencyKey: 'once' }), 409, 'idempotency_key_reused');
  assert.deepEqual([office.smtp.counters.connections, office.imap.log().length], talked);
});

test('an address that is known: 200, credentials replaced, active again, and reading goes on where it was', async () => {
  await using place = await opened();
  const { h, office, api } = place;
  const first = await api.inboxes.connectSmtp(office.connection(ANN, 'Ann'));
  await api.inboxes.update(first.id, { status: 'paused', daily_limit: 33 });
  await rowsOf(h.db, 'update inbox_folders set last_uid = 0', []);
  office.imap.deliver(ANN, 'INBOX', 'Subject: meanwhile\r\n\r\nx\r\n');
  const [before] = await rowsOf<{ sealed: string }>(h.db, 'select smtp_password_sealed as sealed from inboxes', []);
  const { display_name: _, ...unnamed } = office.connection(ANN);
  const again = await api.inboxes.connectSmtp({ ...unnamed, email_address: 'Ann@SENDER.test', smtp: { ...unnamed.smtp, username: ANN } });
  assert.equal(again.lastResponse.status, 200);
  assert.deepEqual([again.id, again.status, again.daily_limit, again.display_name, again.email_address], [first.id, 'active', 33, 'Ann', ANN]);
  const [after] = await rowsOf<{ sealed: string }>(h.db, 'select smtp_password_sealed as sealed from inboxes', []);
  assert.notEqual(after!.sealed, before!.sealed);
  const cursors = await rowsOf<{ last_uid: number }>(h.db, 'select distinct last_uid from inbox_folders', []);
  assert.deepEqual(cursors, [{ last_uid: 0 }]);
  const theirs = await (await h.api({ mode: 'live', workspace: 'two' })).inboxes.connectSmtp(office.connection(ANN));
  assert.deepEqual([theirs.lastResponse.status, theirs.id === first.id], [201, false]);
});

const REFUSING: [string, Change][] = [
  ['smtp', { smtp: { password: SECRET }, imap: { password: OTHER } }],
  ['smtp', { smtp: { username: 'nobody@sender.test' } }],
  ['smtp', { smtp: { port: 1 } }],
  ['smtp', { smtp: { host: 'no-such-host.invalid' } }],
  ['smtp', { smtp: { security: 'ssl' } }],
  ['imap', { imap: { password: SECRET } }],
  ['imap', { imap: { username: 'nobody@sender.test' } }],
  ['imap', { imap: { port: 1 } }],
  ['imap', { imap: { security: 'starttls' } }],
];

test('one that does not let us in: the same words whatever it was, in time, and nothing is stored', async () => {
  await using place = await opened();
  const { h, office, api } = place;
  const good = office.connection(ANN);
  const words = { smtp: new Set<string>(), imap: new Set<string>() };
  const failing = async (param: string, body: Body) => {
    const started = performance.now();
    const error = await refused(api.inboxes.connectSmtp(body), 422, 'inbox_connection_failed', param);
    assert.ok(performance.now() - started < 14_000, 'in time');
    words[param as keyof typeof words].add(error.message);
  };
  // A server that expects TLS waits for us to speak first, as we for it.
  hurry(h, 'openMailbox');
  for (const [param, change] of REFUSING) await failing(param, changed(good, change));
  hurry(h, 'connectSmtp');
  for (const action of [{ kind: 'hang' }, { kind: 'drop', reset: true }, { kind: 'reply', code: 554 }, { kind: 'raw', bytes: '\r\n' }] as const) {
    office.follow(({ phase }) => (phase === 'banner' ? action : undefined));
    await failing('smtp', good);
  }
  office.follow(undefined);
  assert.deepEqual([words.smtp.size, words.imap.size], [1, 1]);
  assert.deepEqual(await stored(h), [{ inboxes: 0, folders: 0, events: 0 }]);
});

test('an IMAP server that falls silent anywhere: the same words, and nothing is stored', async () => {
  await using place = await opened();
  const { h, office, api } = place;
  const commands = new Set(['GREETING']);
  office.imap.follow(({ command }) => void commands.add(command));
  await api.inboxes.connectSmtp({
    ...office.connection(ANN),
    email_address: 'probe@sender.test',
    smtp: { ...office.connection(ANN).smtp, username: ANN },
  });
  commands.delete('LOGOUT');
  assert.ok(commands.size >= 4, [...commands].join());
  const before = await stored(h);
  const { openMailbox } = h.world.mail;
  hurry(h, 'openMailbox');
  for (const silent of commands) {
    office.imap.follow(({ command }) => (command === silent ? 'hang' : undefined));
    await refused(api.inboxes.connectSmtp(office.connection(ANN)), 422, 'inbox_connection_failed', 'imap');
  }
  assert.deepEqual(await stored(h), before);
  h.world.mail.openMailbox = openMailbox;
  office.imap.follow(({ command }) => (command === 'LOGOUT' ? 'hang' : undefined));
  assert.equal((await api.inboxes.connectSmtp(office.connection(ANN))).lastResponse.status, 201);
});

const FORMS: [Change, string, string][] = [
  ...[25, 0, -1, 65_536, 587.5, '587', null].map((port): [Change, string, string] => [{ smtp: { port } }, 'validation_failed', 'smtp.port']),
  [{ imap: { port: 25 } }, 'validation_failed', 'imap.port'],
  ...['none', 'tls', 'SSL', ''].map((security): [Change, string, string] => [{ smtp: { security } }, 'validation_failed', 'smtp.security']),
  ...['a b', 'a\r\nb', 'a/b', 'x@y.test', '', 'x'.repeat(254)].map((host): [Change, string, string] => [
    { smtp: { host } },
    'validation_failed',
    'smtp.host',
  ]),
  ...['a\r\nb', 'a\u007fb', '', 'x'.repeat(1025)].map((username): [Change, string, string] => [
    { imap: { username } },
    'validation_failed',
    'imap.username',
  ]),
  ...['a\r\nb', 'a\nb', '', 'x'.repeat(1025)].map((password): [Change, string, string] => [
    { smtp: { password } },
    'validation_failed',
    'smtp.password',
  ]),
  [{ smtp: { password: 'a\0b' } }, 'validation_failed', 'smtp.password'],
  [{ smtp: { password: undefined } }, 'parameter_missing', 'smtp.password'],
  [{ imap: { host: undefined } }, 'parameter_missing', 'imap.host'],
  [{ smtp: { tls: true } }, 'unknown_parameter', 'smtp.tls'],
];

test('what has not the form is refused before anybody is called', async () => {
  await using place = await opened();
  const { h, office, api } = place;
  const good = office.connection(ANN);
  for (const [change, code, param] of FORMS) await refused(api.inboxes.connectSmtp(changed(good, change)), 422, code, param);
  const bodies: [object, string, string][] = [
    [{ ...good, email_address: 'ann' }, 'invalid_email', 'email_address'],
    [{ ...good, display_name: 'Ann\r\nBcc: x@y.zz' }, 'validation_failed', 'display_name'],
    [{ ...good, smtp: undefined }, 'parameter_missing', 'smtp'],
    [{ ...good, imap: [] }, 'validation_failed', 'imap'],
    [{ ...good, mode: 'test' }, 'unknown_parameter', 'mode'],
  ];
  for (const [body, code, param] of bodies) await refused(api.inboxes.connectSmtp(body as Body), 422, code, param);
  await refused((await h.api({ mode: 'test' })).inboxes.connectSmtp(good), 403, 'mode_mismatch');
  await refused((await h.api({ mode: 'live', scope: 'read' })).inboxes.connectSmtp(good), 403, 'insufficient_scope');
  assert.deepEqual([office.smtp.counters.connections, office.imap.log().length], [0, 0]);
  assert.deepEqual(await stored(h), [{ inboxes: 0, folders: 0, events: 0 }]);
});

test('a guarded house calls no private address, however it is spelt', async () => {
  await using place = await opened();
  const { h, office, api } = place;
  const { clock, log } = h.world;
  const out = egress({ allowPrivate: false, extraCa: [testCa] }, clock);
  h.world.mail = {
    connectSmtp: smtpConnector({ egress: out, clock, clientName: 'house.test' }),
    openMailbox: mailboxOpener({ egress: out, clock, log }),
  };
  const loopback =
    '127.0.0.1 127.1 0x7f000001 017700000001 2130706433 [::1] [::ffff:7f00:1] ::ffff:127.0.0.1 localhost localhost. \u24dbocalhost 0.0.0.0';
  const inside = '169.254.169.254 10.1.2.3 172.16.0.1 192.168.1.1 100.100.100.200 [fd00:ec2::254] [fe80::1] 224.0.0.1 255.255.255.255 [::]';
  for (const host of `${loopback} ${inside}`.split(' ')) {
    await refused(api.inboxes.connectSmtp(changed(office.connection(ANN), { smtp: { host } })), 422, 'inbox_connection_failed', 'smtp');
    await assert.rejects(
      h.world.mail.openMailbox({ host, port: office.imap.port, security: 'ssl', credentials: { username: ANN, password: SECRET } }),
    );
  }
  assert.deepEqual([office.smtp.counters.connections, office.imap.log().length], [0, 0]);
});

test('the passwords are nowhere: in no row, no event, no answer, no line of the log', async () => {
  await using place = await opened();
  const { h, office, api } = place;
  office.imap.setPassword(ANN, OTHER);
  const body = changed(office.connection(ANN), { imap: { password: OTHER } });
  const said: unknown[] = [await api.inboxes.connectSmtp(body, { idempotencyKey: 'kept' })];
  for (const change of [
    { smtp: { password: SECRET } },
    { smtp: { password: `${SECRET}\n` } },
    { imap: { password: SECRET } },
    { smtp: { port: SECRET } },
  ]) {
    said.push(await api.inboxes.connectSmtp(changed(body, change)).catch((error: Error) => `${JSON.stringify(error)} ${error.message}`));
  }
  said.push(await api.inboxes.list(), await api.events.list());
  h.world.mail.connectSmtp = () => Promise.reject(Object.assign(new Error('a bug'), { server: { credentials: { password: SECRET } } }));
  said.push(await refused(api.inboxes.connectSmtp(changed(body, { smtp: { password: SECRET } })), 500, 'internal_error'));
  const told = `${JSON.stringify(said)}\n${h.lines.join('\n')}\n${await everything(h)}`;
  for (const secret of [SECRET, OTHER, body.smtp.password]) {
    for (const form of [
      secret,
      Buffer.from(secret).toString('base64'),
      Buffer.from(`\0${ANN}\0${secret}`).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ]) {
      assert.ok(!told.includes(form), form);
    }
  }
  assert.match(told, /a bug/);
  assert.match(told, /inboxes .*v1\.k[0-9a-f]{8}\./);
});

test('two who connect one new address at once get one inbox', async () => {
  await using place = await opened();
  const { h, office, api } = place;
  const answers = await Promise.all(Array.from({ length: 6 }, () => api.inboxes.connectSmtp(office.connection(ANN))));
  assert.deepEqual(answers.map((one) => one.lastResponse.status).sort(), [200, 200, 200, 200, 200, 201]);
  assert.deepEqual(await stored(h), [{ inboxes: 1, folders: 3, events: 6 }]);
});
