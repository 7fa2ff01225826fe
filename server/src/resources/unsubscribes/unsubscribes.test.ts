// The way out, from the mail as it arrives to the last event. The page is asked as browsers, mail programs and scanners ask.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { rowsOf } from '#store/db.ts';
import { humanReply } from '#testing/persona/people.ts';
import { type Stage, stage } from '#testing/stage.ts';

const ONE = 'one@people.test';
const MINUTE = 60_000;

type How = { body?: string | Buffer; headers?: Record<string, string>; from?: string };
const ask = async (s: Stage, method: string, url: string, { body, headers = {}, from = '203.0.113.9' }: How = {}) => {
  const answer = await s.h.app.inject({
    method: method as 'GET',
    url: url.replace('http://house.test', ''),
    headers,
    remoteAddress: from,
    ...(body !== undefined && { payload: body }),
  });
  return { status: answer.statusCode, html: answer.body, headers: answer.headers };
};
const post = (s: Stage, url: string, how: How = {}) => ask(s, 'POST', url, how);

const arrived = async (s: Stage, n = 0) => {
  const raw = s.office.deliveries[n]!.raw;
  const mail = await PostalMime.parse(raw);
  const header = (key: string) => mail.headers.find((one) => one.key === key)?.value;
  return { raw, mail, list: header('list-unsubscribe'), post: header('list-unsubscribe-post') };
};
const wayOut = async (s: Stage, n = 0) => /^<(http:\/\/house\.test\/u\/[\w-]{68})>$/.exec((await arrived(s, n)).list ?? '')![1]!;
const told = (s: Stage, type: string) =>
  rowsOf<{ data: Record<string, unknown> }>(s.h.db, 'select data from events where type = $1 order by sequence', [type]);

/** One person in two campaigns, mailed the first of two steps of each. */
async function mailed() {
  const s = await stage();
  const first = await s.campaign([ONE], { steps: 2 });
  const second = await s.campaign([ONE], { steps: 2 });
  await s.h.settle();
  const state = async () => ({
    contact: (await s.api.contacts.list({ email: ONE })).data[0]?.global_status,
    leads: [(await s.statuses(first.id))['one'], (await s.statuses(second.id))['one']],
    list: (await s.api.suppressions.list()).data.map((one) => [one.email, one.reason, one.source_send_id]),
  });
  const untouched = await state();
  assert.deepEqual(untouched, { contact: 'ok', leads: ['active', 'active'], list: [] });
  return { s, first, second, state, untouched };
}

test('every campaign mail arrives with both headers; a single send has none', async () => {
  const { s } = await mailed();
  await using _ = s;
  await s.send('two@people.test');
  await s.h.run(40 * MINUTE, 10 * MINUTE);
  assert.equal(s.office.deliveries.length, 5);
  const urls = new Set<string>();
  for (const n of s.office.deliveries.keys()) {
    const { list, post, mail } = await arrived(s, n);
    const isSingle = mail.subject === 'To two@people.test';
    assert.equal(post, isSingle ? undefined : 'List-Unsubscribe=One-Click');
    if (isSingle) assert.equal(list, undefined);
    else urls.add(await wayOut(s, n));
  }
  assert.equal(urls.size, 4, 'each mail has its own');
});

