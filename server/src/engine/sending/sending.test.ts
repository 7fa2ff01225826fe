import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { humanReply } from '#testing/persona/people.ts';
import { openPostOffice } from '#testing/post-office/index.ts';
import type { Script, ScriptPhase } from '#testing/smtp-server/index.ts';
import { type Stage, stage } from '#testing/stage.ts';
import { socketsRead, until } from '#testing/until.ts';
import { finishAll } from './finish.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BANNER_MS = 54_321;
const shown = async (s: Stage, id: string) => {
  const { state, failure_reason, failure_detail } = await s.api.sends.retrieve(id);
  return [state, failure_reason, failure_detail];
};
/** Do this at the first moment of a phase and then behave. */
const once = (phase: ScriptPhase, action: ReturnType<Script>): Script => {
  let done = false;
  return (moment) => {
    if (done || moment.phase !== phase) return undefined;
    done = true;
    return action;
  };
};

test('a send leaves once, tells its story in order, and the events of a workspace have no gap', async () => {
  await using s = await stage();
  const send = await s.send('one@people.test', { metadata: { order: '7' } });
  await s.h.settle();
  assert.deepEqual(await shown(s, send.id), ['sent', null, null]);
  assert.deepEqual(await s.events(send.id), ['send.scheduled', 'send.sending', 'send.sent']);
  assert.deepEqual(
    s.office.deliveries.map((one) => [one.messageId, one.recipient]),
    [[send.rfc822_message_id, 'one@people.test']],
  );
  const sequences = await rowsOf<{ sequence: number }>(s.h.db, `select sequence from events where mode = 'live' order by sequence`, []);
  assert.deepEqual(
    sequences.map((one) => one.sequence),
    sequences.map((_, i) => i + 1),
  );
  const [attempt] = await rowsOf<{ outcome: string; reply_code: number }>(s.h.db, 'select * from send_attempts', []);
  assert.deepEqual([attempt?.outcome, attempt?.reply_code], ['accepted', 250]);
  assert.deepEqual(s.h.lines, []);
});

test('a login that is refused three times ends the inbox, not its sends; those that wait for a day expire', async () => {
  await using s = await stage();
  s.office.follow(({ phase }) => (phase === 'auth' ? { kind: 'reply', code: 535, text: '5.7.8 no' } : undefined));
  const send = await s.send('one@people.test');
  await s.h.settle();
  assert.equal((await s.api.inboxes.retrieve(s.inbox.id)).status, 'active');
  await s.h.run(20 * MINUTE);
  assert.equal((await s.api.inboxes.retrieve(s.inbox.id)).status, 'failed');
  assert.equal((await s.events(s.inbox.id)).filter((type) => type === 'inbox.disconnected').length, 1);
  assert.deepEqual(await shown(s, send.id), ['scheduled', null, null]);
  assert.equal(s.office.smtp.counters.connections, 4);
  await s.h.run(24 * HOUR, HOUR);
  assert.deepEqual((await shown(s, send.id)).slice(0, 2), ['failed', 'expired']);
  assert.equal(s.office.deliveries.length, 0);
});

test('a server that hangs at its banner delays nobody but its own inbox', async () => {
  await using s = await stage({ deadlines: { banner: BANNER_MS } });
  const { clock } = s.h.world;
  const { after } = clock;
  // Its time is up when we say so, not while a slow machine is still about the other inbox.
  const due = new Set<() => void>();
  const hold = (run: () => void) => (due.add(run), () => void due.delete(run));
  clock.after = (ms, run) => (ms === BANNER_MS ? hold(run) : after(ms, run));
  const other = await openPostOffice({ senders: ['zoe@other.test'], now: s.h.now });
  const zoe = await s.connectInbox(other, 'zoe@other.test');
  s.office.follow(({ phase }) => (phase === 'banner' ? { kind: 'hang' } : undefined));
  const stuck = await s.send('one@people.test');
  await s.send('two@people.test', { inbox_id: zoe.id });
  await s.h.sending.step();
  await until(() => other.deliveries.length > 0 && s.h.sending.lanes() === 1);
  assert.equal(due.size, 1);
  for (const run of due) run();
  await s.h.sending.idle();
  assert.deepEqual(await shown(s, stuck.id), ['scheduled', null, null]);
  assert.match((await s.api.inboxes.retrieve(s.inbox.id)).status_reason ?? '', /\w/);
  s.office.follow(undefined);
  await s.h.run(2 * MINUTE);
  assert.deepEqual(await shown(s, stuck.id), ['sent', null, null]);
  assert.equal((await s.api.inboxes.retrieve(s.inbox.id)).status_reason, null);
  await other.close();
});

