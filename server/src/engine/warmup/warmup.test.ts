import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '#store/db.ts';
import { HEADER, dayName } from '#resources/warmup/index.ts';
import { originalOf } from '#testing/persona/original.ts';
import { ANN, BOB, CAT, DAY, HOUR, MINUTE, NOTHING_SHOWN, type Pool, pool } from './pool.fixture.ts';

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
const statistics = async (s: Pool) => Promise.all(s.inboxes.map(({ id }) => s.api.inboxes.warmup(id)));

test('three days of three inboxes: mails go to and fro within the limits, Junk is emptied, and nothing of it is shown as mail', async () => {
  await using s = await pool({ sorts: (recipient) => (recipient === CAT ? 'Junk' : 'INBOX') });
  await s.days(3, 40 * MINUTE);
  // What came in the evening is looked at, too.
  await s.pass(2 * HOUR, 40 * MINUTE);
  const sent = await s.mails(`state = 'sent'`);
  const all = await statistics(s);
  const total = (what: keyof (typeof all)[0]['totals']) => sum(all.map((one) => one.totals[what]));
  assert.ok(sent.length >= 6, String(sent.length));
  assert.deepEqual(await s.shown(), NOTHING_SHOWN);

  // Each that left arrived once, and the statistics count each once.
  assert.deepEqual(s.office.deliveries.map((one) => one.messageId).sort(), sent.map((one) => one.rfc822_message_id).sort());
  assert.deepEqual([total('sent'), total('received'), total('landed_in_inbox') + total('landed_in_junk')], [sent.length, sent.length, sent.length]);
  const toCat = sent.filter((one) => one.to_inbox_id === s.inboxes[2]!.id).length;
  assert.ok(toCat > 0);
  assert.deepEqual([total('landed_in_junk'), s.office.imap.messages(CAT, 'Junk').length], [toCat, 0]);
  assert.deepEqual([total('rescued'), s.office.imap.messages(CAT, 'INBOX').length], [toCat, toCat]);
  assert.equal(total('answered'), sent.filter((one) => one.place > 0).length);
  assert.ok(total('answered') > 0);
  for (const one of all) {
    const shownDays = one.days.map((day) => day.sent);
    assert.deepEqual([sum(shownDays), one.days.length, one.days.at(-1)!.date], [one.totals.sent, 30, dayName(s.h.now(), 'UTC')]);
    for (const [i, count] of shownDays.slice(-3).entries()) assert.ok(count <= 2 + 2 * i, `day ${i + 1}: ${count}`);
  }

  // Once a day and pair, in working hours, from the thread that it answers.
  const pairs = sent.filter((one) => one.place === 0).map((one) => [one.day, ...[one.inbox_id, one.to_inbox_id].sort()].join(' '));
  assert.equal(new Set(pairs).size, pairs.length);
  for (const one of sent) assert.ok(one.dot_released_at!.getUTCHours() >= 8 && one.dot_released_at!.getUTCHours() < 18, String(one.dot_released_at));
  const known = new Set(s.office.deliveries.map((one) => one.messageId));
  for (const { inReplyTo, subject, raw } of s.office.deliveries) {
    assert.equal(subject.startsWith('Re: '), inReplyTo !== '');
    assert.ok(inReplyTo === '' || known.has(inReplyTo));
    assert.match(originalOf(raw).fields.get(HEADER.toLowerCase())?.[0] ?? '', /^[\w-]{64}$/);
    assert.match(raw.toString(), /^Content-Type: text\/plain/m);
  }
  // Each took a unit of its inbox's day, and most were read.
  const units = await rowsOf<{ n: number }>(s.h.db, 'select count(distinct warmup_mail_id)::int as n from budget_units', []);
  assert.equal(units[0]!.n, sent.length);
  const marked = s.office.imap.messages(BOB, 'INBOX').filter((one) => one.flags.includes('\\Seen'));
  assert.ok(marked.length > 0);
});

