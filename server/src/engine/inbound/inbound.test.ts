import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CrashPoint } from '../crash.ts';
import { rowsOf } from '#store/db.ts';
import { malformed } from '#testing/persona/malformed.ts';
import { dateLine, letter } from '#testing/persona/original.ts';
import { complaint, humanReply, outOfOffice } from '#testing/persona/people.ts';
import { type DsnWanted, dsn } from '#testing/persona/servers.ts';
import { type Stage, stage } from '#testing/stage.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ANN = 'ann@sender.test';
const ONE = 'one@people.test';

const deliver = (s: Stage, raw: Buffer, { to = ANN, folder = 'INBOX', at = s.h.now() } = {}) =>
  s.office.imap.deliver(to, folder, raw, { internalDate: at });
const deliverAndRead = async (s: Stage, raw: Buffer, where?: { to?: string; folder?: string }) => {
  deliver(s, raw, where);
  await s.readMail();
};
/** The n-th mail that left, as its recipient has it. */
const mail = (s: Stage, n = 0) => s.office.deliveries[n]!.raw;
const reply = (s: Stage, n = 0) => humanReply({ to: mail(s, n), from: ONE, date: s.h.now(), text: 'Tell me more.' });
const report = (s: Stage, more: Partial<DsnWanted> = {}) =>
  dsn({ original: mail(s), recipient: ONE, date: s.h.now(), status: '5.1.1', diagnostic: '550 5.1.1 User unknown', ...more });
/** A person's mail without any word of what it answers. */
const note = (s: Stage, subject: string, from = ONE) => {
  const id = `Message-ID: <${subject.replaceAll(' ', '-')}@people.test>`;
  return letter([`From: ${from}`, `To: ${ANN}`, `Subject: ${subject}`, dateLine(s.h.now()), id], 'Hello there.');
};

type Row = { id: string; direction: string; classification: string | null; subject: string; inbox_id: string; matched_send_id: string | null };
const messages = (s: Stage, direction = 'inbound') =>
  rowsOf<Row>(s.h.db, 'select * from messages where direction = $1 order by created_at, uid', [direction]);
const subjects = async (s: Stage) => (await messages(s)).map((one) => one.subject);
type Told = { type: string; data: Record<string, unknown> };
const told = (s: Stage, like: string) => rowsOf<Told>(s.h.db, 'select type, data from events where type like $1 order by sequence', [like]);
const types = async (s: Stage, like = 'message.%') => (await told(s, like)).map((one) => one.type);
const sends = async (s: Stage) => rowsOf<{ id: string; state: string }>(s.h.db, 'select id, state from sends order by created_at, id', []);
const suppressed = async (s: Stage) => (await s.api.suppressions.list()).data.map((one) => [one.email, one.reason, one.source_send_id]);

/** One person, mailed the first of two steps; the second is planned. */
async function mailed(options: Parameters<typeof stage>[0] = {}) {
  const s = await stage(options);
  const { id, contacts } = await s.campaign([ONE], { steps: 2 });
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 1);
  const contact = async () => (await s.api.contacts.retrieve(contacts[0]!.id)).global_status;
  return { s, id, contact, lead: async () => (await s.statuses(id))['one'] };
}

test('a reply ends the enrollment, cancels what waits, and says so', async () => {
  const { s, lead, contact } = await mailed();
  await using _ = s;
  s.h.tick(31 * MINUTE);
  await s.h.campaigns.step();
  const [first, second] = await sends(s);
  assert.equal(second?.state, 'scheduled');
  await deliverAndRead(s, reply(s));
  assert.deepEqual([await lead(), await contact(), (await sends(s))[1]?.state], ['replied', 'ok', 'canceled']);
  const [row] = await messages(s);
  assert.equal((await s.api.messages.retrieve(row!.id)).matched_send_id, first!.id);
  const facts = { message_id: row!.id, send_id: first!.id, inbox_id: s.inbox.id, from_email: ONE, subject: 'Re: Hello' };
  const [received, replied, ...more] = await told(s, 'message.%');
  assert.deepEqual([received!.type, replied!.type, more], ['message.received', 'message.replied', []]);
  for (const [name, value] of Object.entries(facts)) assert.equal(replied!.data[name], value, name);
  await s.h.run(60 * MINUTE, 10 * MINUTE);
  assert.equal(s.office.deliveries.length, 1);
  assert.deepEqual(s.h.lines, []);
});