for (const [what, { accepted, filesSent, ends }] of Object.entries({
  'accepted and filed under Sent: sent': { accepted: true, filesSent: true, ends: ['sent', null] },
  'accepted without a copy: unknown': { accepted: true, filesSent: false, ends: ['failed', 'outcome_unknown'] },
  'not accepted: unknown': { accepted: false, filesSent: true, ends: ['failed', 'outcome_unknown'] },
})) {
  test(`silence after the dot is never answered by a second one: ${what}`, async () => {
    await using s = await stage({ deadlines: { dot: 100 }, filesSent });
    s.office.follow(once('dot', { kind: 'hang', accepted }));
    const send = await s.send('one@people.test');
    await s.h.settle();
    await s.h.run(9 * MINUTE);
    assert.deepEqual(await shown(s, send.id), ['sending', null, null]);
    await s.h.run(6 * MINUTE);
    const [state, reason, detail] = await shown(s, send.id);
    assert.deepEqual([state, reason], ends);
    if (reason) assert.match(detail!, /did not answer.*No copy in Sent/);
    await s.h.run(HOUR, 10 * MINUTE);
    assert.equal(s.office.smtp.counters.dots, 1);
    assert.equal(s.office.deliveries.length, accepted ? 1 : 0);
    assert.equal((await s.events(send.id)).length, 3);
  });
}

test('a temporary no at any phase is tried again later with the same Message-ID, and one message arrives', async () => {
  await using s = await stage();
  const phases: readonly ScriptPhase[] = ['banner', 'ehlo', 'starttls', 'auth', 'mail', 'rcpt', 'data', 'body', 'dot'];
  for (const [i, phase] of phases.entries()) {
    s.office.smtp.drop();
    await socketsRead();
    s.office.follow(once(phase, { kind: 'reply', code: 451, text: '4.3.0 later' }));
    const send = await s.send(`${phase}@people.test`);
    await s.h.settle();
    assert.deepEqual([phase, (await s.row(send.id)).state, s.office.deliveries.length], [phase, 'scheduled', i]);
    await s.h.run(3 * MINUTE);
    assert.deepEqual([phase, (await s.row(send.id)).state, s.office.deliveries.at(-1)?.messageId], [phase, 'sent', send.rfc822_message_id]);
  }
  assert.equal(s.office.deliveries.length, phases.length);
});

test('what a permanent no means: an unknown address is suppressed, content and size fail the send alone', async () => {
  await using s = await stage();
  s.office.follow(once('rcpt', { kind: 'reply', code: 550, text: '5.1.1 no such user' }));
  const { id, contacts } = await s.campaign(['gone@people.test']);
  await s.h.settle();
  const gone = (await s.api.sends.list()).data[0]!;
  assert.deepEqual(await shown(s, gone.id), ['failed', 'invalid_recipient', '550 5.1.1 no such user']);
  assert.deepEqual(await s.statuses(id), { gone: 'bounced' });
  assert.equal((await s.api.contacts.retrieve(contacts[0]!.id)).global_status, 'bounced');
  assert.deepEqual(
    (await s.api.suppressions.list()).data.map((one) => [one.email, one.reason, one.source_send_id]),
    [['gone@people.test', 'hard_bounce', gone.id]],
  );
  for (const [phase, reply, reason] of [
    ['dot', { code: 554, text: '5.7.1 spam' }, 'content_rejected'],
    ['mail', { code: 552, text: '5.3.4 too big' }, 'message_too_large'],
    ['rcpt', { code: 550, text: '5.7.1 policy' }, 'recipient_rejected'],
  ] as const) {
    s.office.follow(once(phase, { kind: 'reply', ...reply }));
    const send = await s.send(`${reason}@people.test`);
    await s.h.run(2 * MINUTE);
    assert.deepEqual(await shown(s, send.id), ['failed', reason, `${reply.code} ${reply.text}`]);
  }
  assert.equal((await s.api.suppressions.list()).data.length, 1);
  assert.equal(s.office.deliveries.length, 0);
});

