import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Demo, demo } from './demo.ts';
import { serverUrl } from '#testing/database.ts';

const CSV = 'email\nann@example.com\n';

let d: Demo;
before(async () => void (d = await demo(serverUrl())));
after(async () => d[Symbol.asyncDispose]());

const part = (name: string, value: string, filename?: string) => {
  const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: text/csv`;
  return `--cut\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
};
const form = (...parts: string[]) => `${parts.join('')}--cut--\r\n`;
const FORM = 'multipart/form-data; boundary=cut';

async function upload(type: string, payload: string | Buffer, { query = '', idem }: { query?: string; idem?: string } = {}) {
  const headers = { authorization: 'Bearer write', 'content-type': type, ...(idem === undefined ? {} : { 'idempotency-key': idem }) };
  const reply = await d.app.inject({ method: 'POST', url: `/v1/uploads${query}`, headers, payload });
  const body = reply.json() as { error?: { code: string; param?: string } };
  return { status: reply.statusCode, body, code: body.error?.code, param: body.error?.param, replayed: reply.headers['idempotent-replayed'] };
}

test('a file arrives alike as a form, as itself and inside JSON', async () => {
  const fields = { audience_name: 'New', mapping: '{"email":"Mail"}' };
  const query = `?audience_name=New&mapping=${encodeURIComponent(fields.mapping)}`;
  const replies = [
    await upload(FORM, form(part('audience_name', 'New'), part('file', CSV, '../../etc/passwd'), part('mapping', fields.mapping))),
    await upload('text/csv; charset=utf-8', CSV, { query }),
    await upload('application/json', JSON.stringify({ csv: CSV, audience_name: 'New', mapping: { email: 'Mail' }, audience_id: null })),
  ];
  for (const reply of replies) assert.deepEqual([reply.status, reply.body], [201, { size: CSV.length, fields, dry_run: 'false' }]);
  assert.equal((await upload('text/csv', CSV, { query: '?dry_run=true' })).body['dry_run' as 'error'], 'true');
});

test('what is no upload is refused', async () => {
  const cases: [string, string | Buffer, number, string, string?][] = [
    ['text/plain', CSV, 415, 'unsupported_media_type'],
    ['application/zip', CSV, 415, 'unsupported_media_type'],
    ['application/json', '{"audience_id":"x"}', 422, 'parameter_missing', 'csv'],
    ['application/json', '{"csv":[]}', 422, 'validation_failed', 'csv'],
    ['application/json', '[]', 422, 'validation_failed'],
    [FORM, form(part('audience_name', 'x')), 422, 'parameter_missing', 'file'],
    [FORM, form(part('attachment', CSV, 'a.csv')), 422, 'unknown_parameter', 'attachment'],
    [FORM, form(part('file', CSV, 'a.csv'), part('file', CSV, 'b.csv')), 413, 'payload_too_large'],
    [FORM, form(part('a', '1'), part('a', '2'), part('file', CSV, 'a.csv')), 400, 'invalid_parameter', 'a'],
    [FORM, form(part('a', 'x'.repeat(70_000)), part('file', CSV, 'a.csv')), 413, 'payload_too_large', 'a'],
    [FORM, form(part('__proto__', 'x'), part('file', CSV, 'a.csv')), 400, 'invalid_parameter', 'file'],
    [FORM, part('file', CSV, 'a.csv').slice(0, -4), 400, 'invalid_parameter', 'file'],
    [FORM, '', 422, 'parameter_missing', 'file'],
    ['multipart/form-data', form(part('file', CSV, 'a.csv')), 400, 'invalid_parameter', 'file'],
    ['text/csv', Buffer.alloc(50 * 1024 * 1024 + 1, 'a'), 413, 'payload_too_large'],
    [FORM, form(part('file', 'a'.repeat(50 * 1024 * 1024 + 1), 'a.csv')), 413, 'payload_too_large'],
  ];
  for (const [type, payload, status, code, param] of cases) {
    const reply = await upload(type, payload);
    assert.deepEqual([reply.status, reply.code, reply.param], [status, code, param], `${type} ${payload.slice(0, 60).toString()}`);
  }
  assert.equal((await upload('text/csv', CSV, { query: '?a=1&a=2' })).code, 'invalid_parameter');
});

test('the key of an upload belongs to the file and its fields, not to the spelling of the form', async () => {
  const first = await upload(FORM, form(part('a', '1'), part('file', CSV, 'a.csv'), part('b', '2')), { idem: 'u1' });
  const again = await upload('multipart/form-data; boundary=cut', form(part('b', '2'), part('a', '1'), part('file', CSV, 'c.csv')), { idem: 'u1' });
  assert.deepEqual([first.status, again.status, again.replayed], [201, 201, 'true']);
  assert.equal((await upload(FORM, form(part('a', '2'), part('b', '2'), part('file', CSV, 'a.csv')), { idem: 'u1' })).code, 'idempotency_key_reused');
  assert.equal(
    (await upload(FORM, form(part('a', '1'), part('b', '2'), part('file', `${CSV}x`, 'a.csv')), { idem: 'u1' })).code,
    'idempotency_key_reused',
  );
});
