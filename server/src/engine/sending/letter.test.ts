// What leaves of a send with copies, files and headers, and what becomes of it when one of its recipients cannot be reached.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime, { decodeWords } from 'postal-mime';
import { rowsOf } from '#store/db.ts';
import { type Stage, stage } from '#testing/stage.ts';
import type { Script } from '#testing/smtp-server/index.ts';

const DAY_MS = 24 * 3_600_000;
const parsed = (raw: Buffer) => PostalMime.parse(raw, { attachmentEncoding: 'base64' });
const ledger = (s: Stage) => s.office.smtp.ledger;
const files = async (s: Stage) => (await rowsOf<{ count: number }>(s.h.db, 'select count(*) from attachments', []))[0]!.count;

const PICTURE = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256));
const FILES = [
  { filename: 'brochure.pdf', content: Buffer.from('%PDF-1.7').toString('base64') },
  { filename: 'Übersicht "2030" – 見積書.png', content: PICTURE.toString('base64').replace(/.{76}/g, '$&\r\n') },
  { filename: 'notes', content: 'AA==', content_type: 'text/x-notes' },
];

test('copies, files, headers and reply-to leave as they were asked for; hidden copies stand in the envelope only', async () => {
  await using s = await stage();
  await s.api.inboxes.update(s.inbox.id, { reply_to: 'team@sender.test' });
  await s.send('bob@people.test', {
    cc: ['carl@people.test', { email: 'dora@people.test', name: 'Dóra "D" <x>' }],
    bcc: [{ email: 'eve@people.test', name: 'Eve' }],
    reply_to: 'sales@sender.test',
    headers: { 'X-Campaign': 'spring 2030', 'x-note': 'Grüße', 'List-Unsubscribe': '<https://sender.test/u/1>' },
    attachments: FILES,
    body_html: '<p>Hello</p>',
  });
  await s.send('frank@people.test');
  await s.h.settle();
  const [full, plain] = ledger(s);
  assert.deepEqual(full!.rcptTo, ['bob@people.test', 'carl@people.test', 'dora@people.test', 'eve@people.test']);
  assert.doesNotMatch(full!.raw.toString('latin1'), /eve@people\.test|^bcc:/im);
  const mail = await parsed(full!.raw);
  const addresses = (list: typeof mail.cc) => list?.map((one) => [one.address, one.name]);
  assert.deepEqual(addresses(mail.to), [['bob@people.test', '']]);
  assert.deepEqual(addresses(mail.cc), [['carl@people.test', ''], ['dora@people.test', 'Dóra "D" <x>']]); // prettier-ignore
  assert.deepEqual(addresses(mail.replyTo), [['sales@sender.test', '']]);
  const header = (key: string) => decodeWords(mail.headers.find((one) => one.key === key)?.value ?? '');
  assert.deepEqual([header('x-campaign'), header('x-note'), header('list-unsubscribe')], ['spring 2030', 'Grüße', '<https://sender.test/u/1>']);
  assert.deepEqual(
    mail.attachments.map((one) => [one.filename, one.mimeType, (one.content as string).replace(/\s/g, ''), one.disposition]),
    [
      ['brochure.pdf', 'application/pdf', FILES[0]!.content, 'attachment'],
      [FILES[1]!.filename, 'image/png', PICTURE.toString('base64'), 'attachment'],
      ['notes', 'text/x-notes', 'AA==', 'attachment'],
    ],
  );
  assert.deepEqual([mail.html?.trim(), mail.text?.trim()], ['<p>Hello</p>', 'Hello']);
  assert.deepEqual([plain!.rcptTo, (await parsed(plain!.raw)).replyTo?.[0]!.address], [['frank@people.test'], 'team@sender.test']);
});

/** A server that refuses one recipient. */
const refusing = (address: string, code: number, text: string): Script => ({ phase, recipient }) =>
  phase === 'rcpt' && recipient === address ? { kind: 'reply', code, text } : undefined; // prettier-ignore

test('a copy that is refused fails the send as a whole, and says nothing against the person whom it is for', async () => {
  await using s = await stage();
  const contact = await s.api.contacts.create({ email: 'bob@people.test' });
  s.office.follow(refusing('carl@people.test', 550, '5.1.1 No such user'));
  const send = await s.send('bob@people.test', { cc: ['carl@people.test'] });
  await s.h.settle();
  const row = await s.row(send.id);
  assert.deepEqual([row.state, row.failure_reason, row.failure_detail], ['failed', 'invalid_recipient', 'carl@people.test: 550 5.1.1 No such user']);
  assert.equal(ledger(s).length, 0);
  assert.equal((await s.api.contacts.retrieve(contact.id)).global_status, 'ok');
  assert.deepEqual((await s.api.suppressions.list()).data, []);
  // The person herself refused is another matter, with copies or without.
  s.office.follow(refusing('bob@people.test', 550, '5.1.1 No such user'));
  await s.send('bob@people.test', { cc: ['dora@people.test'] });
  await s.h.settle();
  assert.equal((await s.api.contacts.retrieve(contact.id)).global_status, 'bounced');
  assert.deepEqual((await s.api.suppressions.list()).data.map((one) => one.email), ['bob@people.test']); // prettier-ignore
});

