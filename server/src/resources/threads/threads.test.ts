import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Message, insertOnce, threadIdOf, threadKeyOf } from '#resources/messages/index.ts';
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
  inbox = (await api.inboxes.createSandbox({ display_name: 'Ann' })).id;
});
after(() => h.close());

let made = 0;
/** A message as it is taken in, a second after the one before. */
async function arrive(thread: string, change: Partial<Message> = {}, workspace = 'one') {
  h.tick(1000);
  const id = `msg_01jd0000000000000000${String(++made).padStart(6, '0')}`;
  const row: Omit<Message, 'workspace_id' | 'mode'> = {
    id, inbox_id: inbox, direction: 'inbound', classification: 'reply', verdict_rule: 'reply', verdict_because: 'It answers.', thread_id: thread,
    identity: id, rfc822_message_id: `<${id}@x.test>`, in_reply_to: null, from_email: 'bob@x.test', from_name: 'Bob', to_email: null,
    subject: 'Re: Hi', bounce_type: null, bounce_status_code: null, bounce_diagnostic: null, matched_send_id: null, folder: 'INBOX',
    uid_validity: '1', uid: made, received_at: h.now(), created_at: h.now(), ...change,
  }; // prettier-ignore
  return (await insertOnce(await h.ctx({ workspace }), row))!;
}
const send = (change: object = {}) => {
  h.tick(1000);
  return api.sends.create({ to: 'bob@x.test', subject: 'Hello', body_text: 'Hi', inbox_id: inbox, ...change });
};
const idOf = (thread: string, of = inbox) => threadIdOf({ inbox_id: of, thread_id: thread });
const contents = async (id: string) =>
  (
    await rowsOf<{ in_reply_to: string; thread_references: string[]; is_reply: boolean; body_html: string; body_text: string; subject: string }>(
      h.db,
      'select s.*, c.* from sends s join send_contents c on c.send_id = s.id where s.id = $1',
      [id],
    )
  )[0]!;

test('an id names an inbox and any thread id of a provider, and nothing else does', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed()),
      (thread) => {
        const key = { inbox_id: 'inb_01jd0000000000000000000000', thread_id: thread };
        assert.match(threadIdOf(key), /^thr_01jd0000000000000000000000_[A-Za-z0-9_-]+$/);
        assert.deepEqual(threadKeyOf(threadIdOf(key)), key);
      },
    ),
  );
  const good = idOf('<a_/b@x.test>');
  const wrong = [
    '',
    'thr__',
    'thr_',
    `${good}=`,
    `${good}A`,
    good.toUpperCase(),
    good.replace('thr_', 'msg_'),
    `${good} `,
    `thr_x_${good}`,
    `${good}/`,
  ];
  for (const text of [...wrong, `thr_${inbox.slice(4)}_`, `thr_${inbox.slice(4)}_AA`, `thr_${inbox.slice(4)}__w`])
    assert.equal(threadKeyOf(text), undefined, text);
});

test('a thread is what its messages say', async () => {
  const first = await send();
  const thread = first.provider_thread_id!;
  await arrive(thread, { in_reply_to: first.rfc822_message_id });
  await arrive(thread, { classification: 'bounce', from_email: 'mailer-daemon@x.test', subject: 'Undelivered' });
  const found = await api.threads.retrieve(idOf(thread));
  assert.deepEqual(
    { ...found, messages: found.messages!.map((one) => [one.direction, one.classification, one.object]) },
    {
      id: idOf(thread), object: 'thread', mode: 'test', inbox_id: inbox, provider_thread_id: thread, subject: 'Hello', message_count: 3,
      has_reply: true, has_bounce: true, first_message_at: first.sent_at, last_message_at: h.now().toISOString(), messages_has_more: false,
      messages: [['outbound', null, 'message'], ['inbound', 'reply', 'message'], ['inbound', 'bounce', 'message']],
    },
  ); // prettier-ignore
  const [listed] = (await api.threads.list()).data;
  const { messages: _, messages_has_more: __, ...plain } = found;
  assert.deepEqual(listed, JSON.parse(JSON.stringify(plain)));
  assert.equal((await api.messages.list({ thread_id: found.id, expand: 'inbox' })).data[0]!.inbox!.display_name, 'Ann');
  assert.equal((await api.messages.retrieve((await api.messages.list({ thread_id: thread })).data[2]!.id, { expand: 'inbox' })).inbox!.id, inbox);
  await refused(api.messages.list({ expand: 'secret' } as object), 400, 'invalid_parameter', 'expand');
});