test('an automatic answer and a soft bounce stop nothing', async () => {
  const { s, lead, contact } = await mailed();
  await using _ = s;
  await deliverAndRead(s, outOfOffice({ to: mail(s), from: ONE, date: s.h.now() }));
  assert.deepEqual(await types(s), ['message.received', 'message.autoresponse']);
  await deliverAndRead(s, report(s, { status: '5.2.2', diagnostic: '552 5.2.2 Mailbox full' }));
  assert.deepEqual(await types(s), ['message.received', 'message.autoresponse', 'message.received', 'message.bounced']);
  assert.deepEqual([await lead(), await contact(), await suppressed(s)], ['active', 'ok', []]);
  await s.h.run(31 * MINUTE, 31 * MINUTE);
  assert.equal(s.office.deliveries.length, 2);
});

test('a hard bounce marks the contact, ends its enrollment and suppresses the address', async () => {
  const { s, lead, contact } = await mailed();
  await using _ = s;
  await deliverAndRead(s, report(s));
  const [send] = await sends(s);
  assert.deepEqual([await lead(), await contact(), await suppressed(s)], ['bounced', 'bounced', [[ONE, 'hard_bounce', send!.id]]]);
  const bounced = (await told(s, 'message.bounced'))[0]!.data;
  assert.deepEqual([bounced['send_id'], bounced['bounce_type'], bounced['bounce_status']], [send!.id, 'hard', '5.1.1']);
  assert.deepEqual((await types(s, 'contact.bounced')).length, 1);
  await s.h.run(60 * MINUTE, 20 * MINUTE);
  assert.equal(s.office.deliveries.length, 1);
});

test('a copy that comes back is a bounce of its send, and stops mail to its own address alone', async () => {
  await using s = await stage();
  const [one, carl] = [await s.api.contacts.create({ email: ONE }), await s.api.contacts.create({ email: 'carl@people.test' })];
  const send = await s.send(ONE, { cc: ['Carl@people.test'], bcc: ['dora@people.test'] });
  await s.h.settle();
  await deliverAndRead(s, report(s, { recipient: 'carl@people.test', status: '4.2.2', diagnostic: '452 4.2.2 Mailbox full' }));
  assert.deepEqual([await suppressed(s), (await messages(s)).map((row) => row.classification)], [[], ['bounce']]);
  await deliverAndRead(s, report(s, { recipient: 'carl@people.test' }));
  await deliverAndRead(s, report(s, { recipient: 'stranger@people.test', variant: 'exchange' }));
  const [, second, third] = await messages(s);
  assert.deepEqual([second!.classification, second!.matched_send_id, third!.classification], ['bounce', send.id, 'unrelated']);
  assert.deepEqual(await suppressed(s), [['carl@people.test', 'hard_bounce', send.id]]);
  const statusOf = async ({ id }: { id: string }) => (await s.api.contacts.retrieve(id)).global_status;
  assert.deepEqual([await statusOf(one), await statusOf(carl)], ['ok', 'bounced']);
});

