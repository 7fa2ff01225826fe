import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, beforeEach, test } from 'node:test';
import { costOf } from '#testing/cost.ts';
import { type Desk, desk } from '#testing/desk.ts';

let d: Desk;
before(async () => void (d = await desk()));
beforeEach(() => d.told());
after(() => d[Symbol.asyncDispose]());

const send = (csv: string | Buffer, query = '') => d.call(`POST /v1/contact_imports${query && `?${query}`}`, csv, { type: 'text/csv' });
const byEmail = async (email: string) => (await d.call(`GET /v1/contacts?email=${encodeURIComponent(email)}`)).body.data[0];
const faults = (body: { errors: { row?: unknown; error: { code: string } }[] }) => body.errors.map((one) => [one.row, one.error.code]);
const counts = async () => [
  await d.count('contacts'),
  await d.count('audiences'),
  await d.count('audience_contacts'),
  await d.count('contact_imports'),
];

test('rows become contacts, told one by one, and the job tells how it went', async () => {
  const known = (await d.call('POST /v1/contacts', { email: 'old@example.com', attributes: { city: 'Bonn', age: '7' } })).body;
  await d.told();
  const { status, body } = await send('Email,First Name,City\nnew@example.com,Ann,\nOLD@example.com,Bob,Rome\nbad,Eve,\n');
  assert.equal(status, 200);
  const { id, errors, ...rest } = body;
  const at = '2026-11-21T09:00:00.000Z';
  assert.deepEqual(rest, {
    object: 'contact_import',
    mode: 'test',
    status: 'succeeded',
    total_rows: 3,
    succeeded_rows: 2,
    failed_rows: 1,
    audience_id: null,
    audience_created: false,
    created_at: at,
    started_at: at,
    completed_at: at,
  });
  assert.deepEqual(errors, [
    {
      row: 4,
      email: 'bad',
      column: 'Email',
      error: { type: 'invalid_request_error', code: 'invalid_email', message: 'This is not an e-mail address.' },
    },
  ]);
  assert.deepEqual((await byEmail('new@example.com'))!.attributes, { first_name: 'Ann' });
  const merged = (await byEmail('old@example.com'))!;
  assert.deepEqual([merged.id, merged.email, merged.attributes], [known.id, 'old@example.com', { age: '7', city: 'Rome', first_name: 'Bob' }]);
  const told = await d.told();
  assert.deepEqual(told.map((one) => one.type).sort(), ['contact.created', 'contact.updated', 'import.completed']);
  assert.deepEqual(told.at(-1)!.data, body);
  assert.deepEqual((await d.call(`GET /v1/contact_imports/${id}`)).body, body);
  assert.deepEqual((await d.call('GET /v1/contact_imports')).body.data[0], body);
  assert.equal((await d.call(`GET /v1/contact_imports/${id}`, undefined, { key: d.keys.live })).status, 404);
});

