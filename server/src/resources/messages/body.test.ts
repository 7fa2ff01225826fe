import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiError, ProviderError, RateLimitError } from '@postrider/sdk';
import { house } from '#testing/house.ts';
import { dateLine, letter } from '#testing/persona/original.ts';
import { refused } from '#testing/refused.ts';
import { type Stage, stage } from '#testing/stage.ts';

const ANN = 'ann@sender.test';
const ID = '<one@people.test>';

function mime(s: Stage, more: string[] = []) {
  return letter(
    [
      'From: one@people.test',
      `To: ${ANN}`,
      'Subject: Hello',
      dateLine(s.h.now()),
      `Message-ID: ${ID}`,
      'Content-Type: multipart/alternative; boundary=b',
      ...more,
    ],
    [
      '--b',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Gr=FC=DFe',
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p onclick="alert(1)">Hi <b>Ann</b></p><script>alert(1)</script>',
      '--b--',
      '',
    ].join('\r\n'),
  );
}
async function received(s: Stage, raw: Buffer): Promise<string> {
  await s.readMail();
  s.office.imap.deliver(ANN, 'INBOX', raw, { internalDate: s.h.now() });
  await s.readMail();
  return (await s.api.messages.list({ direction: 'inbound' })).data[0]!.id;
}

test('the text and the cleaned HTML come from the mailbox, wherever the message is by now', async () => {
  await using s = await stage();
  const id = await received(s, mime(s));
  const body = await s.api.messages.body(id);
  const { object, message_id: of, html, text, truncated } = body;
  assert.deepEqual([object, of, text?.trim(), truncated], ['message_body', id, 'Grüße', false]);
  assert.match(html!, /<p>Hi <b>Ann<\/b><\/p>/);
  assert.doesNotMatch(html!, /script|onclick/);
  const [stored] = s.office.imap.messages(ANN, 'INBOX');
  for (const folder of ['Junk', 'Sent', 'Trash']) {
    for (const from of ['INBOX', 'Junk', 'Sent']) for (const { uid } of s.office.imap.messages(ANN, from)) s.office.imap.expunge(ANN, from, uid);
    s.office.imap.deliver(ANN, folder, stored!.raw);
    assert.equal((await s.api.messages.body(id)).text, text, folder);
  }
  s.office.imap.resetUidValidity(ANN, 'Trash');
  assert.equal((await s.api.messages.body(id)).text, text);
});

test('what was sent is read from Sent; where no copy is filed it has no body', async () => {
  for (const filesSent of [true, false]) {
    await using s = await stage({ filesSent });
    await s.send('one@people.test');
    await s.h.settle();
    const [message] = (await s.api.messages.list({ direction: 'outbound' })).data;
    if (filesSent) assert.equal((await s.api.messages.body(message!.id)).text?.trim(), 'Hello');
    else await refused(s.api.messages.body(message!.id), 502, 'body_unavailable');
  }
});

test('what the mailbox cannot give is a 502 that tells no secret, in time', async () => {
  await using s = await stage();
  const id = await received(s, mime(s));
  const words = new Set<string>();
  const unavailable = async () => {
    const error = await refused(s.api.messages.body(id), 502, 'body_unavailable');
    assert.ok(error instanceof ProviderError);
    words.add(error.message);
    assert.doesNotMatch(error.message, /127\.0\.0\.1|password|sender\.test|AUTHENTICATIONFAILED|\d{4,}/i);
  };
  for (const silent of ['GREETING', 'EXAMINE', 'UID FETCH', 'LIST']) {
    s.office.imap.follow(({ command }) => (command === silent ? 'drop' : undefined));
    if (silent !== 'LIST') await unavailable();
  }
  s.office.imap.follow(({ command }) => (command === 'EXAMINE' ? { no: '[SERVERBUG] secret words of the server' } : undefined));
  await unavailable();
  s.office.imap.follow(undefined);
  s.office.imap.expunge(ANN, 'INBOX', 1);
  await unavailable();
  s.office.imap.setPassword(ANN, 'changed');
  await unavailable();
  await s.api.inboxes.delete(s.inbox.id);
  await unavailable();
  assert.deepEqual([...words].filter((one) => /secret/.test(one)), []); // prettier-ignore
  assert.ok(words.size >= 4, [...words].join(' | '));
  assert.doesNotMatch(s.h.lines.join('\n'), /correct horse/);
});

test('a mailbox that hangs costs twenty seconds at most, and its inbox a short line', async () => {
  await using s = await stage();
  const id = await received(s, mime(s));
  // The machine's deadlines, taken together: what is due after much time is due now.
  const { clock } = s.h.world;
  const after = clock.after;
  const due: (() => void)[] = [];
  clock.after = (ms, run) => (ms === 20_000 ? (due.push(run), () => undefined) : after(ms, run));
  s.office.imap.follow(({ command }) => (command === 'UID FETCH' ? 'hang' : undefined));
  const asked = Array.from({ length: 9 }, () => s.api.messages.body(id).catch((error: ApiError) => error));
  const full = (await Promise.race(asked)) as unknown as RateLimitError;
  assert.ok(full instanceof RateLimitError && full.code === 'rate_limit_exceeded');
  while (s.office.imap.log().filter((line) => line.startsWith('UID FETCH')).length < 3) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(due.length, 2);
  s.office.imap.follow(undefined);
  for (const run of due) run();
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map((one) => (one instanceof Error ? (one as ApiError).status : 200)).sort(),
    [200, 200, 200, 200, 200, 200, 429, 502, 502],
  );
});

test('a message of 12 MB is read as far as its text goes', async () => {
  await using s = await stage();
  const attachment = Buffer.from(
    `--b\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n${'QUJD'.repeat(19)}\r\n`,
  );
  const head = mime(s).toString('latin1').replace('--b--', '');
  const id = await received(s, Buffer.concat([Buffer.from(head, 'latin1'), attachment, Buffer.alloc(12 * 1024 * 1024, `${'QUJD'.repeat(19)}\r\n`)]));
  const body = await s.api.messages.body(id);
  assert.deepEqual([body.text?.trim(), body.truncated], ['Grüße', true]);
});

test('sandbox messages have no body, and foreign ones do not exist', async () => {
  await using h = await house();
  const api = await h.api();
  const inbox = await api.inboxes.createSandbox();
  await api.sends.create({ to: 'one@people.test', subject: 'Hi', body_text: 'Hello', inbox_id: inbox.id });
  const [message] = (await api.messages.list()).data;
  const { html, text, truncated } = await api.messages.body(message!.id);
  assert.deepEqual([html, text, truncated], [null, null, false]);
  for (const who of [{ workspace: 'two' }, { mode: 'live' as const }])
    await refused((await h.api(who)).messages.body(message!.id), 404, 'resource_missing', 'id');
});