test('a bounce that anybody could have written marks nobody', async () => {
  const { s, lead, contact } = await mailed({ senders: [ANN, 'bob@sender.test'] });
  await using _ = s;
  const stranger = Buffer.from(
    mail(s)
      .toString('latin1')
      .replace(/^message-id:.*$/im, 'Message-ID: <forged@sender.test>'),
    'latin1',
  );
  const { login } = s.office.deliveries[0]!;
  const other = login === ANN ? 'bob@sender.test' : ANN;
  await deliverAndRead(s, report(s, { original: stranger }), { to: login });
  await deliverAndRead(s, report(s, { recipient: 'victim@people.test', variant: 'exchange' }), { to: login });
  await deliverAndRead(s, report(s, { variant: 'gmail' }), { to: other });
  assert.deepEqual((await messages(s)).map((one) => String(one.classification)).sort(), ['unrelated', 'unrelated', 'unrelated']);
  assert.deepEqual(await types(s, 'message.bounced'), []);
  assert.deepEqual([await lead(), await contact(), await suppressed(s)], ['active', 'ok', []]);
  await deliverAndRead(s, report(s), { to: login });
  assert.equal(await lead(), 'bounced');
});

test('a complaint blacklists the contact and suppresses the address', async () => {
  const { s, lead, contact } = await mailed();
  await using _ = s;
  await deliverAndRead(s, complaint({ to: mail(s), date: s.h.now(), feedbackType: 'auth-failure' }));
  assert.equal(await contact(), 'ok');
  // The program that reports gives both of its reports one Message-ID.
  await deliverAndRead(s, complaint({ to: mail(s), date: s.h.now() }));
  const [send] = await sends(s);
  assert.deepEqual([await lead(), await contact(), await suppressed(s)], ['unsubscribed', 'blacklisted', [[ONE, 'manual', send!.id]]]);
});

test('several reports of one bounce, and copies of one complaint, are one trouble of the inbox each', async () => {
  const { s } = await mailed();
  await using _ = s;
  await deliverAndRead(s, report(s));
  await deliverAndRead(s, report(s, { date: new Date(s.h.now().getTime() + MINUTE) }));
  const again = complaint({ to: mail(s), date: s.h.now() }).toString('latin1');
  await deliverAndRead(s, Buffer.from(again, 'latin1'));
  await deliverAndRead(s, Buffer.from(again.replace(/^Message-ID: <[^>]*>/im, 'Message-ID: <copy@mailbox-provider.test>'), 'latin1'));
  assert.equal((await messages(s)).length, 4);
  const [sums] = await rowsOf<object>(s.h.db, 'select sum(hard_bounces)::int as bounces, sum(complaints)::int as complaints from inbox_troubles', []);
  assert.deepEqual(sums, { bounces: 1, complaints: 1 });
});

test('the same message in INBOX and Junk is one message; own copies in Sent are no answers and change nothing', async () => {
  const { s, lead } = await mailed();
  await using _ = s;
  const before = await messages(s, 'outbound');
  await s.readMail();
  assert.deepEqual([before.length, await messages(s, 'outbound'), await types(s)], [1, before, []]);
  deliver(s, reply(s));
  deliver(s, reply(s), { folder: 'Junk' });
  await s.readMail();
  await s.readMail();
  assert.deepEqual([(await messages(s)).length, await types(s), await lead()], [1, ['message.received', 'message.replied'], 'replied']);
});

test('a copy in Sent that is read before the outcome is known stands for the message', async () => {
  await using s = await stage();
  await s.readMail();
  s.at('CP11 accepted', () => s.readMail());
  const send = await s.send(ONE);
  await s.h.settle();
  const rows = await messages(s, 'outbound');
  assert.deepEqual([rows.length, (await s.row(send.id)).state, await messages(s)], [1, 'sent', []]);
});

test('a reply that arrived in Junk counts, even if it is the first message ever to be put there', async () => {
  await using s = await stage();
  // A server that makes the folder when it needs it: connecting did not find it.
  await rowsOf(s.h.db, `delete from inbox_folders where role = 'junk'`, []);
  deliver(s, note(s, 'before', 'x@people.test'), { folder: 'Junk', at: new Date(s.h.now().getTime() - 1000) });
  const { id } = await s.campaign([ONE]);
  s.office.imap.follow(({ command }) => (command === 'LIST' ? { raw: '* LIST () "/" INBOX\r\n{tag} OK\r\n' } : undefined));
  await s.h.settle();
  s.office.imap.follow(undefined);
  await deliverAndRead(s, reply(s), { folder: 'Junk' });
  assert.deepEqual(await subjects(s), ['Re: Hello']);
  assert.deepEqual(await s.statuses(id), { one: 'replied' });
});

