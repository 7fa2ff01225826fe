// Opens and clicks: what is kept and told of them, and who is taken for a person.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { type House, house } from '#testing/house.ts';
import { type Facts, judge } from './judge.ts';
import { recordClick, recordOpen } from './index.ts';

const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const MINUTE = 60_000;
const HOME = '81.2.69.142';

let h: House;
before(async () => void (h = await house()));
after(() => h.close());

type How = { agent?: string; from?: string; method?: 'GET' | 'HEAD'; headers?: Record<string, string> };
const visit = async (url: string, { agent = CHROME, from = HOME, method = 'GET', headers = {} }: How = {}) => {
  const answer = await h.app.inject({
    method,
    url: url.replace('http://house.test', ''),
    remoteAddress: from,
    headers: { ...(agent && { 'user-agent': agent }), ...headers },
  });
  return {
    status: answer.statusCode,
    location: answer.headers['location'],
    type: answer.headers['content-type'],
    raw: answer.rawPayload,
    headers: answer.headers,
  };
};

const LETTER = {
  subject: 'Hello',
  body_html: '<p>Hi</p><a href="https://x.test/a?b=1&amp;c=2">A</a> <a href="https://x.test/b">B</a> <a href="mailto:a@x.test">M</a>',
  body_text: 'https://x.test/a?b=1&c=2',
};

/** A tracked send that has left, the addresses in it, and what is known of it. */
async function tracked(workspace: string, more: object = {}) {
  const api = await h.api({ workspace });
  const inbox = await api.inboxes.createSandbox();
  const to = 'one@people.test';
  const wanted = { to, inbox_id: inbox.id, ...LETTER, track_opens: true, track_clicks: true, metadata: { deal: '42' }, ...more };
  const send = await api.sends.create(wanted);
  const [texts] = await rowsOf<{ body_html: string; body_text: string }>(h.db, 'select * from send_contents where send_id = $1', [send.id]);
  const links = [...texts!.body_html.matchAll(/href="(http:\/\/house\.test\/c\/[\w-]{68})"/g)].map(([, url]) => url!);
  const pixel = /<img src="(http:\/\/house\.test\/o\/[\w-]{68}\.gif)"/.exec(texts!.body_html)?.[1];
  const hits = () => rowsOf<Record<string, string>>(h.db, 'select * from hits where send_id = $1 order by nth', [send.id]);
  const told = async () => (await api.events.list({ limit: 100 })).data.filter((one) => /opened|clicked/.test(one.type)).toReversed();
  return { api, send, texts: texts!, links, pixel: pixel!, hits, told };
}

test('a reader opens and clicks: kept once each, told with who and why, and sent where the mail led', async () => {
  const { api, send, texts, links, pixel, hits, told } = await tracked('reader');
  assert.deepEqual([links.length, texts.body_text], [2, LETTER.body_text]);
  assert.match(texts.body_html, /href="mailto:a@x\.test"/);
  h.tick(MINUTE);
  const open = await visit(pixel);
  assert.deepEqual([open.status, open.type, open.raw.subarray(0, 6).toString()], [200, 'image/gif', 'GIF89a']);
  const click = await visit(links[0]!);
  assert.deepEqual([click.status, click.location, click.headers['set-cookie']], [302, 'https://x.test/a?b=1&c=2', undefined]);
  await visit(pixel);
  assert.deepEqual(
    (await hits()).map((one) => [one['nth'], one['kind'], one['made_by'], one['is_first'], one['url']]),
    [
      [1, 'open', 'human', true, null],
      [2, 'click', 'human', true, 'https://x.test/a?b=1&c=2'],
      [3, 'open', 'human', false, null],
    ],
  );
  assert.match((await hits())[0]!['address_hash']!, /^[0-9a-f]{32}$/);
  const [opened, clicked] = await told();
  const [message] = (await api.messages.list({ direction: 'outbound' })).data;
  assert.deepEqual(
    [opened!.type, opened!.resource_id, opened!.data['id'], opened!.metadata],
    ['message.opened', message!.id, message!.id, { deal: '42' }],
  );
  assert.deepEqual([clicked!.type, clicked!.data['url'], clicked!.data['send_id']], ['message.clicked', 'https://x.test/a?b=1&c=2', send.id]);
  assert.deepEqual([clicked!.data['kind'], clicked!.data['is_first']], ['human', true]);
});