test('a connection lost in mid-body is tried again; one that the server closed between messages costs no wait', async () => {
  await using s = await stage();
  s.office.follow(once('body', { kind: 'drop', afterBytes: 50, reset: true }));
  // Seen before the dot: one that is written into a connection of which nobody knows yet that it is gone may have been read.
  s.at('CP8 body written', socketsRead);
  const cut = await s.send('cut@people.test');
  await s.h.settle();
  assert.equal((await s.row(cut.id)).state, 'scheduled');
  await s.h.run(2 * MINUTE);
  assert.equal((await s.row(cut.id)).state, 'sent');
  s.office.smtp.interject('421 4.3.2 closing\r\n');
  const after = await s.send('after@people.test');
  await s.h.settle();
  assert.equal((await s.row(after.id)).state, 'sent');
  s.office.follow(once('mail', { kind: 'reply', code: 421, text: '4.7.0 enough for one connection' }));
  const enough = await s.send('enough@people.test');
  await s.h.settle();
  assert.deepEqual([(await s.row(enough.id)).state, s.office.deliveries.length], ['sent', 3]);
});

const stops: Record<
  string,
  { stop(s: Stage, who: { campaignId: string; contactId: string }): Promise<unknown>; ends: [string, string | null]; lead: string }
> = {
  'a suppression': { stop: (s) => s.api.suppressions.create({ email: 'one@people.test' }), ends: ['failed', 'suppressed'], lead: 'unsubscribed' },
  'an unsubscribe': {
    stop: (s, { contactId }) => s.api.contacts.update(contactId, { global_status: 'unsubscribed' }),
    ends: ['failed', 'suppressed'],
    lead: 'unsubscribed',
  },
  'a pause': { stop: (s, { campaignId }) => s.api.campaigns.pause(campaignId), ends: ['scheduled', null], lead: 'active' },
  'a deleted contact': { stop: (s, { contactId }) => s.api.contacts.delete(contactId), ends: ['canceled', null], lead: 'gone' },
  'a paused inbox': { stop: (s) => s.api.inboxes.update(s.inbox.id, { status: 'paused' }), ends: ['scheduled', null], lead: 'active' },
  'a reply': {
    async stop(s) {
      s.office.imap.deliver(
        'ann@sender.test',
        'INBOX',
        humanReply({ to: s.office.deliveries[0]!.raw, from: 'one@people.test', date: s.h.now(), text: 'Hi' }),
      );
      await s.readMail();
    },
    ends: ['canceled', null],
    lead: 'replied',
  },
};
for (const [what, { stop, ends, lead }] of Object.entries(stops)) {
  test(`no dot follows the commit of ${what}, even with the whole body written`, async () => {
    await using s = await stage();
    const { id, contacts } = await s.campaign(['one@people.test'], { steps: 2 });
    await s.h.settle();
    assert.equal(s.office.smtp.counters.dots, 1);
    let stopped = 0;
    s.at('CP8 body written', async () => {
      if (stopped++ === 0) await stop(s, { campaignId: id, contactId: contacts[0]!.id });
    });
    await s.h.run(32 * MINUTE);
    assert.equal(stopped, 1);
    const second = (await s.api.sends.list()).data.find((one) => one.rfc822_message_id !== s.office.deliveries[0]!.messageId)!;
    assert.deepEqual((await shown(s, second.id)).slice(0, 2), ends);
    assert.equal((await s.statuses(id))['one'] ?? 'gone', lead);
    assert.equal(s.office.smtp.counters.dots, 1);
    if (what === 'a pause') await s.api.campaigns.resume(id);
    if (what === 'a paused inbox') await s.api.inboxes.update(s.inbox.id, { status: 'active' });
    await s.h.run(10 * MINUTE);
    assert.equal(s.office.smtp.counters.dots, lead === 'active' ? 2 : 1);
  });
}

test('a cancel comes too late once a worker has the send; before, nothing leaves', async () => {
  await using s = await stage();
  const codes: unknown[] = [];
  const late = await s.send('late@people.test');
  s.at('CP8 body written', async () => {
    await assert.rejects(s.api.sends.cancel(late.id), (error: { code: string }) => codes.push(error.code) > 0);
  });
  await s.h.settle();
  assert.deepEqual([codes, (await s.row(late.id)).state], [['send_not_cancelable'], 'sent']);
  const early = await s.send('early@people.test');
  await s.api.sends.cancel(early.id);
  await s.h.run(2 * MINUTE);
  assert.deepEqual([(await s.row(early.id)).state, s.office.deliveries.length], ['canceled', 1]);
});