test('a unit of the day is one of the cap: the budget shows it, health does not count it', async () => {
  await using s = await pool();
  const mail = await s.exchange();
  await s.settle();
  const budget = await s.api.inboxes.budget(s.inboxes[0]!.id);
  assert.deepEqual([budget.used, budget.units], [1, [{ unit: 1, send_id: null }]]);
  const row = (await s.mails())[0]!;
  assert.deepEqual([row.id, row.state, row.budget_unit], [mail.id, 'sent', 1]);
  // Twenty sends are asked for before anything is said of health.
  await rowsOf(
    s.h.db,
    `insert into budget_units select workspace_id, inbox_id, day, g, null, 'wum_x' || g from budget_units, generate_series(2, 40) g`,
    [],
  );
  await rowsOf(s.h.db, 'update inboxes set health_due_at = $1', [s.h.now()]);
  await s.h.housekeeping.step();
  assert.equal((await s.api.inboxes.retrieve(s.inboxes[0]!.id)).health_score, null);
});

test("the inbox's own mail goes first: the warm-up has what it leaves of the cap, and never more than half", async () => {
  await using s = await pool();
  const id = s.inboxes[0]!.id;
  await s.api.inboxes.update(id, { daily_limit: 4 });
  assert.equal((await s.api.inboxes.warmup(id)).daily_limit, 2);
  const soon = new Date(s.h.now().getTime() + 2 * HOUR).toISOString();
  for (let i = 0; i < 4; i++) await s.send(`p${i}@people.test`, { send_at: soon });
  await s.exchange();
  await s.settle();
  assert.equal(s.office.deliveries.length, 0);
  await s.h.run(3 * HOUR, 10 * MINUTE);
  assert.deepEqual(
    s.office.deliveries.map((one) => one.recipient).sort(),
    [0, 1, 2, 3].map((i) => `p${i}@people.test`),
  );
  // At its cap the inbox opens no exchange any more: it is dropped, not put off.
  await s.h.run(4 * HOUR, 30 * MINUTE);
  assert.deepEqual((await s.mails()).map((one) => one.state), ['canceled']); // prettier-ignore
  assert.equal(s.office.deliveries.length, 4);
});

test('no more leave than the ramp allows: what would open an exchange is dropped, an answer leaves the next morning', async () => {
  await using s = await pool();
  await s.exchange([
    { to: CAT, place: 0 },
    { to: CAT, place: 1 },
    { to: BOB, place: 1 },
  ]);
  await s.pass(HOUR);
  assert.equal(s.office.deliveries.length, 2);
  await s.pass(24 * HOUR, HOUR);
  assert.equal(
    (await s.mails('dot_released_at is not null')).filter((one) => one.inbox_id === s.inboxes[0]!.id && one.day === '2030-01-07').length,
    2,
  );
  const states = (await s.mails(`inbox_id = '${s.inboxes[0]!.id}'`)).slice(0, 4).map((one) => `${one.place} ${one.state}`);
  assert.ok(
    states.every((one) => one.endsWith('sent') || one === '0 canceled'),
    states.join(),
  );
});

test('mails of the warm-up and of the inbox keep the same gap', async () => {
  await using s = await pool();
  await s.api.inboxes.update(s.inboxes[0]!.id, { min_gap_seconds: 600, max_gap_seconds: 600 });
  await s.send('one@people.test');
  await s.h.settle();
  await s.exchange();
  await s.settle();
  assert.equal(s.office.deliveries.length, 1);
  await s.pass(10 * MINUTE);
  assert.equal(s.office.deliveries.length, 2);
  await s.send('two@people.test');
  await s.h.settle();
  assert.equal(s.office.deliveries.length, 2);
  await s.h.run(10 * MINUTE);
  assert.equal(s.office.deliveries.length, 3);
});