test('lists filter by inbox and by whether somebody has replied; the latest conversation comes first', async () => {
  const own = await h.api({ workspace: 'filters' });
  const box = (await own.inboxes.createSandbox()).id;
  const other = (await own.inboxes.createSandbox()).id;
  const within = (of: string, classification: Message['classification'] = null) => ({ inbox_id: of, classification });
  await arrive('t1', within(box), 'filters');
  await arrive('t1', within(other), 'filters');
  await arrive('t2', within(box, 'reply'), 'filters');
  await arrive('t3', within(box, 'auto_reply'), 'filters');
  await arrive('t1', within(box), 'filters');
  const named = async (query: object) =>
    (await own.threads.list(query)).data.map((one) => `${one.inbox_id === box ? 'box' : 'other'} ${one.provider_thread_id}`);
  assert.deepEqual(await named({}), ['box t1', 'box t3', 'box t2', 'other t1']);
  assert.deepEqual(await named({ inbox_id: other }), ['other t1']);
  assert.deepEqual(await named({ has_reply: true }), ['box t2']);
  assert.deepEqual(await named({ has_reply: false, inbox_id: box }), ['box t1', 'box t3']);
  assert.deepEqual(await named({ inbox_id: inbox }), []);
  for (const [param, value] of [['has_reply', 'yes'], ['has_reply', '1'], ['limit', '0'], ['q', 'x'], ['inbox_id', 'x'.repeat(41)]]) {
    await refused(own.threads.list({ [param!]: value } as object), 400, 'invalid_parameter', param);
  } // prettier-ignore
});

test('a walk meets every thread once, whatever goes on meanwhile, in both directions', async () => {
  const own = await h.api({ workspace: 'walk' });
  const box = (await own.inboxes.createSandbox()).id;
  const names = Array.from({ length: 9 }, (_, i) => `w${i}`);
  for (const name of names) for (let n = 0; n < 2; n++) await arrive(name, { inbox_id: box }, 'walk');
  const seen: string[] = [];
  let page = await own.threads.list({ limit: 2 });
  const { id: top } = page.data[0]!;
  const pages = [page.data.map((one) => one.provider_thread_id)];
  for (;;) {
    seen.push(...page.data.map((one) => one.provider_thread_id));
    // The oldest goes on, one that was seen goes on, and a new one begins.
    await arrive('w0', { inbox_id: box }, 'walk');
    await arrive(seen[0]!, { inbox_id: box }, 'walk');
    await arrive(`new${seen.length}`, { inbox_id: box }, 'walk');
    const next = await page.nextPage();
    if (!next) break;
    page = next;
    pages.push(page.data.map((one) => one.provider_thread_id));
  }
  assert.deepEqual(seen, names.toReversed());
  const back: string[][] = [];
  for (let before = await page.prevPage(); before; before = await before.prevPage()) back.unshift(before.data.map((one) => one.provider_thread_id));
  assert.deepEqual(back.flat(), seen.slice(0, -1));
  // From a thread's id a walk begins anew.
  const newest = (await own.threads.list({ limit: 1 })).data[0]!;
  assert.match(newest.provider_thread_id, /^new/);
  assert.equal((await own.threads.list({ ending_before: newest.id })).data.length, 0);
  assert.equal((await own.threads.list({ starting_after: newest.id, limit: 1 })).data[0]!.id, top);
  const foreign = (await own.messages.list({ limit: 1 })).next_cursor!;
  const cursor = (await own.threads.list({ limit: 1 })).next_cursor!;
  for (const wrong of [foreign, newest.id.slice(0, -1), 'x', `${cursor}x`, cursor.split('.')[1]!, `1.${newest.id}`, 'thr_x_y', 'zzzzzzzzzz.MTIz']) {
    await refused(own.threads.list({ starting_after: wrong }), 400, 'invalid_cursor', 'starting_after');
  }
  await refused(api.threads.list({ starting_after: newest.id }), 400, 'invalid_cursor', 'starting_after');
  await refused(own.threads.list({ starting_after: cursor, ending_before: cursor }), 400, 'invalid_cursor', 'ending_before');
});