test('[X6] the address that is gone to comes from the mail alone', async () => {
  const { links } = await tracked('override');
  for (const query of ['?url=https://evil.test', '?dest=//evil.test&redirect=https://evil.test'])
    assert.equal(
      (await visit(links[1]! + query, { headers: { 'x-forwarded-host': 'evil.test', referer: 'https://evil.test' } })).location,
      'https://x.test/b',
    );
  const other = await tracked('other');
  assert.equal((await visit(links[0]!.replace(/.{20}$/, other.links[0]!.slice(-20)))).status, 404);
});

test('[X7] what is no address of the web is not gone to, however it came into the table', async () => {
  const { api, send, links, hits } = await tracked('scheme', {
    body_html: '<a href="javascript:alert(1)">j</a><a href="data:text/html,x">d</a><a href="https://x.test/a">a</a>',
  });
  assert.equal(links.length, 1);
  for (const url of ['javascript:alert(1)', 'data:text/html,<script>', '//evil.test', 'file:///etc/passwd']) {
    await rowsOf(h.db, 'update tracked_links set urls = $2 where send_id = $1', [send.id, [url]]);
    const answer = await visit(links[0]!);
    assert.deepEqual([answer.status, answer.location], [404, undefined], url);
  }
  assert.deepEqual([await hits(), (await api.events.list({ type: 'message.clicked' })).data], [[], []]);
});

test('[X9] [X10] any address gives the same picture, and only one that is ours an event', async () => {
  const { api, pixel, hits } = await tracked('pixel');
  h.tick(MINUTE);
  const good = await visit(pixel);
  const bad = [
    pixel.replace(/.\.gif$/, '.gif'),
    pixel.replace('.gif', 'A.gif'),
    'http://house.test/o/x.gif',
    `http://house.test/o/${'A'.repeat(68)}.gif`,
  ];
  for (let i = 0; i < 200; i++) bad.push(`http://house.test/o/${String(i).padStart(68, 'B')}.gif`);
  const shape = ({ status, type, raw, headers }: typeof good) => JSON.stringify([status, type, raw.toString('hex'), Object.keys(headers).sort()]);
  for (const url of bad) assert.equal(shape(await visit(url)), shape(good), url);
  assert.equal((await hits()).length, 1);
  assert.equal((await api.events.list({ type: 'message.opened' })).data.length, 1);
  const [token] = pixel.split('/').slice(-1);
  for (const path of ['c', 'u'])
    assert.equal((await visit(`http://house.test/${path}/${token!.slice(0, 68)}`, { from: '81.2.69.144' })).status, 404, 'an open is no click');
});

test('[X12] a scanner that calls up everything within ten seconds of the delivery is no reader', async () => {
  const { links, pixel, hits, told } = await tracked('scanner');
  h.tick(9_000);
  for (const url of [pixel, ...links]) await visit(url);
  for (const one of await hits()) assert.deepEqual([one['made_by'], one['is_first']], ['scanner', false]);
  assert.deepEqual((await told()).map((one) => one.data['kind']), ['scanner', 'scanner', 'scanner']); // prettier-ignore
  h.tick(1_001);
  await visit(pixel);
  assert.deepEqual([(await hits()).at(-1)!['made_by'], (await hits()).at(-1)!['is_first']], ['human', true]);
});

test('several links at once show a scanner late; what was taken for a reader before is corrected', async () => {
  const { links, hits, told } = await tracked('burst');
  h.tick(10 * MINUTE);
  await Promise.all(links.map((url) => visit(url)));
  assert.deepEqual((await hits()).map((one) => [one['made_by'], one['is_first']]), [['scanner', false], ['scanner', false]]); // prettier-ignore
  assert.deepEqual((await told()).map((one) => one.data['kind']), ['human', 'scanner']); // prettier-ignore
  h.tick(MINUTE);
  await visit(links[0]!);
  h.tick(MINUTE);
  await visit(links[1]!);
  assert.deepEqual((await hits()).slice(2).map((one) => [one['made_by'], one['is_first']]), [['human', true], ['human', false]]); // prettier-ignore
});