test('[X1] to look changes nothing: GET, HEAD, OPTIONS and what no page takes, by a browser or by a scanner', async () => {
  const { s, state, untouched } = await mailed();
  await using _ = s;
  const url = await wayOut(s);
  for (const [method, status] of [
    ['GET', 200],
    ['HEAD', 200],
    ['OPTIONS', 405],
    ['PUT', 405],
    ['DELETE', 405],
  ] as const) {
    for (const agent of ['Mozilla/5.0', 'Barracuda Sentinel', '']) {
      const answer = await ask(s, method, url, { headers: { 'user-agent': agent } });
      assert.equal(answer.status, status, method);
      if (status === 405) assert.equal(answer.headers['allow'], 'GET, HEAD, POST');
    }
  }
  assert.deepEqual(await state(), untouched);
  const { html, headers } = await ask(s, 'GET', url);
  assert.match(html, /<form method="post"><button type="submit">Unsubscribe<\/button><\/form>/);
  assert.match(html, /o•••@people\.test/);
  assert.doesNotMatch(html, /one@people|<script|src=|http:/);
  assert.match(
    String(headers['content-security-policy']),
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  assert.deepEqual([headers['referrer-policy'], headers['cache-control'], headers['x-frame-options']], ['no-referrer', 'no-store', 'DENY']);
});

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const BODIES: Record<string, How> = {
  'one click': { body: 'List-Unsubscribe=One-Click', headers: FORM },
  'the button': { body: '', headers: FORM },
  nothing: {},
  multipart: {
    body: '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  },
  JSON: { body: '{"x":1', headers: { 'content-type': 'application/json' } },
  'without a type': { body: 'x' },
};

test('[X2] [X5] POST unsubscribes within the call, whatever its body; no cookie, no redirect', async () => {
  await using s = await stage();
  for (const [i, [what, how]] of Object.entries(BODIES).entries()) {
    const email = `one${i}@people.test`;
    const { id, contacts } = await s.campaign([email], { steps: 2 });
    await s.h.settle();
    const n = s.office.deliveries.findIndex((one) => one.recipient === email);
    const answer = await post(s, await wayOut(s, n), { ...how, headers: { ...how.headers, cookie: 'session=x', origin: 'https://evil.test' } });
    assert.equal(answer.status, 200, what);
    assert.match(answer.html, /You are unsubscribed/);
    assert.deepEqual(
      [answer.headers['set-cookie'], answer.headers['location'], answer.headers['access-control-allow-origin']],
      [undefined, undefined, undefined],
    );
    assert.equal((await s.api.contacts.retrieve(contacts[0]!.id)).global_status, 'unsubscribed', what);
    assert.deepEqual(Object.values(await s.statuses(id)), ['unsubscribed'], what);
  }
});

test('[X4] a hundred times at once: everything ends once, is told once, and nothing leaves any more', async () => {
  const { s, state } = await mailed();
  await using _ = s;
  s.h.tick(31 * MINUTE);
  await s.h.campaigns.step();
  const url = await wayOut(s);
  const answers = await Promise.all(Array.from({ length: 100 }, () => post(s, url)));
  assert.deepEqual(new Set(answers.map((one) => `${one.status}`)), new Set(['200']));
  const [send] = await rowsOf<{ id: string; campaign_id: string }>(s.h.db, 'select id, campaign_id from sends where rfc822_message_id = $1', [
    s.office.deliveries[0]!.messageId,
  ]);
  const ended = { contact: 'unsubscribed', leads: ['unsubscribed', 'unsubscribed'], list: [[ONE, 'unsubscribe', send!.id]] };
  assert.deepEqual(await state(), ended);
  assert.deepEqual(
    (await told(s, 'contact.unsubscribed')).map((one) => one.data['source']),
    [send!.campaign_id],
  );
  assert.equal((await told(s, 'send.canceled')).length, 2, 'what was planned is taken back');
  await s.h.run(60 * MINUTE, 20 * MINUTE);
  assert.equal(s.office.deliveries.length, 2);
  assert.match((await ask(s, 'GET', url)).html, /You are unsubscribed/);
});

test('[X3] [X10] what is no link of ours looks the same, whatever is wrong with it, and is soon too much', async () => {
  const { s, state, untouched } = await mailed();
  await using _ = s;
  const url = await wayOut(s);
  const flipped = url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const bad = [
    url.slice(0, -1),
    flipped,
    url.replace(/\/u\/../, '/u/AA'),
    `${url}A`,
    url.replace('/u/', '/u/x'),
    'http://house.test/u/x',
    `http://house.test/u/${'A'.repeat(68)}`,
  ];
  for (const method of ['GET', 'POST']) {
    const answers = [];
    for (const one of bad) answers.push(await ask(s, method, one));
    assert.equal(new Set(answers.map((one) => `${one.status} ${one.html} ${one.headers['content-length']}`)).size, 1);
    assert.equal(answers[0]!.status, 404);
  }
  const statuses = [];
  for (let i = 0; i < 100; i++) statuses.push((await post(s, `http://house.test/u/${String(i).padStart(68, 'A')}`)).status);
  assert.ok(statuses.indexOf(429) > 10 && statuses.at(-1) === 429, statuses.join());
  assert.match(String((await post(s, bad[0]!)).headers['retry-after']), /^\d+$/);
  assert.equal((await ask(s, 'GET', bad[0]!, { from: '203.0.113.10' })).status, 404, 'others are not kept waiting');
  assert.deepEqual(await state(), untouched);
  assert.equal((await post(s, url)).status, 200, 'a link that is ours always works');
});

test('[X8] the link works when campaign and contact are long deleted', async () => {
  const { s, first, second } = await mailed();
  await using _ = s;
  const [contact] = (await s.api.contacts.list({ email: ONE })).data;
  for (const { id } of [first, second]) await s.api.campaigns.pause(id).then(() => s.api.campaigns.delete(id));
  assert.equal((await post(s, await wayOut(s, 0))).status, 200);
  assert.equal((await s.api.contacts.retrieve(contact!.id)).global_status, 'unsubscribed');
  const [suppression] = (await s.api.suppressions.list()).data;
  await s.api.suppressions.delete(suppression!.id);
  await s.api.contacts.delete(contact!.id);
  assert.equal((await post(s, await wayOut(s, 1))).status, 200);
  assert.deepEqual(
    (await s.api.suppressions.list()).data.map((one) => [one.email, one.reason]),
    [[ONE, 'unsubscribe']],
  );
});

test('[X11] links lead where the settings say, whatever host a request names', async () => {
  const { s } = await mailed();
  await using _ = s;
  const { html, headers } = await ask(s, 'GET', await wayOut(s), {
    headers: { host: 'evil.test', 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' },
  });
  assert.doesNotMatch(html + JSON.stringify(headers), /evil/);
});

test('the footer and the variable: one visible way out in each part, and no attribute stands in for it', async () => {
  await using s = await stage();
  const steps = [
    { subject: 'Plain', body_html: '<p>Hi</p>', body_text: 'Hi' },
    { subject: 'Own', body_html: '<p>Hi</p><a href="{{unsubscribe_url}}">No more</a>', body_text: 'Hi, {{unsubscribe_url}}', delay_minutes: 1 },
  ];
  const contact = await s.api.contacts.create({ email: ONE, attributes: { unsubscribe_url: 'https://evil.test' } });
  const sequence = await s.api.sequences.create({ name: 'S', steps });
  const schedule = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };
  const wanted = { name: 'C', sequence_id: sequence.id, sending_inbox_ids: [s.inbox.id], schedule, inject_unsubscribe_footer: true };
  const { id } = await s.api.campaigns.create(wanted);
  await s.api.campaigns.addContacts(id, { contact_ids: [contact.id] });
  assert.deepEqual((await s.api.campaigns.start(id, { dry_run: true })).warnings, []);
  await s.api.campaigns.start(id);
  await s.h.run(5 * MINUTE);
  for (const n of [0, 1]) {
    const { mail } = await arrived(s, n);
    const url = await wayOut(s, n);
    for (const part of [mail.html, mail.text]) assert.equal(part!.split(url).length, 2, String(part));
  }
  assert.match((await arrived(s, 0)).mail.html!, />Unsubscribe<\/a>/);
  assert.doesNotMatch((await arrived(s, 1)).mail.html!, />Unsubscribe</);
});

test('the words in an answer do what the link does, besides being an answer', async () => {
  const { s, state } = await mailed();
  await using _ = s;
  const { raw } = await arrived(s);
  const answer = humanReply({ to: raw, from: ONE, date: s.h.now(), text: 'Please take me off your list.' });
  s.office.imap.deliver('ann@sender.test', 'INBOX', answer, { internalDate: s.h.now() });
  await s.readMail();
  const { contact, leads, list } = await state();
  assert.deepEqual([contact, leads, list.map((one) => one.slice(0, 2))], ['unsubscribed', ['unsubscribed', 'unsubscribed'], [[ONE, 'unsubscribe']]]);
  assert.equal((await told(s, 'message.replied')).length, 1);
  assert.match(String((await told(s, 'contact.unsubscribed'))[0]!.data['source']), /^cmp_/);
  const [message] = (await s.api.messages.list({ direction: 'inbound' })).data;
  assert.deepEqual([message!.classification, message!.verdict!.rule], ['reply', 'person.opt_out']);
  assert.match(message!.verdict!.because, /“take me off your list”/);
});