test('the newest hundred messages are shown, and that there are more', async () => {
  for (let n = 0; n < 101; n++) await arrive('long');
  const thread = await api.threads.retrieve(idOf('long'));
  assert.deepEqual([thread.messages!.length, thread.messages_has_more, thread.message_count], [100, true, 101]);
  assert.ok(thread.messages!.every((one, i, all) => i === 0 || all[i - 1]!.created_at < one.created_at));
  assert.equal(thread.messages!.at(-1)!.created_at, thread.last_message_at);
});

test('a thread of others, an absent and a misspelt one are the same', async () => {
  await arrive(`_/'";--`);
  const known = idOf(`_/'";--`);
  assert.equal((await api.threads.retrieve(known)).provider_thread_id, `_/'";--`);
  const theirs = [await h.api({ workspace: 'two' }), await h.api({ mode: 'live' })];
  const said = new Set<string>();
  for (const one of theirs) {
    said.add((await refused(one.threads.retrieve(known), 404, 'resource_missing', 'id')).message);
    await refused(one.threads.reply(known, { body_text: 'b' }), 404, 'resource_missing', 'id');
    assert.deepEqual((await one.messages.list({ thread_id: known })).data, []);
  }
  for (const id of [
    idOf('absent'),
    'thr__',
    `thr_${inbox.slice(4)}_%2F`,
    `thr_${inbox.slice(4)}_'`,
    'x',
    `${known}x`,
    `thr_${inbox.slice(4)}_${'x'.repeat(1400)}`,
  ]) {
    said.add((await refused(api.threads.retrieve(id), 404, 'resource_missing', 'id')).message);
    await refused(api.threads.reply(id, { body_text: 'b' }), 404, 'resource_missing', 'id');
  }
  assert.equal(said.size, 1);
});

test('a reply goes to who wrote last, under the last subject, citing the conversation', async () => {
  const first = await send({ subject: 'Offer' });
  const thread = first.provider_thread_id!;
  const answer = await arrive(thread, { from_email: 'carl@x.test', subject: 'Re: Offer', in_reply_to: first.rfc822_message_id });
  await arrive(thread, { classification: 'bounce', from_email: 'mailer-daemon@x.test', subject: null, rfc822_message_id: null });
  await api.contacts.create({ email: 'carl@x.test', attributes: { first: 'Carl' } });
  await api.inboxes.update(inbox, { signature_html: '<p>Ann Inc.</p>' });
  h.tick(1000);
  const body = { body_html: '<p>{{first}}, {{when}}</p>', variables: { when: 'at 5' }, metadata: { deal: '7' }, append_signature: true };
  const reply = await api.threads.reply(idOf(thread), body);
  assert.deepEqual(
    [reply.lastResponse.status, reply.object, reply.state, reply.inbox_id, reply.to_email, reply.subject, reply.provider_thread_id, reply.metadata],
    [201, 'send', 'sent', inbox, 'carl@x.test', 'Re: Offer', thread, { deal: '7' }],
  );
  const written = await contents(reply.id);
  assert.deepEqual(
    [written.in_reply_to, written.thread_references, written.is_reply, written.body_html],
    [answer.rfc822_message_id, [first.rfc822_message_id, answer.rfc822_message_id], true, '<p>Carl, at 5</p><br><br><p>Ann Inc.</p>'],
  );
  const again = await api.threads.reply(idOf(thread), { body_text: 'One more', subject: 'New {{email}}', to: ' Dora@x.test' });
  assert.deepEqual([again.to_email, again.subject], ['Dora@x.test', 'New Dora@x.test']);
  assert.deepEqual((await contents(again.id)).thread_references.at(-1), reply.rfc822_message_id);
  assert.equal((await api.threads.retrieve(idOf(thread))).message_count, 5);
});

