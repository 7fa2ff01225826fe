import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { humanReply } from '#testing/persona/people.ts';
import { type Stage, stage } from '#testing/stage.ts';
import { until } from '#testing/until.ts';

const MINUTE = 60_000;

/** A stage whose server takes the message or not, but never answers the dot. */
async function silent(accepted: boolean): Promise<Stage> {
  const s = await stage({ deadlines: { dot: 50 }, filesSent: false });
  s.office.follow(({ phase }) => (phase === 'dot' ? { kind: 'hang', accepted } : undefined));
  return s;
}
const arrive = async (s: Stage, raw: Buffer | string) => {
  s.office.imap.deliver('ann@sender.test', 'INBOX', raw, { internalDate: s.h.now() });
  await s.readMail();
};

test('an answer that cites a silent send proves that it was accepted; one that merely comes from its address does not', async () => {
  await using proven = await silent(true);
  const answered = await proven.send('one@people.test');
  await proven.h.settle();
  // Our patience may be over before the server has read.
  await until(() => proven.office.deliveries.length > 0);
  const { raw } = proven.office.deliveries[0]!;
  await arrive(proven, humanReply({ to: raw, from: 'one@people.test', date: proven.h.now(), text: 'Hi' }));
  await proven.h.run(15 * MINUTE);
  assert.equal((await proven.row(answered.id)).state, 'sent');

  await using unproven = await silent(false);
  const send = await unproven.send('one@people.test');
  await unproven.h.settle();
  await arrive(unproven, 'From: one@people.test\r\nTo: ann@sender.test\r\nSubject: Hi\r\nMessage-ID: <u@people.test>\r\n\r\nDo you sell tea?\r\n');
  assert.equal((await unproven.api.messages.list({ direction: 'inbound' })).data[0]!.classification, 'reply');
  await unproven.h.run(15 * MINUTE);
  assert.deepEqual([(await unproven.row(send.id)).state, (await unproven.row(send.id)).failure_reason], ['failed', 'outcome_unknown']);
});

test('a silent send that cannot be settled delays none behind it', async () => {
  await using s = await silent(true);
  const poison = await s.send('poison@people.test');
  await s.h.settle();
  s.h.tick(1_000);
  const other = await s.send('other@people.test');
  await s.h.settle();
  await rowsOf(s.h.db, `alter table sends add constraint poison check (to_email <> 'poison@people.test' or state <> 'failed')`, []);
  await s.h.run(15 * MINUTE);
  assert.deepEqual([(await s.row(poison.id)).state, (await s.row(other.id)).state], ['sending', 'failed']);
  await rowsOf(s.h.db, 'alter table sends drop constraint poison', []);
  await s.h.run(15 * MINUTE);
  assert.equal((await s.row(poison.id)).failure_reason, 'outcome_unknown');
});

test('a mailbox that does not answer delays its own sends, is asked once for all of them, and not for ever', async () => {
  await using s = await stage({ senders: ['ann@sender.test', 'bob@sender.test'], deadlines: { dot: 50 }, filesSent: false });
  s.office.follow(({ phase }) => (phase === 'dot' ? { kind: 'hang', accepted: true } : undefined));
  const bobs = s.inboxes[1]!.id;
  const mine = [await s.send('one@people.test'), await s.send('two@people.test')];
  const other = await s.send('three@people.test', { inbox_id: bobs });
  await s.h.settle();
  const { mail, clock } = s.h.world;
  const { openMailbox } = mail;
  const { after } = clock;
  let asked = 0;
  mail.openMailbox = (server) => (server.credentials.username === 'ann@sender.test' ? (asked++, new Promise(() => undefined)) : openMailbox(server));
  const due: (() => void)[] = [];
  clock.after = (ms, run) => (ms === 20_000 ? (due.push(run), () => undefined) : after(ms, run));
  s.h.tick(15 * MINUTE);
  const step = s.h.reconciler.step();
  await until(async () => (await s.row(other.id)).state !== 'sending');
  assert.equal((await s.row(other.id)).failure_reason, 'outcome_unknown');
  // Whatever waits is given up at its deadline.
  for (const run of due) run();
  await step;
  assert.deepEqual([asked, (await s.row(mine[0]!.id)).state, (await s.row(mine[1]!.id)).state], [1, 'sending', 'sending']);
});
