import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { house } from '#testing/house.ts';
import { refused } from '#testing/refused.ts';
import { type Stage, stage } from '#testing/stage.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ANN = 'ann@sender.test';
const BOB = 'bob@sender.test';

const later = (s: Stage, ms: number) => ({ send_at: new Date(s.h.now().getTime() + ms).toISOString() });
const usage = async (s: Stage) => (await s.api.workspace.retrieve()).usage.sends_this_month;

test('disconnecting erases the credentials, cancels what waits, tells of all of it once, and keeps the history', async () => {
  await using s = await stage();
  const gone = await s.send('one@people.test');
  await s.h.settle();
  const waiting = [await s.send('two@people.test', later(s, DAY)), await s.send('three@people.test', later(s, 2 * DAY))];
  const before = await usage(s);
  const answer = await s.api.inboxes.delete(s.inbox.id);
  assert.deepEqual([answer.status, answer.revoked_at, answer.status_reason !== null], ['revoked', s.h.now().toISOString(), true]);
  for (const { id } of waiting) {
    assert.equal((await s.api.sends.retrieve(id)).state, 'canceled');
    assert.deepEqual((await s.events(id)).at(-1), 'send.canceled');
  }
  assert.equal(await usage(s), before - 2);
  const [row] = await rowsOf<Record<string, unknown>>(s.h.db, 'select * from inboxes', []);
  for (const [name, value] of Object.entries(row!))
    if (/^(smtp|imap)_(host|port|security|username|password_sealed)$/.test(name)) assert.equal(value, null, name);
  const [event] = (await s.api.events.list({ type: 'inbox.disconnected' })).data;
  assert.deepEqual([event!.resource_id, event!.data['status'], event!.previous], [s.inbox.id, 'revoked', { status: 'active', revoked_at: null }]);
  assert.deepEqual([(await s.api.sends.retrieve(gone.id)).state, (await s.api.messages.list()).data.length], ['sent', 1]);
  // Again: the same answer, and nothing is told twice.
  const told = (await s.events()).length;
  assert.equal((await s.api.inboxes.delete(s.inbox.id)).revoked_at, answer.revoked_at);
  assert.equal((await s.events()).length, told);
  await refused(s.send('four@people.test'), 409, 'invalid_inbox_state', 'inbox_id');
  // A kept connection may still say goodbye.
  const asked = () => s.office.imap.log().filter((line) => !line.startsWith('LOGOUT')).length;
  const calls = [s.office.smtp.counters.connections, asked()];
  await s.h.run(3 * DAY, DAY);
  assert.deepEqual([s.office.smtp.counters.connections, asked(), s.office.deliveries.length], [...calls, 1]);
});

test('it needs confirmation, an admin, and an inbox of the caller', async () => {
  await using h = await house();
  const [api, write] = [await h.api(), await h.api({ scope: 'write', autoConfirm: true })];
  const { id } = await api.inboxes.createSandbox();
  await refused(api.inboxes.delete(id), 400, 'confirmation_required', 'confirm');
  await refused(write.inboxes.delete(id), 403, 'insufficient_scope');
  for (const who of [{ workspace: 'two' }, { mode: 'live' as const }]) {
    await refused((await h.api({ ...who, autoConfirm: true })).inboxes.delete(id), 404, 'resource_missing', 'id');
  }
  assert.equal((await api.inboxes.retrieve(id)).status, 'active');
  assert.equal((await api.inboxes.delete(id, { confirm: true })).status, 'revoked');
  // A sandbox address is free again.
  const { email_address } = await api.inboxes.retrieve(id);
  assert.notEqual((await api.inboxes.createSandbox({ email_address })).id, id);
  assert.deepEqual((await api.inboxes.list({ status: 'revoked' })).data.map((one) => one.id), [id]); // prettier-ignore
});

test('contacts of a running campaign go on by its other inboxes: the planned step at once, the next ones in the same thread', async () => {
  await using s = await stage({ senders: [ANN, BOB] });
  const emails = Array.from({ length: 6 }, (_, i) => `p${i}@people.test`);
  for (const { id: inbox } of s.inboxes) await s.api.inboxes.update(inbox, { daily_limit: 3 });
  const { id } = await s.campaign(emails, { steps: 2, delayMinutes: 24 * 60 });
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 6);
  const byAnn = s.office.deliveries.filter((one) => one.login === ANN).map((one) => one.recipient);
  assert.equal(byAnn.length, 3);
  await s.api.inboxes.update(s.inboxes[1]!.id, { daily_limit: 500 });
  s.h.tick(DAY + MINUTE);
  await s.h.housekeeping.step();
  await s.h.campaigns.step();
  await s.api.inboxes.delete(s.inboxes.find((one) => one.email_address === ANN)!.id);
  await s.h.settle();
  await s.h.run(2 * MINUTE);
  const second = s.office.deliveries.slice(6);
  assert.deepEqual(second.map((one) => [one.login, one.inReplyTo !== '']), Array.from({ length: 6 }, () => [BOB, true])); // prettier-ignore
  assert.deepEqual(new Set(second.map((one) => one.recipient)), new Set(emails));
  assert.deepEqual(new Set(Object.values(await s.statuses(id))), new Set(['finished']));
  const canceled = await rowsOf<{ to_email: string }>(s.h.db, `select to_email from sends where state = 'canceled'`, []);
  assert.deepEqual(canceled.map((one) => one.to_email).sort(), byAnn.sort());
});