test('a campaign that was resumed before its pause reached a send in hand does not hold that send for ever', async () => {
  await using s = await stage();
  const { id } = await s.campaign(['one@people.test']);
  await s.h.campaigns.step();
  const [send] = await rowsOf<{ workspace_id: string; id: string; mode: 'live'; fence: number }>(
    s.h.db,
    `update sends set state = 'sending', fence = 1 returning *`,
    [],
  );
  await s.api.campaigns.pause(id);
  await s.api.campaigns.resume(id);
  await finishAll(s.h.world, [
    { send: send!, outcome: { kind: 'denied', denial: { kind: 'wait', gate: 'campaign paused', until: null } }, at: s.h.now() },
  ]);
  await s.h.run(MINUTE);
  assert.equal(s.office.deliveries.length, 1);
});

test('an outcome of a send that another worker took over changes nothing', async () => {
  await using s = await stage();
  const { id } = await s.campaign(['one@people.test']);
  await s.h.campaigns.step();
  const [send] = await rowsOf<{ workspace_id: string; id: string; mode: 'live'; fence: number }>(
    s.h.db,
    `update sends set state = 'sending', fence = 2 returning *`,
    [],
  );
  const reply = { code: 554, enhanced: '5.7.1', text: 'no' };
  const late = { ...send!, fence: 1 };
  await finishAll(s.h.world, [{ send: late, outcome: { kind: 'refused', phase: 'dot', permanent: true, reply }, at: s.h.now() }]);
  assert.deepEqual([(await s.row(send!.id)).state, await s.statuses(id)], ['sending', { one: 'active' }]);
  await finishAll(s.h.world, [{ send: late, outcome: { kind: 'accepted', reply: { code: 250, enhanced: null, text: 'ok' } }, at: s.h.now() }]);
  assert.deepEqual([(await s.row(send!.id)).state, await s.statuses(id)], ['sending', { one: 'active' }]);
  assert.deepEqual([(await s.api.messages.list()).data, await s.events(send!.id)], [[], ['send.scheduled']]);
});

test('the cap holds: what is over it moves to the next day without being offered to the server', async () => {
  await using s = await stage();
  await s.api.inboxes.update(s.inbox.id, { daily_limit: 2 });
  const sends = [];
  for (const name of ['a', 'b', 'c', 'd', 'e']) sends.push(await s.send(`${name}@people.test`));
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 2);
  assert.equal((await s.api.inboxes.retrieve(s.inbox.id)).status, 'over_quota_today');
  // Made in one millisecond of this calendar, they are of equal rank: which two left is not told.
  const rows = await Promise.all(sends.map((one) => s.row(one.id)));
  const waiting = rows.filter((one) => one.state === 'scheduled');
  assert.deepEqual(
    waiting.map((one) => one.due_at?.toISOString()),
    Array(3).fill('2030-01-08T00:00:00.000Z'),
  );
  assert.deepEqual(
    waiting.map((one) => one.attempt_count),
    [0, 0, 0],
  );
  await s.h.run(16 * HOUR, HOUR);
  assert.equal(s.office.deliveries.length, 4);
  await s.h.run(24 * HOUR, HOUR);
  assert.equal(s.office.deliveries.length, 5);
});

test('the gap between two sends of an inbox is kept', async () => {
  await using s = await stage();
  await s.api.inboxes.update(s.inbox.id, { min_gap_seconds: 60, max_gap_seconds: 90 });
  for (const name of ['a', 'b', 'c', 'd']) await s.send(`${name}@people.test`);
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 1);
  await s.h.run(6 * MINUTE, 5_000);
  const at = (await s.api.sends.list({ limit: 10 })).data.map((one) => Date.parse(one.sent_at!)).sort((a, b) => a - b);
  assert.equal(at.length, 4);
  for (const [i, time] of at.entries()) if (i) assert.ok(time - at[i - 1]! >= MINUTE && time - at[i - 1]! <= 95_000, `${time - at[i - 1]!} ms`);
});

test('a paused inbox holds its sends for a day and no longer', async () => {
  await using s = await stage();
  await s.api.inboxes.update(s.inbox.id, { status: 'paused' });
  const send = await s.send('one@people.test');
  await s.h.run(23 * HOUR, HOUR);
  assert.equal((await s.row(send.id)).state, 'scheduled');
  await s.h.run(2 * HOUR, HOUR);
  assert.deepEqual((await shown(s, send.id)).slice(0, 2), ['failed', 'expired']);
  assert.deepEqual(await s.events(send.id), ['send.scheduled', 'send.failed']);
});