test("a stranger's subject is quoted, never filled in, and cannot break a header", async () => {
  await arrive('odd', { subject: `{{email}} {a|b}\r\nBcc: x@y.test` });
  assert.equal((await api.threads.reply(idOf('odd'), { body_text: 'b' })).subject, 'Re: {{email}} {a|b} Bcc: x@y.test');
  await arrive('long subject', { subject: 'x'.repeat(2000) });
  assert.equal((await api.threads.reply(idOf('long subject'), { body_text: 'b' })).subject.length, 998);
  await arrive('none', { subject: null });
  assert.equal((await api.threads.reply(idOf('none'), { body_text: 'b' })).subject, 'Re:');
});

test('a reply that does not fit is refused by name, and leaves no trace', async () => {
  const first = await send();
  const id = idOf(first.provider_thread_id!);
  const before = await rowsOf(h.db, 'select count(*) from events', []);
  const cases: [object, string, string?][] = [
    [{ body_text: 'b' }, 'parameter_missing', 'to'],
    [{}, 'parameter_missing', 'body_text'],
    [{ body_text: 'b', to: 'bob' }, 'invalid_email', 'to'],
    [{ body_text: 'b', to: 'a@b.co\r\nBcc: x@y.zz' }, 'invalid_email', 'to'],
    [{ body_text: 'b', to: ['a@b.co'] }, 'validation_failed', 'to'],
    [{ body_text: 'b', to: 'a@b.co', subject: ' ' }, 'validation_failed', 'subject'],
    [{ body_text: 'b', to: 'a@b.co', subject: 'a\nb' }, 'validation_failed', 'subject'],
    [{ body_text: 'b', to: 'a@b.co', inbox_id: inbox }, 'unknown_parameter', 'inbox_id'],
    [{ body_text: 'x'.repeat(500_001), to: 'a@b.co' }, 'validation_failed', 'body_text'],
    [{ body_text: 'b', to: 'a@b.co', metadata: { a: 1 } }, 'validation_failed', 'metadata.a'],
  ];
  for (const [body, code, param] of cases) await refused(api.threads.reply(id, body), 422, code, param);
  await refused(api.threads.reply(id, { body_text: 'x'.repeat(1_100_000) }), 413, 'payload_too_large');
  await refused((await h.api({ scope: 'read' })).threads.reply(id, { body_text: 'b' }), 403, 'insufficient_scope');
  assert.deepEqual(await rowsOf(h.db, 'select count(*) from events', []), before);
  await api.suppressions.create({ email: 'gone@x.test' });
  await refused(api.threads.reply(id, { body_text: 'b', to: 'gone@x.test' }), 422, 'recipient_suppressed', 'to');
});

