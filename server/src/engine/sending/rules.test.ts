import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Broken, Refused, SmtpPhase } from '#mail/mail.ts';
import { type Schedule, nextOpening } from '#resources/campaigns/index.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import { MAX_LATENESS_MS } from '#resources/sends/index.ts';
import { HOLD_MS, type ReleaseFacts, backOffMs, denialOf, failureOf } from './rules.ts';
import { fateOf, plansAnew } from './unsent.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const MINUTE = 60_000;
const later = (ms: number) => new Date(NOW.getTime() + ms);
const OPEN: Schedule = { timezone: 'UTC', daysOfWeek: [0, 1, 2, 3, 4, 5, 6], startHour: 0, endHour: 24 };

/** Facts under which a campaign's send may leave. */
const facts = (more: Partial<ReleaseFacts> = {}): ReleaseFacts => ({
  send: {
    state: 'sending',
    fence: 3,
    created_at: later(-MINUTE),
    dot_released_at: null,
    is_reply: false,
    campaign_id: 'cmp_1',
    contact_id: 'con_1',
    enrollment_id: 'enr_1',
  },
  fence: 3,
  inbox: inbox(),
  campaign: { status: 'running', schedule: OPEN, edited_at: null },
  contact: { global_status: 'ok' },
  enrollment: { status: 'active' },
  suppressed: false,
  ...more,
});
function inbox(more: Partial<Inbox> = {}): Inbox {
  const day = { day_started_at: new Date('2026-05-01T00:00:00Z'), day_resets_at: new Date('2026-05-02T00:00:00Z'), day_count: 0 };
  return { status: 'active', timezone: 'UTC', daily_limit: 10, ramp_enabled: false, next_send_at: NOW, ...day, ...more } as Inbox;
}
const send = (more: Partial<ReleaseFacts['send']>) => ({ ...facts().send, ...more });
const oneOff = send({ campaign_id: null, enrollment_id: null });
const campaign = (more: Partial<NonNullable<ReleaseFacts['campaign']>>) => ({ ...facts().campaign!, ...more });
const judged = (more: Partial<ReleaseFacts>) => denialOf(facts(more), NOW, nextOpening);

test('what is as it should be may leave, a campaign and without one, to somebody we know or not', () => {
  assert.equal(judged({}), null);
  assert.equal(judged({ send: oneOff, campaign: undefined, enrollment: undefined }), null);
  assert.equal(judged({ send: send({ ...oneOff, contact_id: null }), campaign: undefined, enrollment: undefined, contact: undefined }), null);
  assert.equal(judged({ inbox: inbox({ day_count: 9 }) }), null);
  assert.equal(judged({ campaign: campaign({ edited_at: later(-MINUTE - 1) }) }), null, 'planned after the change');
  // Its status is set back by housekeeping a little after the day has begun anew.
  assert.equal(judged({ inbox: inbox({ status: 'over_quota_today', day_count: 10, day_resets_at: NOW }) }), null);
  assert.equal(judged({ send: send({ is_reply: true }), inbox: inbox({ status: 'over_quota_today', day_count: 10 }) }), null);
});

const lost = { kind: 'lost' };
const gates: [string, Partial<ReleaseFacts>, object][] = [
  ['another worker has it', { send: send({ fence: 4 }) }, lost],
  ['it is not being sent', { send: send({ state: 'scheduled' }) }, lost],
  ['its dot was released before', { send: send({ dot_released_at: NOW }) }, lost],
  ['suppressed', { suppressed: true }, { kind: 'fail', gate: 'suppression', reason: 'suppressed' }],
  ['unsubscribed', { contact: { global_status: 'unsubscribed' } }, { kind: 'fail', gate: 'contact unsubscribed', reason: 'suppressed' }],
  ['bounced', { contact: { global_status: 'bounced' } }, { kind: 'fail', gate: 'contact bounced', reason: 'suppressed' }],
  [
    'a one-off to a blacklisted contact',
    { send: oneOff, contact: { global_status: 'blacklisted' } },
    { kind: 'fail', gate: 'contact blacklisted', reason: 'suppressed' },
  ],
  ['campaign deleted', { campaign: undefined }, { kind: 'cancel', gate: 'campaign deleted' }],
  ['contact deleted', { contact: undefined }, { kind: 'cancel', gate: 'contact deleted' }],
  ['enrollment deleted', { enrollment: undefined }, { kind: 'cancel', gate: 'enrollment deleted' }],
  ['replied', { enrollment: { status: 'replied' } }, { kind: 'cancel', gate: 'enrollment replied' }],
  ['planned before the campaign was changed', { campaign: campaign({ edited_at: later(-MINUTE) }) }, { kind: 'cancel', gate: 'campaign edited' }],
  ['campaign paused', { campaign: campaign({ status: 'paused' }) }, { kind: 'wait', gate: 'campaign paused', until: null }],
  [
    'outside the window',
    { campaign: campaign({ schedule: { ...OPEN, startHour: 13 } }) },
    { kind: 'wait', gate: 'outside schedule', until: later(60 * MINUTE) },
  ],
  ['inbox revoked', { inbox: inbox({ status: 'revoked' }) }, { kind: 'fail', gate: 'inbox revoked', reason: 'inbox_disconnected' }],
  ['inbox paused', { inbox: inbox({ status: 'paused' }) }, { kind: 'wait', gate: 'inbox paused', until: later(HOLD_MS) }],
  ['inbox failed', { inbox: inbox({ status: 'failed' }) }, { kind: 'wait', gate: 'inbox failed', until: later(HOLD_MS) }],
  ['the gap is not over', { inbox: inbox({ next_send_at: later(1) }) }, { kind: 'wait', gate: 'gap', until: later(1) }],
  ['cap reached', { inbox: inbox({ day_count: 10 }) }, { kind: 'wait', gate: 'daily cap', until: new Date('2026-05-02T00:00:00Z') }],
  [
    'a paused inbox holds replies too',
    { send: send({ is_reply: true }), inbox: inbox({ status: 'paused' }) },
    { kind: 'wait', gate: 'inbox paused', until: later(HOLD_MS) },
  ],
];
for (const [what, more, denial] of gates) test(`gate: ${what}`, () => assert.deepEqual(judged(more), denial));

