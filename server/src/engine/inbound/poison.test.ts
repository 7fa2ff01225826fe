import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { dateLine, letter } from '#testing/persona/original.ts';
import { type Stage, stage } from '#testing/stage.ts';

const MINUTE = 60_000;
const ANN = 'ann@sender.test';

function deliver(s: Stage, subject: string, { id = `<${subject}@people.test>`, text = 'Hello there.' } = {}) {
  const raw = letter(['From: one@people.test', `To: ${ANN}`, `Subject: ${subject}`, dateLine(s.h.now()), `Message-ID: ${id}`], text);
  s.office.imap.deliver(ANN, 'INBOX', raw, { internalDate: s.h.now() });
}
const subjects = async (s: Stage) =>
  (await rowsOf<{ subject: string }>(s.h.db, 'select subject from messages order by created_at, uid', [])).map((one) => one.subject);
const aside = async (s: Stage) =>
  (await rowsOf<{ uid: number; failures: number; quarantined: boolean }>(s.h.db, 'select * from quarantined_messages order by uid', [])).map(
    (one) => [one.uid, one.failures, one.quarantined],
  );
const lastUid = async (s: Stage) =>
  (await rowsOf<{ last_uid: number }>(s.h.db, `select last_uid from inbox_folders where role = 'inbox'`, []))[0]?.last_uid;
const poisoned = (s: Stage) => rowsOf(s.h.db, `alter table messages add constraint poison check (subject not like 'poison%')`, []);

test('messages that cannot be taken in delay none behind them, are tried three times and then set aside', async () => {
  await using s = await stage();
  await s.readMail();
  await poisoned(s);
  for (const subject of ['before', 'poison-1', 'between', 'poison-2', 'poison-3', 'behind']) deliver(s, subject);
  await s.readMail();
  assert.deepEqual(await subjects(s), ['before', 'between', 'behind']);
  assert.deepEqual([await aside(s), await lastUid(s)], [[2, 4, 5].map((uid) => [uid, 1, false]), 6]);
  await s.h.run(2 * MINUTE);
  assert.deepEqual([await aside(s), await lastUid(s)], [[2, 4, 5].map((uid) => [uid, 2, false]), 6]);
  // The mailbox is in good health all the while.
  const { status_reason: reason, last_poll_at: at } = await s.api.inboxes.retrieve(s.inbox.id);
  assert.deepEqual([reason, s.h.now().getTime() - Date.parse(at!) <= MINUTE], [null, true]);
  await s.h.run(10 * MINUTE);
  assert.deepEqual(await aside(s), [2, 4, 5].map((uid) => [uid, 3, true])); // prettier-ignore
  assert.equal(s.h.lines.filter((line) => line.includes('a message was set aside')).length, 3);
  const said = s.h.lines.length;
  await s.h.run(30 * MINUTE, 5 * MINUTE);
  assert.deepEqual([(await aside(s)).length, s.h.lines.length, await lastUid(s)], [3, said, 6]);
});

test('one that was not the fault of the message is taken in at its next attempt, once', async () => {
  await using s = await stage();
  await s.readMail();
  await poisoned(s);
  for (const subject of ['poison', 'poison-gone', 'behind']) deliver(s, subject);
  await s.readMail();
  await rowsOf(s.h.db, 'alter table messages drop constraint poison', []);
  s.office.imap.expunge(ANN, 'INBOX', 2);
  await s.h.run(3 * MINUTE);
  assert.deepEqual([await subjects(s), await aside(s), await lastUid(s)], [['behind', 'poison'], [], 3]);
  assert.equal((await s.events()).filter((type) => type === 'message.received').length, 2);
});

test('when nearly everything fails it is not the messages: nothing is passed over beyond the tenth', async () => {
  await using s = await stage();
  await s.readMail();
  await poisoned(s);
  for (let i = 0; i < 15; i++) deliver(s, `poison-${i}`);
  await s.readMail();
  assert.deepEqual([(await aside(s)).length, await lastUid(s)], [10, 0]);
  assert.match((await s.api.inboxes.retrieve(s.inbox.id)).status_reason ?? '', /could not be taken in/);
  await rowsOf(s.h.db, 'alter table messages drop constraint poison', []);
  await s.h.run(10 * MINUTE);
  assert.deepEqual([(await subjects(s)).length, (await aside(s)).length, await lastUid(s)], [15, 0, 15]);
});

test('two mails that carry one Message-ID are two; copies of one in INBOX and Junk are one', async () => {
  await using s = await stage();
  await s.readMail();
  const id = '<careless@people.test>';
  deliver(s, 'Ticket', { id, text: 'One.' });
  deliver(s, 'Ticket', { id, text: 'Two.' });
  const [one] = s.office.imap.messages(ANN, 'INBOX');
  s.office.imap.deliver(ANN, 'Junk', Buffer.concat([Buffer.from('X-Spam: yes\r\n'), one!.raw]), { internalDate: s.h.now() });
  await s.readMail();
  assert.deepEqual(await subjects(s), ['Ticket', 'Ticket']);
  s.office.imap.resetUidValidity(ANN, 'INBOX');
  await s.readMail();
  assert.equal((await subjects(s)).length, 2);
});

test('Message-IDs that no index could hold, or that lost their letters on the way, are no identifiers', async () => {
  await using s = await stage();
  await s.readMail();
  const long = (length: number, letter_ = 'é') => `<${letter_.repeat(length)}@people.test>`;
  deliver(s, 'ascii', { id: long(980, 'a') });
  deliver(s, 'accents', { id: long(400) });
  deliver(s, 'longer', { id: long(900) });
  for (const bytes of ['\xff\xfe', '\xfe\xff']) {
    const raw = Buffer.from(`Message-ID: <${bytes}@people.test>\r\nFrom: one@people.test\r\nSubject: no letters\r\n\r\n${bytes}`, 'latin1');
    s.office.imap.deliver(ANN, 'INBOX', raw, { internalDate: s.h.now() });
  }
  await s.readMail();
  assert.deepEqual([await subjects(s), await aside(s)], [['ascii', 'accents', 'longer', 'no letters', 'no letters'], []]);
  const ids = (await rowsOf<{ id: string | null }>(s.h.db, 'select rfc822_message_id as id from messages order by uid', [])).map(
    (row) => row.id?.length,
  );
  assert.deepEqual(ids, [994, 414, undefined, undefined, undefined]);
});