test('a copy that is refused for now is tried again with everybody', async () => {
  await using s = await stage();
  s.office.follow(refusing('carl@people.test', 450, '4.2.1 Later'));
  const send = await s.send('bob@people.test', { bcc: ['carl@people.test'], attachments: FILES });
  await s.h.settle();
  assert.deepEqual([(await s.row(send.id)).state, ledger(s).length], ['scheduled', 0]);
  s.office.follow(undefined);
  await s.h.run(10 * 60_000);
  assert.deepEqual([(await s.row(send.id)).state, ledger(s).map((one) => one.rcptTo)], ['sent', [['bob@people.test', 'carl@people.test']]]);
  assert.equal((await parsed(ledger(s)[0]!.raw)).attachments.length, 3);
});

test('who is suppressed after the send was scheduled gets no copy: the send fails', async () => {
  await using s = await stage();
  const send = await s.send('bob@people.test', { bcc: ['Carl@people.test'], send_at: new Date(s.h.now().getTime() + 60_000).toISOString() });
  await s.api.suppressions.create({ email: 'carl@people.test' });
  await s.h.run(2 * 60_000);
  const row = await s.row(send.id);
  assert.deepEqual([row.state, row.failure_reason, ledger(s).length], ['failed', 'suppressed', 0]);
});

test('nor does who has asked for no more mail as a contact, and is on no list', async () => {
  await using s = await stage();
  const carl = await s.api.contacts.create({ email: 'carl@people.test' });
  const send = await s.send('bob@people.test', { cc: ['Carl@people.test'], send_at: new Date(s.h.now().getTime() + 60_000).toISOString() });
  await s.api.contacts.update(carl.id, { global_status: 'unsubscribed' });
  await s.h.run(2 * 60_000);
  const row = await s.row(send.id);
  assert.deepEqual([row.state, row.failure_reason, ledger(s).length], ['failed', 'suppressed', 0]);
});

test('a file is kept once, as long as a send needs it and a month longer', async () => {
  await using s = await stage();
  const attachments = FILES.slice(0, 1);
  const later = (days: number) => new Date(s.h.now().getTime() + days * DAY_MS).toISOString();
  await s.send('bob@people.test', { attachments });
  await s.send('carl@people.test', { attachments: [...attachments, { ...attachments[0]!, filename: 'again.pdf' }], send_at: later(45) });
  assert.equal(await files(s), 1);
  s.h.tick(40 * DAY_MS);
  await s.h.settle();
  assert.equal(await files(s), 1, 'one send is still to leave');
  s.h.tick(5 * DAY_MS);
  await s.h.settle();
  assert.deepEqual((await parsed(ledger(s).at(-1)!.raw)).attachments.map((one) => one.filename), ['brochure.pdf', 'again.pdf']); // prettier-ignore
  s.h.tick(31 * DAY_MS);
  await s.h.settle();
  assert.equal(await files(s), 0);
  const other = await s.h.api({ mode: 'live', workspace: 'two' });
  assert.deepEqual((await other.sends.list()).data, []);
});

test('a test key reaches no live inbox, and no server hears of it', async () => {
  await using s = await stage();
  const { connections } = s.office.smtp.counters;
  const key = await s.h.api({ mode: 'test' });
  const letter = { to: 'bob@people.test', subject: 's', body_text: 'b' };
  await assert.rejects(key.sends.create({ ...letter, inbox_id: s.inbox.id }), { status: 404, code: 'resource_missing' });
  await assert.rejects(key.sends.create({ ...letter, from_strategy: { type: 'rotate' } }), { status: 422, code: 'no_inbox_available' });
  await assert.rejects(key.sends.create({ ...letter, from_strategy: { type: 'rotate', inbox_ids: [s.inbox.id] } }), { status: 404 });
  const sandbox = await key.inboxes.createSandbox();
  await key.sends.create({ ...letter, inbox_id: sandbox.id, cc: ['carl@people.test'], attachments: FILES });
  await s.h.settle();
  assert.deepEqual([s.office.smtp.counters.connections, ledger(s).length], [connections, 0]);
});