test('a campaign that has lost its last inbox waits for another; a paused one is handed on too', async () => {
  await using s = await stage({ senders: [ANN, BOB] });
  const campaign = await s.api.campaigns.create({
    name: 'C',
    sequence_id: (await s.api.sequences.create({ name: 'S', steps: [{ subject: 'Hi', body_text: 'x' }] })).id,
    sending_inbox_ids: [s.inbox.id],
    schedule: { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 },
  });
  const contact = await s.api.contacts.create({ email: 'one@people.test' });
  await s.api.campaigns.addContacts(campaign.id, { contact_ids: [contact.id] });
  await s.api.campaigns.start(campaign.id);
  await s.h.campaigns.step();
  await s.api.campaigns.pause(campaign.id);
  await s.api.inboxes.delete(s.inbox.id);
  assert.deepEqual((await s.api.sends.list()).data.map((one) => one.state), ['canceled']); // prettier-ignore
  await s.api.campaigns.resume(campaign.id);
  await s.h.run(3 * MINUTE);
  assert.equal((await s.api.campaigns.retrieve(campaign.id)).send_status, 'no_inbox_available');
  assert.deepEqual([await s.statuses(campaign.id), s.office.deliveries.length], [{ one: 'active' }, 0]);
  // Connected again, the very inbox serves its campaign.
  await s.api.inboxes.connectSmtp(s.office.connection(ANN));
  await s.h.run(10 * MINUTE);
  assert.deepEqual([await s.statuses(campaign.id), s.office.deliveries.length], [{ one: 'finished' }, 1]);
});

test('connected anew it is the same inbox, with its settings and history, active; twice at once makes no second', async () => {
  await using s = await stage();
  await s.api.inboxes.update(s.inbox.id, { tags: ['east'], daily_limit: 77, status: 'paused' });
  await s.readMail();
  await s.api.inboxes.delete(s.inbox.id);
  s.office.imap.deliver(ANN, 'INBOX', 'From: one@people.test\r\nSubject: meanwhile\r\n\r\nx', { internalDate: s.h.now() });
  const answers = await Promise.all([1, 2, 3].map(() => s.api.inboxes.connectSmtp(s.office.connection(ANN))));
  const [first] = answers;
  assert.deepEqual(new Set(answers.map((one) => `${one.lastResponse.status} ${one.id}`)), new Set([`200 ${s.inbox.id}`]));
  assert.deepEqual([first!.status, first!.revoked_at, first!.tags, first!.daily_limit], ['active', null, ['east'], 77]);
  await s.readMail();
  assert.deepEqual((await s.api.messages.list()).data.map((one) => one.subject), ['meanwhile']); // prettier-ignore
  await s.send('one@people.test');
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 1);
});

test('a plan that is full has no room for one that comes back', async () => {
  await using s = await stage();
  await s.api.inboxes.delete(s.inbox.id);
  await rowsOf(s.h.db, 'update workspaces set plan = null', []);
  await refused(s.api.inboxes.connectSmtp(s.office.connection(ANN)), 403, 'plan_limit_reached');
});

test('no dot follows the commit of a disconnection, whenever it comes', async () => {
  for (const point of ['CP4 claimed', 'CP6 connected', 'CP8 body written'] as const) {
    await using s = await stage();
    const { id } = await s.campaign(['one@people.test']);
    let done = false;
    s.at(point, async () => {
      if (done) return;
      done = true;
      await s.api.inboxes.delete(s.inbox.id);
    });
    await s.h.settle();
    await s.h.run(5 * MINUTE);
    assert.deepEqual([done, s.office.deliveries.length], [true, 0], point);
    assert.deepEqual((await s.api.sends.list({ state: 'sending' })).data, []);
    assert.notEqual((await s.statuses(id))['one'], 'finished');
  }
});

test('a send that was being made for it meanwhile fails at once, and says why', async () => {
  await using s = await stage();
  const { id } = await s.send('one@people.test', later(s, 5 * DAY));
  await s.api.inboxes.delete(s.inbox.id);
  // As if it had been inserted by a call that looked at the inbox just before.
  await rowsOf(s.h.db, `update sends set state = 'scheduled', due_at = scheduled_at, canceled_at = null where id = $1`, [id]);
  await s.h.housekeeping.step();
  const send = await s.api.sends.retrieve(id);
  assert.deepEqual([send.state, send.failure_reason], ['failed', 'inbox_disconnected']);
});