test('an inbox that leaves, rests, is paused or disconnected sends nothing, and what was planned with one that left is canceled', async () => {
  for (const end of ['leaves', 'partner leaves', 'disconnected'] as const) {
    await using s = await pool();
    await s.exchange();
    const [ann, bob] = s.inboxes;
    if (end === 'leaves') await s.api.inboxes.update(ann!.id, { warmup_enabled: false });
    else if (end === 'partner leaves') await s.api.inboxes.update(bob!.id, { warmup_enabled: false });
    else await s.api.inboxes.delete(ann!.id);
    await s.settle();
    const [mail] = await s.mails();
    assert.deepEqual([mail!.state, mail!.because], ['canceled', 'One of the two has left the pool.'], end);
    assert.equal(s.office.deliveries.length, 0);
  }
  await using s = await pool();
  await s.exchange();
  await rowsOf(s.h.db, `update inboxes set status = 'unhealthy', rests_until = $1`, [new Date(s.h.now().getTime() + 2 * HOUR)]);
  await s.pass(HOUR);
  assert.deepEqual([s.office.deliveries.length, (await s.mails())[0]!.state], [0, 'planned']);
  await s.pass(3 * HOUR);
  assert.deepEqual((await s.mails('place = 0')).map((one) => one.state), ['sent']); // prettier-ignore
});

test('a stop that comes while the mail is in hand, up to its release, holds', async () => {
  for (const point of ['CP4 claimed', 'CP8 body written'] as const) {
    await using s = await pool();
    await s.exchange();
    s.at(point, async () => void (await s.api.inboxes.update(s.inboxes[1]!.id, { warmup_enabled: false })));
    await s.settle();
    assert.deepEqual([(await s.mails())[0]!.state, s.office.deliveries.length], ['canceled', 0], point);
  }
});

test('workspaces keep to themselves unless the operator lets them meet; a plan that is not paid for any more ends it', async () => {
  for (const across of [false, true]) {
    await using s = await pool({ env: { WARMUP_ACROSS_WORKSPACES: String(across) } });
    await s.api.inboxes.delete(s.inboxes[2]!.id);
    const two = await s.h.api({ mode: 'live', workspace: 'two', autoConfirm: true });
    const cat = await two.inboxes.connectSmtp(s.office.connection(CAT));
    await rowsOf(s.h.db, `update inboxes set provider = 'google'`, []);
    await two.inboxes.update(cat.id, { warmup_enabled: true });
    await s.days(3, HOUR);
    const met = await s.mails('workspace_id <> to_workspace_id');
    assert.equal(met.length > 0, across);
    assert.ok((await s.mails('workspace_id = to_workspace_id')).length > 0);
  }
  await using s = await pool();
  await rowsOf(s.h.db, `update workspaces set plan_status = 'past_due'`, []);
  await s.days(2, HOUR);
  assert.deepEqual(await s.mails(), []);
});

test('joining begins the ramp anew; a limit of nothing halts the pool; who never joined has nothing to show', async () => {
  await using s = await pool({ env: { WARMUP_DAILY_LIMIT: '5' } });
  const [{ id }] = s.inboxes as [(typeof s.inboxes)[0]];
  const first = await s.api.inboxes.warmup(id);
  assert.deepEqual([first.enabled, first.ramp_day, first.daily_limit, first.started_at], [true, 1, 2, s.h.now().toISOString()]);
  s.h.tick(5 * DAY);
  assert.deepEqual([(await s.api.inboxes.warmup(id)).ramp_day, (await s.api.inboxes.warmup(id)).daily_limit], [6, 5]);
  // Once more changes nothing.
  await s.api.inboxes.update(id, { warmup_enabled: true });
  assert.equal((await s.api.inboxes.warmup(id)).ramp_day, 6);
  await s.api.inboxes.update(id, { warmup_enabled: false });
  const gone = await s.api.inboxes.warmup(id);
  assert.deepEqual([gone.enabled, gone.ramp_day, gone.daily_limit, gone.started_at], [false, null, 0, null]);
  await s.api.inboxes.update(id, { warmup_enabled: true });
  assert.equal((await s.api.inboxes.warmup(id)).ramp_day, 1);
  await using halted = await pool({ env: { WARMUP_DAILY_LIMIT: '0' } });
  await halted.pass(DAY, HOUR);
  assert.deepEqual(await halted.mails(), []);
  const test = await halted.h.api();
  const sandbox = await test.inboxes.createSandbox();
  assert.deepEqual((await test.inboxes.warmup(sandbox.id)).totals.sent, 0);
});

