import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';

type Api = Awaited<ReturnType<House['api']>>;
let h: House;
let api: Api;
let inbox: string;
before(async () => {
  h = await house();
  api = await h.api();
  inbox = (await api.inboxes.createSandbox()).id;
  await api.suppressions.create({ email: 'gone@example.com' });
  const contact = await api.contacts.create({ email: 'left@example.com' });
  await rowsOf(h.db, `update contacts set global_status = 'unsubscribed' where id = $1`, [contact.id]);
});
after(() => h.close());

const send = (change: object = {}, options?: { idempotencyKey: string }) =>
  api.sends.create({ to: 'bob@example.com', subject: 'Hello', body_text: 'Hi', inbox_id: inbox, ...change }, options);
const counts = async () =>
  rowsOf(h.db, 'select (select count(*) from sends) as a, (select count(*) from attachments) as b, (select count(*) from send_copies) as c', []);
const contents = async (id: string) => (await rowsOf<Record<string, unknown>>(h.db, 'select * from send_contents where send_id = $1', [id]))[0]!;

const MEGABYTE = 1024 * 1024;
const file = (change: object = {}) => ({ filename: 'a.pdf', content: 'AAAA', ...change });
const named = (name: string, value: string) => ({ headers: { [name]: value } });
const people = (count: number) => Array.from({ length: count }, (_, i) => `c${i}@example.com`);
const REFUSED: [object, string, string][] = [
  [{ cc: 'carl@example.com' }, 'validation_failed', 'cc'],
  [{ cc: people(21) }, 'validation_failed', 'cc'],
  [{ bcc: people(21) }, 'validation_failed', 'bcc'],
  [{ cc: ['carl'] }, 'invalid_email', 'cc[0]'],
  [{ bcc: ['a@b.co', { email: 'a@b.co\r\nX-Y: z' }] }, 'invalid_email', 'bcc[1].email'],
  [{ cc: [{ email: 'a@b.co', name: 'a\nb' }] }, 'validation_failed', 'cc[0].name'],
  [{ cc: ['a@b.co', 'A@b.co'] }, 'duplicate_recipient', 'cc[1]'],
  [{ cc: ['a@b.co'], bcc: ['c@b.co', ' a@B.co'] }, 'duplicate_recipient', 'bcc[1]'],
  [{ bcc: ['Bob@example.com'] }, 'duplicate_recipient', 'to'],
  [{ cc: ['a@b.co', 'Gone@example.com'] }, 'recipient_suppressed', 'cc[1]'],
  [{ bcc: ['left@example.com'] }, 'recipient_suppressed', 'bcc[0]'],
  [{ reply_to: 'x' }, 'invalid_email', 'reply_to'],
  [{ reply_to: 'a@b.co, c@d.co' }, 'invalid_email', 'reply_to'],
  [{ reply_to: ['a@b.co'] }, 'validation_failed', 'reply_to'],
  [{ headers: [] }, 'validation_failed', 'headers'],
  [named('Bcc', 'a@b.co'), 'validation_failed', 'headers.Bcc'],
  [named('Received', 'x'), 'validation_failed', 'headers.Received'],
  [named('X', 'x'), 'validation_failed', 'headers.X'],
  [named('X-', 'x'), 'validation_failed', 'headers.X-'],
  [named('X-A: b\r\nBcc', 'x'), 'validation_failed', 'headers.X-A: b\r\nBcc'],
  [named('X-A', 'a\r\nBcc: x@y.zz'), 'validation_failed', 'headers.X-A'],
  [named('X-A', 'a\0b'), 'validation_failed', 'headers.X-A'],
  [named('X-A', ' '), 'validation_failed', 'headers.X-A'],
  [named('X-A', ''), 'validation_failed', 'headers.X-A'],
  [named('X-A', 'x'.repeat(901)), 'validation_failed', 'headers.X-A'],
  [named(`X-${'a'.repeat(63)}`, 'x'), 'validation_failed', `headers.X-${'a'.repeat(63)}`],
  [named('List-Id', 'ü'), 'validation_failed', 'headers.List-Id'],
  [{ headers: { 'X-A': 5 } }, 'validation_failed', 'headers.X-A'],
  [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, 'validation_failed', 'headers.x-a'],
  [{ headers: Object.fromEntries(people(21).map((_, i) => [`X-${i}`, 'v'])) }, 'validation_failed', 'headers'],
  [{ attachments: file() }, 'validation_failed', 'attachments'],
  [{ attachments: Array.from({ length: 11 }, () => file()) }, 'validation_failed', 'attachments'],
  [{ attachments: [{ filename: 'a' }] }, 'parameter_missing', 'attachments[0].content'],
  [{ attachments: [{ content: 'AAAA' }] }, 'parameter_missing', 'attachments[0].filename'],
  [{ attachments: [file({ path: '/etc/passwd' })] }, 'unknown_parameter', 'attachments[0].path'],
  ...['', '  ', 'a/b', '..\\b', 'a\r\nX: y', 'x'.repeat(256)].map((filename): [object, string, string] => [
    { attachments: [file({ filename })] }, 'validation_failed', 'attachments[0].filename'] ), // prettier-ignore
  ...['', 'AAA', 'AAAAA', 'A=AA', '####', 'AA-_', 'data:image/png;base64,AAAA'].map((content): [object, string, string] => [
    { attachments: [file(), file({ content })] }, 'validation_failed', 'attachments[1].content'] ), // prettier-ignore
  ...['pdf', 'a/b; c=d', 'multipart/mixed', 'message/rfc822', 'a/b\r\nX: y'].map((content_type): [object, string, string] => [
    { attachments: [file({ content_type })] }, 'validation_failed', 'attachments[0].content_type'] ), // prettier-ignore
  [{ track_opens: 1 }, 'validation_failed', 'track_opens'],
  [{ variables: { x: 'x'.repeat(1_000_000) } }, 'validation_failed', 'variables'],
];