test('every encoding, separator and line end', async () => {
  const text = 'email;name\r\nMÜLLER;x\r\n';
  const utf16 = (mark: boolean, swap: boolean, words: string) => {
    const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${words}`, 'utf16le');
    return swap ? bytes.swap16() : bytes;
  };
  assert.equal((await send(text)).body['failed_rows'], 1);
  const files: [string, Buffer | string][] = [
    ['utf8 with a mark', '\ufeffemail,name\ne0@example.com,Zoë'],
    ['utf-16le', utf16(true, false, 'email,name\ne1@example.com,Zoë')],
    ['utf-16be', utf16(true, true, 'email,name\ne2@example.com,Zoë')],
    ['utf-16le without a mark', utf16(false, false, 'email,name\ne3@example.com,Zoë')],
    ['utf-16be without a mark', utf16(false, true, 'email,name\ne4@example.com,Zoë')],
    ['windows-1252', Buffer.from('email,name\ne5@example.com,Zo\xeb', 'latin1')],
    ['semicolons', 'email;name\ne6@example.com;Zoë'],
    ['tabs', 'email\tname\ne7@example.com\tZoë'],
    ['bars', 'email|name\ne8@example.com|Zoë'],
    ['old Mac', 'email,name\re9@example.com,Zoë\r'],
    ['mixed line ends, blank lines', '\r\nemail,name\r\n\ne10@example.com,Zoë\r\r\n'],
    ['commas inside quotes of the header', '"a,b,c";email;name\n"x;\n""y""";e11@example.com;Zoë'],
  ];
  for (const [index, [what, file]] of files.entries()) {
    const { body } = await send(file);
    assert.deepEqual([what, body['status'], body['succeeded_rows'], body['failed_rows']], [what, 'succeeded', 1, 0]);
    assert.equal((await byEmail(`e${index}@example.com`))?.attributes['name'], 'Zoë', what);
  }
  assert.equal((await byEmail('e11@example.com'))!.attributes['a_b_c'], 'x;\n"y"');
});

test('columns: found by name, by content, by mapping; every other one becomes an attribute', async () => {
  await send('Kontakt,Name,name,,__proto__\nc1@example.com,a,b,c,d');
  assert.deepEqual((await byEmail('c1@example.com'))!.attributes, { name: 'a', name_2: 'b', column_4: 'c', proto: 'd' });
  await send('E-Mail Address,Straße\nc2@example.com,=HYPERLINK("x")');
  assert.deepEqual((await byEmail('c2@example.com'))!.attributes, { straße: '=HYPERLINK("x")' });
  const mapping = { email: 'work email', attributes: { company: 'Organisation' } };
  const csv = 'Email,Work Email,Organisation,Rest\nno@example.com,c3@example.com,Acme,r';
  assert.equal((await d.call('POST /v1/contact_imports', { csv, mapping })).body['succeeded_rows'], 1);
  assert.deepEqual((await byEmail('c3@example.com'))!.attributes, { company: 'Acme' });
  assert.equal(await byEmail('no@example.com'), undefined);
  const refused: [object, string][] = [
    [{ email: 'Nope' }, 'mapping.email'],
    [{ attributes: { company: 'Nope' } }, 'mapping.attributes.company'],
    [{ attributes: { lead_classification: 'Rest' } }, 'mapping'],
    [{ attributes: { 'a\0': 'Rest' } }, 'mapping'],
    [{ mail: 'Email' }, 'mapping'],
  ];
  for (const [wrong, param] of refused) {
    const { status, body } = await d.call('POST /v1/contact_imports', { csv, mapping: wrong });
    assert.equal(status, 422, JSON.stringify(wrong));
    assert.ok(body.error.param.startsWith(param), body.error.param);
  }
  assert.equal((await d.call('POST /v1/contact_imports', { csv, mapping: '{' })).body.error.param, 'mapping');
  assert.equal((await send('email,Lead Classification\nc4@example.com,interested')).status, 422);
});

test('row errors: where, what, and in the order of the file', async () => {
  const { body } = await send('email,name\n\nr1@example.com,a\n,b\nR1@example.com,c\nx y,d\nr2@example.com,e,too much\nr3@example.com\n');
  assert.deepEqual(faults(body), [
    [4, 'invalid_email'],
    [5, 'duplicate_row'],
    [6, 'invalid_email'],
    [7, 'validation_failed'],
  ]);
  assert.deepEqual([body['total_rows'], body['succeeded_rows'], body['failed_rows'], body['status']], [6, 2, 4, 'succeeded']);
  assert.equal(body.errors[1]!['email'], 'R1@example.com');
  const many = await send(`email\n${'bad\n'.repeat(1500)}ok@example.com\n`);
  assert.deepEqual([many.body['failed_rows'], many.body.errors.length], [1500, 1000]);
});

test('nothing that could be read or imported: a failed job, and nothing else', async () => {
  const before = await counts();
  const files: [string, Buffer | string][] = [
    ['empty', ''],
    ['blank', '\n\n  \n'],
    ['header only', 'email,name\n'],
    ['no address column', 'a,b\n1,2\n'],
    ['no header', 'a@example.com,Ann\nb@example.com,Bob\n'],
    ['NUL', 'email\na\0@example.com\n'],
    ['unclosed quote', 'email,name\na@example.com,"x\nb@example.com,y\n'],
    ['one endless line', `email,${'x'.repeat(3_000_000)}`],
    ['a line of nothing but commas', ','.repeat(10_000_000)],
    ['10,000 columns', `email,${'x,'.repeat(9_999)}\na@example.com`],
    ['zip', Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(100)])],
    ['all rows bad', 'email\nbad\n'],
  ];
  for (const [what, file] of files) {
    const { status, body } = await send(file, 'audience_name=Never');
    assert.deepEqual([what, status, body['status'], body['succeeded_rows'], body['audience_id']], [what, 200, 'failed', 0, null]);
    assert.equal(body.errors.length, 1, what);
  }
  assert.deepEqual(await counts(), [before[0], before[1], before[2], before[3]! + files.length]);
  assert.deepEqual(new Set((await d.told()).map((one) => one.type)), new Set(['import.failed']));
});

test('a dry run counts like the run and writes nothing', async () => {
  const csv = 'email,n\nd1@example.com,1\nold@example.com,2\nD1@example.com,3\nbad,4\n';
  const before = await counts();
  const { body } = await send(csv, 'dry_run=true&audience_name=Dry');
  assert.deepEqual([body['object'], body['total_rows'], body['valid_rows'], body['invalid_rows']], ['contact_import_dry_run', 4, 2, 2]);
  assert.match(body.id, /^dryrun_/);
  assert.deepEqual(faults(body), [
    [4, 'duplicate_row'],
    [5, 'invalid_email'],
  ]);
  assert.deepEqual([await counts(), await d.told()], [before, []]);
  assert.equal((await send(csv)).body['succeeded_rows'], body['valid_rows']);
});

test('into an audience: a known one, a new one, none of another tenant', async () => {
  const { id } = (await d.call('POST /v1/audiences', { name: 'A' })).body;
  const known = await send('email\na1@example.com\nold@example.com', `audience_id=${id}`);
  assert.deepEqual([known.body['audience_id'], known.body['audience_created']], [id, false]);
  const fresh = await send('email\na1@example.com', 'audience_name=Fair%202026');
  assert.equal(fresh.body['audience_created'], true);
  const made = (await d.call(`GET /v1/audiences/${String(fresh.body['audience_id'])}`)).body;
  assert.deepEqual([made['name'], made['contact_count'], (await d.call(`GET /v1/audiences/${id}`)).body['contact_count']], ['Fair 2026', 1, 2]);
  const before = await counts();
  const foreign = (await d.call('POST /v1/audiences', { name: 'x' }, { key: d.keys.otherTest })).body.id;
  for (const query of [`audience_id=${foreign}`, `audience_id=${foreign}&dry_run=true`]) {
    const { status, body } = await send('email\na2@example.com', query);
    assert.deepEqual([status, body.error.code, body.error.param], [404, 'resource_missing', 'audience_id']);
  }
  assert.equal((await send('email\na2@example.com', `audience_id=${id}&audience_name=B`)).status, 422);
  assert.deepEqual(await counts(), [before[0], before[1]! + 1, before[2], before[3]]);
});

test('skip leaves known contacts alone; a suppressed address stays suppressed', async () => {
  const before = await byEmail('old@example.com');
  await d.call('POST /v1/suppressions', { email: 'sup@example.com' });
  const { body } = await send('email,city\nold@example.com,Paris\nsup@example.com,Oslo', 'on_conflict=skip');
  assert.equal(body['succeeded_rows'], 2);
  assert.deepEqual(await byEmail('old@example.com'), before);
  assert.equal((await d.call('GET /v1/suppressions?email=sup@example.com')).body.data.length, 1);
});

test('what is refused before anything is written', async () => {
  const before = await counts();
  const form = (parts: string) => d.call('POST /v1/contact_imports', `--b\r\n${parts}\r\n--b--\r\n`, { type: 'multipart/form-data; boundary=b' });
  const answers: [Awaited<ReturnType<typeof send>>, number, string][] = [
    [await send('email\na@example.com', 'dry_run=TRUE'), 400, 'invalid_parameter'],
    [await send('email\na@example.com', 'on_conflict=replace'), 422, 'validation_failed'],
    [await send('email\na@example.com', 'colour=red'), 422, 'unknown_parameter'],
    [await send('email\na@example.com', 'audience_id=aud_1'), 404, 'resource_missing'],
    [await send(`email\n${'\n'.repeat(10_000_000)}`), 413, 'payload_too_large'],
    [await form('Content-Disposition: form-data; name="audience_name"\r\n\r\nx'), 422, 'parameter_missing'],
    [await d.call('POST /v1/contact_imports', { mapping: {} }), 422, 'parameter_missing'],
    [await d.call('POST /v1/contact_imports', 'email', { type: 'text/plain' }), 415, 'unsupported_media_type'],
  ];
  for (const [{ status, body }, wanted, code] of answers) assert.deepEqual([status, body.error.code], [wanted, code]);
  assert.deepEqual(await counts(), before);
});

test('a form with a file and fields; the same key again has no second effect', async () => {
  const form =
    '--b\r\nContent-Disposition: form-data; name="audience_name"\r\n\r\nForm\r\n' +
    '--b\r\nContent-Disposition: form-data; name="file"; filename="../../etc/passwd"\r\nContent-Type: text/csv\r\n\r\n' +
    'email\nform@example.com\r\n--b--\r\n';
  const post = () => d.call('POST /v1/contact_imports', form, { type: 'multipart/form-data; boundary=b', idem: 'imp-1' });
  const first = await post();
  assert.deepEqual([first.status, first.body['succeeded_rows'], first.body['audience_created']], [200, 1, true]);
  const before = await counts();
  assert.deepEqual((await post()).body, first.body);
  assert.deepEqual(await counts(), before);
});

test('a connection that is cut during the upload imports nothing', async () => {
  const before = await counts();
  await d.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = d.app.server.address() as AddressInfo;
  const part = 'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\ncut1@example.com\ncut2@example.com\n';
  for (const [type, body] of [
    ['text/csv', 'email\ncut1@example.com\n'],
    ['multipart/form-data; boundary=b', `--b\r\n${part}`],
  ]) {
    const headers = `Authorization: Bearer ${d.keys.test}\r\nContent-Type: ${type}\r\nContent-Length: 100000`;
    const socket = connect(port, '127.0.0.1');
    const arrived = once(d.app.server, 'request');
    socket.write(`POST /v1/contact_imports HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`);
    const [request] = (await arrived) as [IncomingMessage];
    const gone = new Promise((resolve) => request.once('error', () => undefined).once('close', resolve));
    socket.destroy();
    await gone;
  }
  // Whatever the server still did has had its turn when it answers this.
  assert.equal(await byEmail('cut1@example.com'), undefined);
  assert.deepEqual(await counts(), before);
});

test('ten thousand rows take little of this process, and never hold it up for long', async (t) => {
  const rows = Array.from({ length: 10_000 }, (_, i) => `big${i}@example.com,First ${i},Company ${i % 97},${i}`);
  const csv = Buffer.from(`email,first_name,company,number\n${rows.join('\n')}\n`);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let body: Awaited<ReturnType<typeof send>>['body'] | undefined;
  const cost = await costOf(async () => {
    delay.enable();
    ({ body } = await send(csv, 'audience_name=Big'));
    delay.disable();
  });
  const shown = (nanoseconds: number) => `${(nanoseconds / 1e6).toFixed(1)} ms`;
  t.diagnostic(`${cost.toFixed(1)} units of CPU; event loop p99 ${shown(delay.percentile(99))}, worst ${shown(delay.max)}`);
  assert.deepEqual([body?.['succeeded_rows'], body?.['status']], [10_000, 'succeeded']);
  // It comes to about 10.
  assert.ok(cost < 60, `${cost}`);
  assert.equal((await d.told()).filter((one) => one.type === 'contact.created').length, 10_000);
});