test('an answer that cites nothing is matched by its address, within a month and to sends of that mailbox only', async () => {
  const { s, lead } = await mailed({ senders: [ANN, 'bob@sender.test'] });
  await using _ = s;
  const { login } = s.office.deliveries[0]!;
  await s.api.inboxes.update(s.inboxes.find((one) => one.email_address === login)!.id, { status: 'paused' });
  await deliverAndRead(s, note(s, 'to the other', ONE), { to: login === ANN ? 'bob@sender.test' : ANN });
  await deliverAndRead(s, note(s, 'of another', 'two@people.test'), { to: login });
  assert.deepEqual([await lead(), await types(s)], ['active', ['message.received', 'message.received']]);
  s.h.tick(31 * DAY);
  await deliverAndRead(s, note(s, 'too late'), { to: login });
  assert.equal(await lead(), 'active');
  s.h.tick(-2 * DAY);
  await deliverAndRead(s, note(s, 'in time', 'One <ONE@People.test>'), { to: login });
  assert.deepEqual([await lead(), (await types(s)).at(-1)], ['replied', 'message.replied']);
});

test('a reply after the last step turns finished into replied', async () => {
  await using s = await stage();
  const { id } = await s.campaign([ONE]);
  await s.h.settle();
  assert.deepEqual(await s.statuses(id), { one: 'finished' });
  await deliverAndRead(s, reply(s));
  assert.deepEqual(await s.statuses(id), { one: 'replied' });
});

test('malformed mail is taken in, and so is what comes after it', async () => {
  await using s = await stage();
  await s.readMail();
  const names = Object.keys(malformed);
  for (const [i, raw] of Object.values(malformed).entries()) {
    deliver(s, Buffer.from(raw.toString('latin1').replaceAll('broken@', `n${i}@`), 'latin1'));
  }
  for (const raw of ['', '\r\n\r\n', '\0\0\0', `From: \ud800\0 <x@y.test>\r\nSubject: =?utf-8?B?AAAA?=\r\n\r\n`]) deliver(s, Buffer.from(raw));
  deliver(s, note(s, 'after'));
  await s.readMail();
  const rows = await messages(s);
  assert.equal(rows.length, names.length + 5, (await subjects(s)).join());
  assert.ok(rows.some((one) => one.subject === 'after'));
  const [folder] = await rowsOf<{ last_uid: number }>(s.h.db, `select last_uid from inbox_folders where role = 'inbox'`, []);
  assert.equal(folder?.last_uid, names.length + 5);
  assert.deepEqual(await rowsOf(s.h.db, 'select * from quarantined_messages', []), []);
});

test('a mailbox that was made anew is read again without telling anything twice', async () => {
  const { s } = await mailed();
  await using _ = s;
  await deliverAndRead(s, reply(s));
  await deliverAndRead(s, Buffer.from('Subject: no id\r\nFrom: x@people.test\r\n\r\nhello'));
  const before = [await messages(s), await types(s)];
  s.office.imap.resetUidValidity(ANN, 'INBOX');
  deliver(s, note(s, 'new'));
  await s.readMail();
  assert.deepEqual([(await messages(s)).length, (await types(s)).length], [before[0]!.length + 1, before[1]!.length + 1 + 1]);
  await s.readMail();
  assert.equal((await messages(s)).length, before[0]!.length + 1);
});