test('what must never leave is told so, whatever else holds it back, and what is not ours is left alone, whatever else is true of it', () => {
  const any = fc.subarray(gates).map((some) => Object.assign({}, ...some.map(([, more]) => more)) as Partial<ReleaseFacts>);
  fc.assert(
    fc.property(any, (more) => {
      const { kind } = judged(more) ?? { kind: 'granted' };
      const { send: row, contact, campaign, enrollment } = facts(more);
      const ours = row.state === 'sending' && row.fence === 3 && row.dot_released_at === null;
      const barred = more.suppressed === true || (contact !== undefined && contact.global_status !== 'ok');
      const over = row.campaign_id !== null && (!campaign || !contact || enrollment?.status !== 'active');
      assert.equal(kind === 'lost', !ours);
      if (ours && barred) assert.equal(kind, 'fail');
      if (ours && over && !barred) assert.equal(kind, 'cancel');
    }),
  );
});

const refused = (phase: SmtpPhase, code: number, enhanced: string | null = null): Refused => ({
  kind: 'refused',
  phase,
  permanent: code >= 500,
  reply: { code, enhanced, text: 'No such user here' },
});
const broken = (fault: Broken['fault']): Broken => ({ kind: 'broken', phase: 'rcpt', fault, detail: 'Gone.' });

test('what the server said is the reason, in its own words', () => {
  const reasons: [Refused | Broken, string, boolean][] = [
    [refused('rcpt', 550, '5.1.1'), 'invalid_recipient', true],
    [refused('rcpt', 550, '5.1.10'), 'invalid_recipient', true],
    [refused('rcpt', 550, '5.1.8'), 'recipient_rejected', true],
    [refused('rcpt', 550), 'recipient_rejected', true],
    [refused('rcpt', 552), 'message_too_large', true],
    [refused('dot', 554, '5.3.4'), 'message_too_large', true],
    [refused('dot', 554, '5.7.1'), 'content_rejected', true],
    [refused('data', 554), 'content_rejected', true],
    [refused('mail', 550), 'provider_error', true],
    [refused('rcpt', 450, '4.2.1'), 'rate_limited', false],
    [refused('dot', 451), 'rate_limited', false],
    [refused('mail', 421), 'provider_error', false],
    // The inbox's trouble, never the send's.
    [refused('auth', 535, '5.7.8'), 'authentication_failed', false],
    [broken('timeout'), 'timeout', false],
    [broken('reset'), 'connection_failed', false],
    [broken('tls'), 'connection_failed', false],
  ];
  for (const [outcome, reason, permanent] of reasons) {
    const failure = failureOf(outcome);
    assert.deepEqual([failure.reason, failure.permanent], [reason, permanent], JSON.stringify(outcome));
  }
  assert.equal(failureOf(refused('rcpt', 550, '5.1.1')).detail, '550 5.1.1 No such user here');
  assert.equal(failureOf({ ...refused('rcpt', 550, '5.1.1'), recipient: 'cc@people.test' }).detail, 'cc@people.test: 550 5.1.1 No such user here');
  assert.equal(failureOf(broken('reset')).detail, 'Gone.');
});