test('one first open, however many come at once', async () => {
  const { pixel, hits } = await tracked('crowd');
  h.tick(MINUTE);
  await Promise.all(Array.from({ length: 30 }, () => visit(pixel)));
  const all = await hits();
  assert.deepEqual([all.length, all.filter((one) => one['is_first']).length], [30, 1]);
});

test('our own: from where the API is called, unless that is only a proxy', async () => {
  const { pixel, hits } = await tracked('own');
  h.tick(MINUTE);
  const key = await h.secretFor({ workspace: 'own' });
  const call = (remoteAddress: string, headers = {}) =>
    h.app.inject({ method: 'GET', url: '/v1/workspace', remoteAddress, headers: { authorization: `Bearer ${key}`, ...headers } });
  await call('89.160.20.112');
  await call('89.160.20.113', { 'x-forwarded-for': '81.2.69.160' });
  for (const from of ['89.160.20.112', '89.160.20.113', HOME]) await visit(pixel, { from });
  await visit(pixel, { from: '89.160.20.112', headers: { 'x-forwarded-for': HOME } });
  assert.deepEqual((await hits()).map((one) => one['made_by']), ['self', 'human', 'human', 'human']); // prettier-ignore
  assert.equal((await hits())[3]!['address_hash'], null);
});

test('a proxy that is trusted says where a request comes from, and no other does', async () => {
  await using place = await house({ env: { TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1' } });
  const statuses = async (remoteAddress: string, spoof: (i: number) => string) => {
    const seen = [];
    for (let i = 0; i < 70; i++)
      seen.push((await place.app.inject({ method: 'GET', url: '/u/x', remoteAddress, headers: { 'x-forwarded-for': spoof(i) } })).statusCode);
    return seen.filter((status) => status === 429).length;
  };
  assert.equal(await statuses('10.1.2.3', (i) => `203.0.113.${i}`), 0);
  assert.ok((await statuses('198.51.100.99', (i) => `203.0.113.${i}`)) > 0, 'a spoofed header gives no new address');
  assert.ok((await statuses('10.1.2.3', (i) => `203.0.113.${i}, 198.51.100.98`)) > 0, 'only what the proxy saw counts');
});

test('who is taken for what', () => {
  const facts: Facts = {
    kind: 'open',
    method: 'GET',
    userAgent: CHROME,
    address: HOME,
    isPrefetch: false,
    isOwn: false,
    sinceSentMs: MINUTE,
    otherLinks: 0,
  };
  const says = (more: Partial<Facts>) => judge({ ...facts, ...more }).made_by;
  const table: [Partial<Facts>, string][] = [
    [{}, 'human'],
    [{ kind: 'click' }, 'human'],
    [{ isOwn: true, method: 'HEAD' }, 'self'],
    [{ method: 'HEAD' }, 'scanner'],
    [{ isPrefetch: true }, 'prefetch'],
    [{ userAgent: ' ' }, 'scanner'],
    [{ userAgent: 'Mozilla/5.0' }, 'prefetch'],
    [{ userAgent: 'Mozilla/5.0', kind: 'click' }, 'human'],
    [{ userAgent: 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)' }, 'human'],
    [{ userAgent: 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html' }, 'human'],
    [{ userAgent: 'YahooMailProxy; https://help.yahoo.com/', sinceSentMs: 2_000 }, 'scanner'],
    [{ userAgent: 'python-requests/2.32' }, 'scanner'],
    [{ userAgent: 'curl/8.5.0' }, 'scanner'],
    [{ userAgent: 'Mozilla/5.0 (compatible; bingbot/2.0)' }, 'scanner'],
    [{ userAgent: 'Mozilla/5.0 HeadlessChrome/140.0' }, 'scanner'],
    [{ userAgent: 'BarracudaCentral/1.0' }, 'scanner'],
    [{ userAgent: 'Slackbot-LinkExpanding 1.0' }, 'scanner'],
    [{ userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148' }, 'human'],
    [{ userAgent: 'Microsoft Outlook 16.0' }, 'human'],
    [{ userAgent: 'Mozilla/5.0 (X11; Cubot) Firefox/130.0' }, 'human'],
    [{ address: '40.94.20.1' }, 'scanner'],
    [{ address: '148.163.130.9' }, 'scanner'],
    [{ address: '2a01:111:f400::1' }, 'human'],
    [{ address: null }, 'human'],
    [{ sinceSentMs: 9_999 }, 'scanner'],
    [{ sinceSentMs: 10_000 }, 'human'],
    [{ sinceSentMs: null }, 'scanner'],
    [{ kind: 'click', otherLinks: 1 }, 'scanner'],
  ];
  for (const [more, verdict] of table) assert.equal(says(more), verdict, JSON.stringify(more));
});

test('a mail that is opened before its outcome is written has its message all the same, once', async () => {
  const { api, send, pixel, hits, told } = await tracked('early');
  await rowsOf(h.db, `update sends set state = 'sending', sent_at = null where id = $1`, [send.id]);
  await rowsOf(h.db, 'delete from messages where rfc822_message_id = $1', [send.rfc822_message_id]);
  await Promise.all([visit(pixel), visit(pixel)]);
  assert.deepEqual((await hits()).map((one) => one['made_by']), ['scanner', 'scanner']); // prettier-ignore
  const messages = (await api.messages.list()).data;
  assert.deepEqual([messages.length, (await told()).map((one) => one.resource_id)], [1, [messages[0]!.id, messages[0]!.id]]);
});

test('nothing is kept of what has not left; a simulated reader needs no request; a mail takes a thousand', async () => {
  const waiting = await tracked('waiting', { send_at: new Date(h.now().getTime() + MINUTE).toISOString() });
  assert.equal((await visit(waiting.pixel)).status, 200);
  assert.deepEqual(await waiting.hits(), []);
  const { send, hits, told, pixel } = await tracked('simulated', { track_opens: true });
  const ctx = await h.ctx({ workspace: 'simulated' });
  const person = { made_by: 'human', because: 'The sandbox reads its mail.' } as const;
  await recordOpen(ctx, send.id, person);
  await recordClick(ctx, send.id, 'https://x.test/b', person);
  assert.deepEqual(
    (await hits()).map((one) => [one['kind'], one['made_by'], one['is_first']]),
    [
      ['open', 'human', true],
      ['click', 'human', true],
    ],
  );
  assert.deepEqual((await told()).map((one) => one.data['because']), [person.because, person.because]); // prettier-ignore
  await rowsOf(h.db, 'update hits set nth = 1000 where send_id = $1 and nth = 2', [send.id]);
  assert.equal((await visit(pixel)).status, 200);
  assert.equal((await hits()).length, 2);
});

test('a send that is not tracked stays as it was written; text alone has nothing to track', async () => {
  const plain = await tracked('plain', { track_opens: false, track_clicks: false });
  assert.deepEqual([plain.texts.body_html, plain.links, plain.pixel], [LETTER.body_html, [], undefined]);
  const api = await h.api({ workspace: 'plain' });
  const text = await api.sends.create({
    to: 'two@people.test',
    inbox_id: plain.send.inbox_id,
    subject: 'T',
    body_text: 'https://x.test',
    track_clicks: true,
    track_opens: true,
  });
  const [kept] = await rowsOf<Record<string, unknown>>(h.db, 'select body_html, body_text from send_contents where send_id = $1', [text.id]);
  assert.deepEqual(kept, { body_html: null, body_text: 'https://x.test' });
  const [counted] = await rowsOf<{ count: number }>(h.db, 'select count(*) from tracked_links where send_id = any($1)', [[text.id, plain.send.id]]);
  assert.equal(counted!.count, 0);
});