test('a mailbox that is gone is given up after three logins, says why, and disturbs no other', async () => {
  await using s = await stage({ senders: [ANN, 'bob@sender.test'] });
  await s.readMail();
  s.office.imap.removeUser(ANN);
  const before = s.office.imap.log().length;
  await s.h.run(30 * MINUTE);
  const logins = s.office.imap
    .log()
    .slice(before)
    .filter((line) => /^(LOGIN|AUTHENTICATE)/.test(line)).length;
  assert.equal(logins, 3);
  const [ann, bob] = await Promise.all(s.inboxes.map((one) => s.api.inboxes.retrieve(one.id)));
  assert.match(ann!.status_reason ?? '', /could not be read.*\(authentication\)/);
  assert.deepEqual([ann!.status, bob!.status, await types(s, 'inbox.disconnected')], ['failed', 'active', ['inbox.disconnected']]);
  assert.equal(bob!.status_reason, null);
  assert.ok(s.h.now().getTime() - Date.parse(bob!.last_poll_at!) <= MINUTE);
  await deliverAndRead(s, note(s, 'for bob'), { to: 'bob@sender.test' });
  assert.deepEqual(await subjects(s), ['for bob']);
});

test('a mailbox that comes back is read from where it was left; what else was said of the inbox stays', async () => {
  await using s = await stage();
  await s.readMail();
  await s.api.inboxes.update(s.inbox.id, { status: 'paused' });
  const said = (await s.api.inboxes.retrieve(s.inbox.id)).status_reason;
  deliver(s, note(s, 'meanwhile'));
  const before = s.office.imap.connections();
  let calls = 0;
  s.office.imap.follow(({ command }) => (command === 'GREETING' || command === 'LIST' ? (calls++, 'drop') : undefined));
  await s.h.run(10 * MINUTE);
  // After one, two, four and eight minutes.
  assert.ok(before === 1 && calls >= 3 && calls <= 6, `${calls} calls in ten minutes`);
  assert.deepEqual([await subjects(s), (await s.api.inboxes.retrieve(s.inbox.id)).status_reason], [[], said]);
  await s.api.inboxes.update(s.inbox.id, { status: 'active' });
  await s.h.run(20 * MINUTE);
  assert.match((await s.api.inboxes.retrieve(s.inbox.id)).status_reason ?? '', /could not be read/);
  s.office.imap.follow(undefined);
  await s.h.run(35 * MINUTE);
  assert.deepEqual([await subjects(s), (await s.api.inboxes.retrieve(s.inbox.id)).status_reason], [['meanwhile'], null]);
});

test('a connection that the server closed between two polls costs no wait', async () => {
  await using s = await stage();
  await s.readMail();
  let dropped = 0;
  s.office.imap.follow(({ command }) => (command === 'LIST' && dropped++ === 0 ? 'drop' : undefined));
  await deliverAndRead(s, note(s, 'after a restart'));
  assert.deepEqual([dropped > 0, await subjects(s), (await s.api.inboxes.retrieve(s.inbox.id)).status_reason], [true, ['after a restart'], null]);
});

test('a message of 2 MB is taken in, and its answer counts', async () => {
  const { s, lead } = await mailed();
  await using _ = s;
  await deliverAndRead(s, Buffer.concat([reply(s), Buffer.alloc(2 * 1024 * 1024, 'Long letter.\r\n')]));
  assert.deepEqual([await lead(), (await messages(s)).length], ['replied', 1]);
});

for (const point of ['CP15 fetched', 'CP16 taken in'] as const satisfies CrashPoint[]) {
  test(`a failure at ${point} loses nothing and tells nothing twice`, async () => {
    const { s, lead } = await mailed();
    await using _ = s;
    let failed = 0;
    s.at(point, () => {
      if (failed++ === 0) throw new Error('crash');
    });
    for (const raw of [note(s, 'x', 'x@people.test'), reply(s), note(s, 'y', 'y@people.test')]) deliver(s, raw);
    await s.readMail();
    const atOnce = (await messages(s)).length;
    await s.readMail();
    await s.readMail();
    assert.ok(failed > 1 && atOnce < 3, `${failed} ${atOnce}`);
    assert.deepEqual([(await subjects(s)).sort(), await lead()], [['Re: Hello', 'x', 'y'], 'replied']);
    assert.deepEqual((await types(s)).sort(), ['message.received', 'message.received', 'message.received', 'message.replied']);
    assert.deepEqual(await rowsOf(s.h.db, 'select * from quarantined_messages', []), []);
  });
}
