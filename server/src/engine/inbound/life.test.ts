import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MailboxError } from '#mail/mail.ts';
import { rowsOf } from '#store/db.ts';
import { dateLine, letter } from '#testing/persona/original.ts';
import { type Stage, stage } from '#testing/stage.ts';
import { until } from '#testing/until.ts';

const MINUTE = 60_000;
const ANN = 'ann@sender.test';
const BOB = 'bob@sender.test';
const NEW = 'another password';

function deliver(s: Stage, subject: string, to = ANN) {
  const raw = letter(['From: one@people.test', `To: ${to}`, `Subject: ${subject}`, dateLine(s.h.now()), `Message-ID: <${subject}@x.test>`], 'Hello.');
  s.office.imap.deliver(to, 'INBOX', raw, { internalDate: s.h.now() });
}
const subjects = async (s: Stage) =>
  (await rowsOf<{ subject: string }>(s.h.db, `select subject from messages where direction = 'inbound' order by created_at, uid`, [])).map(
    (one) => one.subject,
  );
const inboxOf = (s: Stage) => s.api.inboxes.retrieve(s.inbox.id);
const logins = (s: Stage) => s.office.imap.log().filter((line) => /^(LOGIN|AUTHENTICATE)/.test(line)).length;
/** The server hears of an end a moment after we have made it. */
const connections = (s: Stage, wanted: number) =>
  until(() => s.office.imap.connections() === wanted, { state: async () => s.office.imap.connections() });
const reconnect = (s: Stage, imap: object) => {
  const body = s.office.connection(ANN);
  return s.api.inboxes.connectSmtp({ ...body, imap: { ...body.imap, ...imap } });
};

test('three IMAP logins refused in a row fail the inbox, once and aloud; connected anew it reads on where it was', async () => {
  await using s = await stage();
  await s.readMail();
  const held = await s.send('one@people.test', { send_at: new Date(s.h.now().getTime() + 40 * MINUTE).toISOString() });
  s.office.imap.setPassword(ANN, NEW);
  s.office.imap.follow(({ command, count }) => (command === 'LIST' && count > 0 && !changed ? 'drop' : undefined));
  let changed = false;
  await s.readMail();
  assert.equal((await inboxOf(s)).status, 'active');
  changed = true;
  await s.h.run(10 * MINUTE);
  const failed = await inboxOf(s);
  assert.deepEqual([failed.status, /\(authentication\)/.test(failed.status_reason ?? '')], ['failed', true]);
  const tried = logins(s);
  deliver(s, 'meanwhile');
  await s.h.run(60 * MINUTE, 10 * MINUTE);
  assert.equal(logins(s), tried);
  assert.deepEqual((await s.events(s.inbox.id)).filter((type) => type === 'inbox.disconnected').length, 1);
  const [event] = (await s.api.events.list({ type: 'inbox.disconnected' })).data;
  assert.deepEqual([event?.previous, event?.data['status']], [{ status: 'active' }, 'failed']);
  assert.equal((await s.api.sends.retrieve(held.id)).state, 'scheduled');
  assert.equal((await reconnect(s, { password: NEW })).status, 'active');
  await s.h.settle();
  assert.deepEqual([await subjects(s), (await s.api.sends.retrieve(held.id)).state], [['meanwhile'], 'sent']);
});

test('in a row: a login in between begins the count anew; a paused inbox is not failed by it', async () => {
  await using s = await stage();
  const refusing = (yes: boolean) => {
    // Each poll begins with a connection of its own.
    s.office.imap.follow(({ command }) => (command === 'LIST' ? 'drop' : undefined));
    s.office.imap.setPassword(ANN, yes ? NEW : s.office.connection(ANN).smtp.password);
    if (!yes) s.office.imap.follow(undefined);
  };
  for (let round = 0; round < 3; round++) {
    refusing(true);
    for (let n = 0; n < 2; n++) await s.readMail();
    assert.equal((await inboxOf(s)).status, 'active', `round ${round}`);
    refusing(false);
    await s.readMail();
  }
  await s.api.inboxes.update(s.inbox.id, { status: 'paused' });
  refusing(true);
  for (let n = 0; n < 5; n++) await s.readMail();
  assert.equal((await inboxOf(s)).status, 'paused');
});

test('connected anew with another login, the mailbox is read by that login, and the old connection ends', async () => {
  await using s = await stage({ senders: [ANN, BOB] });
  await s.readMail();
  await connections(s, 2);
  await s.api.inboxes.delete(s.inboxes[1]!.id);
  await reconnect(s, { username: BOB });
  deliver(s, 'to the old', ANN);
  deliver(s, 'to the new', BOB);
  await s.readMail();
  assert.deepEqual(await subjects(s), ['to the new']);
});

test('the connections of inboxes that are gone end; a paused one is read on', async () => {
  await using s = await stage({ senders: [ANN, BOB] });
  await s.readMail();
  const { clock } = s.h.world;
  const real = clock.monotonic;
  let skipped = 0;
  clock.monotonic = () => real() + skipped;
  await s.api.inboxes.delete(s.inboxes[1]!.id);
  await s.api.inboxes.update(s.inbox.id, { status: 'paused' });
  skipped += 10_000;
  await s.h.inbound.step();
  await connections(s, 1);
  deliver(s, 'for bob', BOB);
  deliver(s, 'for ann', ANN);
  await s.readMail();
  assert.deepEqual(await subjects(s), ['for ann']);
  skipped += 200_000;
  await s.h.inbound.step();
  await connections(s, 0);
});

test('a poll that was overtaken by a new connection has no say', async () => {
  await using s = await stage();
  await s.readMail();
  deliver(s, 'x');
  let overtaken = 0;
  s.at('CP15 fetched', async () => {
    if (overtaken++ > 0) return;
    await reconnect(s, {});
    throw new MailboxError('authentication', 'The old password.');
  });
  await s.readMail();
  const [row] = await rowsOf(s.h.db, 'select imap_login_refusals, poll_failures, next_poll_at, poll_leased_until from inboxes', []);
  assert.deepEqual(row, { imap_login_refusals: 0, poll_failures: 0, next_poll_at: s.h.now(), poll_leased_until: null });
  assert.deepEqual([overtaken, await subjects(s)], [1, []]);
  await s.readMail();
  assert.deepEqual(await subjects(s), ['x']);
});

test('connected anew with another login, mail leaves by that login and not over a connection that was kept', async () => {
  await using s = await stage({ senders: [ANN, BOB] });
  await s.api.inboxes.delete(s.inboxes[1]!.id);
  await s.send('one@people.test');
  await s.h.settle();
  const body = s.office.connection(ANN);
  await s.api.inboxes.connectSmtp({ ...body, smtp: { ...body.smtp, username: BOB } });
  await s.send('two@people.test');
  await s.h.settle();
  assert.deepEqual(s.office.deliveries.map((one) => one.login), [ANN, BOB]); // prettier-ignore
});