test('copies, files and headers that do not fit are refused by name, and leave no trace', async () => {
  const before = await counts();
  for (const [change, code, param] of REFUSED) {
    await assert.rejects(send(change), { status: 422, code, param }, JSON.stringify(change).slice(0, 100));
  }
  assert.deepEqual(await counts(), before);
});

test('files up to 10 MiB together go, what is beyond is too large, and so is a body beyond all measure', async () => {
  const half = Buffer.alloc(5 * MEGABYTE, 1).toString('base64');
  const other = Buffer.alloc(5 * MEGABYTE, 2).toString('base64');
  const most = await send({ attachments: [file({ content: half }), file({ content: other, filename: 'b.zip' })] });
  const stored = (await contents(most.id))['attachments'] as { filename: string; content_type: string }[];
  const types = stored.map((one) => `${one.filename} ${one.content_type}`);
  assert.deepEqual(types, ['a.pdf application/pdf', 'b.zip application/zip']);
  const before = await counts();
  await refused(send({ attachments: [file({ content: half }), file({ content: other }), file()] }), 413, 'payload_too_large', 'attachments');
  await refused(send({ body_text: 'x'.repeat(16 * MEGABYTE) }), 413, 'payload_too_large');
  await refused(api.contacts.create({ email: 'a@b.co', attributes: { x: 'x'.repeat(2 * MEGABYTE) } }), 413, 'payload_too_large');
  assert.deepEqual(await counts(), before);
});

test('what is not asked for is not stored; the defaults are off', async () => {
  const plain = await contents((await send({ cc: [], bcc: [], headers: {}, attachments: [] })).id);
  for (const name of ['cc', 'bcc', 'reply_to', 'headers', 'attachments', 'track_opens', 'track_clicks']) assert.equal(plain[name], null, name);
  const full = await contents((await send({ track_opens: true, track_clicks: true, reply_to: ' Team@example.com ' })).id);
  assert.deepEqual([full['track_opens'], full['track_clicks'], full['reply_to']], [true, true, 'Team@example.com']);
});

test('in a bulk send the copies go with every mail, and whoever gets one already is told so', async () => {
  const result = await send({ to: ['ann@example.com', 'carl@example.com', 'dora@example.com'], cc: ['Carl@example.com'], attachments: [file()] });
  assert.ok((result as unknown as { object: string }).object === 'bulk_send_result');
  const { created, errors } = result as unknown as { created: { id: string }[]; errors: { index: number; error: { code: string } }[] };
  assert.deepEqual([created.length, errors.map((one) => [one.index, one.error.code])], [2, [[1, 'duplicate_recipient']]]);
  for (const { id } of created) assert.deepEqual((await contents(id))['cc'], [{ email: 'Carl@example.com', name: '' }]);
});

test('callers that send the same files at the same time do not stand in each other’s way; one key is one send', async () => {
  const files = ['AAAA', 'BBBB', 'CCCC'].map((content) => file({ content }));
  const sent = await Promise.all(Array.from({ length: 20 }, (_, i) => send({ attachments: i % 2 ? files : files.toReversed() })));
  assert.equal(new Set(sent.map((one) => one.id)).size, 20);
  const [first, again] = [await send({ attachments: files }, { idempotencyKey: 'f' }), await send({ attachments: files }, { idempotencyKey: 'f' })];
  assert.equal(first.id, again.id);
  await refused(send({ attachments: files.slice(1) }, { idempotencyKey: 'f' }), 409, 'idempotency_key_reused');
});