test('one key, one reply; from a paused inbox it waits, from a lost one it is refused, and no cap holds it back', async () => {
  const box = (await api.inboxes.createSandbox()).id;
  const first = await send({ inbox_id: box });
  const id = idOf(first.provider_thread_id!, box);
  const reply = { body_text: 'b', to: 'bob@x.test' };
  const tries = await Promise.allSettled(Array.from({ length: 50 }, () => api.threads.reply(id, reply, { idempotencyKey: 'one reply' })));
  const ids = new Set(tries.map((one) => (one.status === 'fulfilled' ? one.value.id : one.reason.code)));
  ids.delete('idempotency_in_progress');
  assert.equal(ids.size, 1);
  await api.inboxes.update(box, { daily_limit: 1 });
  assert.equal((await send({ inbox_id: box })).state, 'scheduled', 'the cap is used up');
  assert.equal((await api.threads.reply(id, reply)).state, 'sent');
  assert.equal((await send({ inbox_id: box, thread_id: id })).state, 'sent');
  await api.inboxes.update(box, { status: 'paused' });
  assert.equal((await api.threads.reply(id, reply)).state, 'scheduled');
  for (const status of ['revoked', 'failed', 'connecting']) {
    await rowsOf(h.db, 'update inboxes set status = $2 where id = $1', [box, status]);
    await refused(api.threads.reply(id, reply), 409, 'invalid_inbox_state', 'id');
  }
});

test('a send into a thread: from its inbox, citing its latest message or the one that is named', async () => {
  const first = await send();
  const thread = first.provider_thread_id!;
  const answer = await arrive(thread, { in_reply_to: first.rfc822_message_id });
  const id = idOf(thread);
  const other = (await api.inboxes.createSandbox()).id;
  const into = await send({ thread_id: id, to: 'new@x.test' });
  assert.deepEqual([into.provider_thread_id, (await contents(into.id)).in_reply_to], [thread, answer.rfc822_message_id]);
  const named = await send({ thread_id: id, in_reply_to_message_id: first.rfc822_message_id });
  assert.deepEqual((await contents(named.id)).thread_references, [answer.rfc822_message_id, into.rfc822_message_id, first.rfc822_message_id]);
  // A message that we know of brings its conversation; one that we do not begins one.
  const known = await send({ in_reply_to_message_id: answer.rfc822_message_id });
  assert.deepEqual([known.provider_thread_id, (await contents(known.id)).in_reply_to], [thread, answer.rfc822_message_id]);
  const unknown = await send({ in_reply_to_message_id: '<abc@far.test>' });
  assert.deepEqual([unknown.provider_thread_id, (await contents(unknown.id)).is_reply], ['<abc@far.test>', false]);
  const many = await api.sends.create({
    to: ['a@x.test', 'b@x.test'],
    subject: 's',
    body_text: 'b',
    thread_id: id,
    from_strategy: { type: 'single', inbox_id: inbox },
  });
  assert.deepEqual(many.created.map((one) => one.provider_thread_id), [thread, thread]); // prettier-ignore
  await refused(send({ thread_id: id, inbox_id: other }), 422, 'validation_failed', 'thread_id');
  for (const type of ['rotate', 'least_busy']) {
    await refused(send({ thread_id: id, inbox_id: undefined, from_strategy: { type } }), 422, 'validation_failed', 'from_strategy');
  }
  await refused(send({ thread_id: id, inbox_id: undefined }), 422, 'parameter_missing', 'inbox_id');
  for (const thread_id of ['thr__', 'thr_', '', 'x', idOf('absent'), first.id, `${id}=`])
    await refused(send({ thread_id }), 404, 'resource_missing', 'thread_id');
  const theirs = await h.api({ workspace: 'two' });
  const box = (await theirs.inboxes.createSandbox()).id;
  const stolen = { to: 'a@x.test', subject: 's', body_text: 'b', inbox_id: box, thread_id: id };
  await refused(theirs.sends.create(stolen), 404, 'resource_missing', 'thread_id');
  const long = Array.from({ length: 40 }, (_, i) => `<l${i}@x.test>`);
  for (const rfc822_message_id of long) await arrive('<root@x.test>', { rfc822_message_id });
  const cited = (await contents((await api.threads.reply(idOf('<root@x.test>'), { body_text: 'b' })).id)).thread_references;
  assert.deepEqual([cited.length, cited[0], cited.at(-1)], [21, '<root@x.test>', '<l39@x.test>']);
});
