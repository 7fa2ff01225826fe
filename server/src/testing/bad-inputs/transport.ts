import { gzipSync } from 'node:zlib';
import { type Family, alike } from './case.ts';

const POST = 'POST /v1/contacts';
const GOOD = '{"email":"new@example.com"}';
const json = { 'content-type': 'application/json' };

const withoutKey: Family = ({ keys }) => [
  ...alike(
    'T1',
    [401, 'invalid_api_key'],
    [
      { line: 'GET /v1/contacts', key: null },
      { line: POST, raw: GOOD, key: null },
    ],
  ),
  { id: 'T2', line: 'GET /v1/contacts', key: null, headers: { authorization: `Basic ${btoa(`${keys.test}:`)}` }, expect: [401, 'invalid_api_key'] },
  ...alike(
    'T3',
    [401, 'invalid_api_key'],
    ['Bearer', 'Bearer ', `Bearer ${keys.test} ${keys.test}`, `Bearer ${keys.test},${keys.live}`, `Bearer ${keys.test}x`].map((authorization) => ({
      line: 'GET /v1/contacts',
      key: null,
      headers: { authorization },
    })),
  ),
  { id: 'T4', line: 'GET /v1/contacts', key: `svc_test_${'a'.repeat(10_000)}`, expect: [401, 'invalid_api_key'] },
  { id: 'T6', line: 'GET /v1/contacts', key: keys.test.replace('svc_test_', 'svc_live_'), expect: [401, 'invalid_api_key'] },
  { id: 'T7', line: 'GET /v1/contacts', key: keys.test.slice(0, -1) + (keys.test.endsWith('a') ? 'b' : 'a'), expect: [401, 'invalid_api_key'] },
  { id: 'T8', line: `GET /v1/contacts?api_key=${keys.test}`, key: null, expect: [401, 'invalid_api_key'] },
];

const bodies: Family = () => [
  ...alike(
    'T9',
    [400, 'invalid_json'],
    ['{', 'email=a', '{"email":}', "{'email':1}"].map((raw) => ({ line: POST, raw, headers: json })),
  ),
  ...alike(
    'T10',
    [422, 'validation_failed'],
    ['[]', '"x"', 'null', '7'].map((raw) => ({ line: POST, raw, headers: json })),
  ),
  { id: 'T11', line: POST, raw: GOOD, headers: { 'content-type': 'text/plain' }, expect: [415, 'unsupported_media_type'] },
  { id: 'T12', line: POST, raw: Buffer.from(`\ufeff${GOOD}`, 'utf16le'), headers: json, expect: [400, 'invalid_json'] },
  { id: 'T12', line: POST, raw: GOOD, headers: { 'content-type': 'application/json; charset=utf-16' }, expect: [415, 'unsupported_media_type'] },
  // A byte order mark and a repeated key are taken as most parsers take them: passed over, the last one counts.
  { id: 'T13', line: POST, raw: `\ufeff{"email":"bom@example.com"}`, headers: json, expect: [201] },
  { id: 'T14', line: POST, raw: '{"email":"no","email":"twice@example.com"}', headers: json, expect: [201] },
  { id: 'T15', line: POST, raw: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, headers: json, expect: [400, 'invalid_json'] },
  { id: 'T16', line: POST, raw: Buffer.alloc(50 * 1024 * 1024, 0x20), headers: json, expect: [413, 'payload_too_large'] },
  ...alike(
    'T17',
    [422, 'validation_failed', 'attributes.n'],
    [{ line: POST, raw: '{"email":"n@example.com","attributes":{"n":1e400}}', headers: json }],
  ),
  {
    id: 'T17',
    line: 'POST /v1/sequences',
    body: { name: 'x', steps: [{ subject: 'x', body_text: 'x', delay_days: 1.5 }] },
    expect: [422, 'validation_failed', 'steps[0].delay_days'],
  },
  ...alike(
    'T18',
    [422, 'validation_failed', 'attributes.a'],
    [{ line: POST, raw: '{"email":"n@example.com","attributes":{"a":"\\u0000"}}', headers: json }],
  ),
  ...alike(
    'T19',
    [422, 'validation_failed', 'attributes.a'],
    [{ line: POST, raw: '{"email":"n@example.com","attributes":{"a":"\\ud800"}}', headers: json }],
  ),
  ...alike(
    'T20',
    [422, 'unknown_parameter', '__proto__'],
    [{ line: POST, raw: '{"__proto__":{"email":"p@example.com"},"email":"q@example.com"}', headers: json }],
  ),
  { id: 'T23', line: POST, raw: gzipSync(Buffer.alloc(10_000_000)), headers: { ...json, 'content-encoding': 'gzip' }, expect: [400, 'invalid_json'] },
  { id: 'T26', line: POST, body: { email: 'x@example.com', e_mail: 'y@example.com' }, expect: [422, 'unknown_parameter', 'e_mail'] },
];

const lines: Family = () => [
  ...alike(
    'T24',
    [405, 'method_not_allowed'],
    ['PUT /v1/contacts', 'PATCH /v1/contacts', 'DELETE /v1/contacts', 'PUT /v1'].map((line) => ({ line })),
  ),
  ...alike(
    'T25',
    [404, 'resource_missing'],
    ['GET /v1/%2e%2e%2fcontacts', 'GET /v1/contacts/%00', 'GET //v1/contacts', 'GET /v1/contacts/', 'GET /V1/contacts', 'GET /v1/contacts/%zz'].map(
      (line) => ({ line }),
    ),
  ),
  { id: 'T27', line: 'HEAD /v1/contacts', expect: [200] },
  { id: 'T27', line: 'OPTIONS /v1/contacts', expect: [405, 'method_not_allowed'] },
];

export const transport: Family = (scene) => [...withoutKey(scene), ...bodies(scene), ...lines(scene)];