test('a login that is refused is the inbox’s trouble: it is tried again later, and the third time fails the inbox', async () => {
  await using s = await pool();
  await s.exchange();
  s.office.follow(({ phase }) => (phase === 'auth' ? { kind: 'reply', code: 535, text: '5.7.8 no' } : undefined));
  await s.settle();
  assert.equal((await s.mails())[0]!.attempt_count, 1);
  await s.pass(20 * MINUTE);
  assert.equal((await s.mails())[0]!.attempt_count, 1);
  await s.pass(3 * HOUR);
  assert.deepEqual([(await s.api.inboxes.retrieve(s.inboxes[0]!.id)).status, (await s.mails())[0]!.attempt_count], ['failed', 3]);
  assert.deepEqual(s.office.deliveries, []);
  assert.equal((await s.api.events.list({ type: 'inbox.disconnected' })).data.length, 1);
});

test('refused logins with a mail that left between them are not in a row', async () => {
  await using s = await pool();
  const refuse = () => s.office.follow(({ phase }) => (phase === 'auth' ? { kind: 'reply', code: 535, text: '5.7.8 no' } : undefined));
  const refusals = async () =>
    (await rowsOf<{ n: number }>(s.h.db, 'select login_refusals as n from inboxes where id = $1', [s.inboxes[0]!.id]))[0]!.n;
  await s.exchange();
  refuse();
  await s.settle();
  assert.equal(await refusals(), 1);
  s.office.follow(undefined);
  await s.pass(HOUR);
  assert.deepEqual([(await s.mails())[0]!.state, await refusals()], ['sent', 0]);
});

test('who leaves and joins again on the same day opens no second exchange with anybody', async () => {
  await using s = await pool();
  await s.settle();
  const openings = async () => (await s.mails('place = 0')).map((one) => [one.inbox_id, one.to_inbox_id, one.day].join(' ')).sort();
  const planned = await openings();
  assert.ok(planned.length > 0);
  for (const { id } of s.inboxes) await s.api.inboxes.update(id, { warmup_enabled: false });
  await s.settle();
  for (const { id } of s.inboxes) await s.api.inboxes.update(id, { warmup_enabled: true });
  await s.settle();
  const again = await openings();
  assert.deepEqual([again.length, new Set(again)], [planned.length, new Set(planned)]);
});

test('a day that cannot be planned is left for later, and the others get theirs; mails are forgotten in time, their counts stay', async () => {
  await using s = await pool();
  await s.exchange();
  await s.settle();
  await rowsOf(s.h.db, `update inboxes set timezone = 'No/Where' where email_address = $1`, [ANN]);
  s.h.tick(DAY);
  await rowsOf(s.h.db, 'update inboxes set next_warmup_at = $1', [s.h.now()]);
  await s.h.warmup.step();
  await s.h.warmup.idle();
  const due = await rowsOf<{ n: number }>(s.h.db, 'select count(*)::int as n from inboxes where next_warmup_at <= $1', [s.h.now()]);
  assert.equal(due[0]!.n, 0);
  assert.equal(s.h.lines.filter((line) => line.includes('could not be planned')).length, 1);
  await rowsOf(s.h.db, `update inboxes set timezone = 'UTC', warmup_enabled = false, next_warmup_at = null`, []);
  s.h.tick(61 * DAY);
  await s.settle();
  assert.deepEqual([(await s.mails(`state = 'sent'`)).length, (await s.api.inboxes.warmup(s.inboxes[0]!.id)).totals.sent], [0, 1]);
});