test('the waits grow from a minute to four hours, each a fifth longer at most, and are the same when asked again', () => {
  const minutes = [1, 3, 10, 30, 60, 120, 240, 240, 240];
  const attempts = fc.tuple(fc.string(), fc.integer({ min: 1, max: minutes.length }));
  fc.assert(
    fc.property(attempts, ([id, attempt]) => {
      const least = minutes[attempt - 1]! * MINUTE;
      assert.ok(backOffMs(id, attempt) >= least && backOffMs(id, attempt) <= least * 1.2);
      assert.equal(backOffMs(id, attempt), backOffMs(id, attempt));
    }),
  );
  assert.ok(
    new Set(Array.from({ length: 50 }, (_, i) => backOffMs(`snd_${i}`, 3))).size > 40,
    'those that failed together do not come back together',
  );
});

const row = (more: { attempt_count?: number; scheduled_at?: Date; campaign_id?: string } = {}) => ({
  id: 'snd_1',
  to_email: 'bob@people.test',
  attempt_count: 1,
  scheduled_at: NOW,
  campaign_id: null as string | null,
  ...more,
});
const old = row({ scheduled_at: later(-MAX_LATENESS_MS - 1) });
const brief = (of: ReturnType<typeof row>, outcome: Parameters<typeof fateOf>[1]) => {
  const fate = fateOf(of, outcome, NOW);
  return fate && [fate.state, fate.failure_reason, fate.ends, fate.due_at && fate.due_at.getTime() - NOW.getTime()];
};

test('what becomes of a send that did not leave, and of its enrollment', () => {
  const wait = backOffMs('snd_1', 1);
  assert.deepEqual(brief(row(), refused('dot', 451)), ['scheduled', null, null, wait]);
  assert.deepEqual(brief(row({ attempt_count: 4 }), broken('reset')), ['scheduled', null, null, backOffMs('snd_1', 4)]);
  assert.deepEqual(brief(old, refused('dot', 451)), ['failed', 'rate_limited', 'failed', null]);
  assert.deepEqual(brief(old, broken('timeout')), ['failed', 'timeout', 'failed', null]);
  assert.deepEqual(brief(row(), refused('rcpt', 550, '5.1.1')), ['failed', 'invalid_recipient', 'bounced', null]);
  // Not the address's fault, or not said at RCPT: the person stays.
  assert.deepEqual(brief(row(), refused('rcpt', 550, '5.7.1')), ['failed', 'recipient_rejected', 'failed', null]);
  assert.deepEqual(brief(row(), refused('dot', 550, '5.1.1')), ['failed', 'content_rejected', 'failed', null]);
  assert.deepEqual(brief(row(), { kind: 'unwritten', detail: 'x' }), ['scheduled', null, null, wait]);
});

test('what becomes of a send that a gate held back', () => {
  const denied = (denial: NonNullable<ReturnType<typeof denialOf>>) => ({ kind: 'denied', denial }) as const;
  const held = denied({ kind: 'wait', gate: 'inbox paused', until: later(HOLD_MS) });
  assert.equal(brief(row(), denied({ kind: 'lost' })), null);
  assert.deepEqual(brief(row(), denied({ kind: 'cancel', gate: 'contact deleted' })), ['canceled', null, null, null]);
  assert.deepEqual(brief(row(), denied({ kind: 'fail', gate: 'suppression', reason: 'suppressed' })), ['failed', 'suppressed', 'unsubscribed', null]);
  assert.deepEqual(brief(row(), denied({ kind: 'fail', gate: 'inbox revoked', reason: 'inbox_disconnected' })), [
    'failed',
    'inbox_disconnected',
    'failed',
    null,
  ]);
  assert.deepEqual(brief(row(), held), ['scheduled', null, null, HOLD_MS]);
  assert.deepEqual(brief(old, held), ['failed', 'expired', 'failed', null]);
  // A campaign's is taken back before that, so that its lead is not lost.
  assert.deepEqual(brief({ ...old, campaign_id: 'cmp_1' }, held), ['canceled', null, null, null]);
  assert.equal(plansAnew(fateOf({ ...old, campaign_id: 'cmp_1' }, held, NOW)!), true);
  assert.deepEqual(brief(row({ campaign_id: 'cmp_1' }), held), ['scheduled', null, null, HOLD_MS]);
  // A pause, a window or a cap may last for days: only an inbox that cannot send lets its sends expire.
  assert.deepEqual(brief(old, denied({ kind: 'wait', gate: 'campaign paused', until: null })), ['scheduled', null, null, null]);
  assert.deepEqual(brief(old, denied({ kind: 'wait', gate: 'daily cap', until: later(MINUTE) })), ['scheduled', null, null, MINUTE]);
});
