import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LedgerFacts, checkLedger } from './ledger.ts';

const AT = Date.parse('2030-01-07T09:00:00Z');
const iso = (seconds: number) => new Date(AT + seconds * 1000).toISOString();

/** Two people, two steps: ann got both, bob answered the first. Times in seconds. */
function sound(): LedgerFacts & { deliveries: object[]; sends: object[]; enrollments: object[]; events: object[] } {
  const mail = (id: string, to: string, step: number) => ({
    id, to_email: to, state: 'sent' as const, subject: `step ${step}`, rfc822_message_id: `<${id}>`, failure_reason: null,
  }); // prettier-ignore
  const delivery = (id: string, recipient: string, at: number) => ({ messageId: `<${id}>`, recipient, login: 'me', acceptedAt: AT + at * 1000 });
  const event = (sequence: number, type: 'send.sending' | 'message.replied', resource_id: string, at: number, data = {}) => ({
    sequence, type, resource_id, created_at: iso(at), data,
  }); // prettier-ignore
  return {
    accepted: ['ann@a.test', 'bob@b.test'],
    deliveries: [delivery('a1', 'ann@a.test', 1), delivery('b1', 'bob@b.test', 2), delivery('a2', 'ann@a.test', 101)],
    sends: [mail('a1', 'Ann@a.test', 1), mail('b1', 'bob@b.test', 1), mail('a2', 'ann@a.test', 2)],
    enrollments: [
      { contact_email: 'Ann@a.test', status: 'finished' },
      { contact_email: 'bob@b.test', status: 'replied' },
    ],
    events: [
      event(1, 'send.sending', 'a1', 1),
      event(2, 'send.sending', 'b1', 1),
      event(3, 'message.replied', 'm1', 50, { send_id: 'b1' }),
      event(4, 'send.sending', 'a2', 100),
    ],
    stepOf: (subject) => Number(/\d/.exec(subject)?.[0]),
    steps: 2,
    inFlightMs: 10_000,
  };
}

const figures = (facts: LedgerFacts) => {
  const { sentShare: _, ...faults } = checkLedger(facts);
  return Object.fromEntries(Object.entries(faults).map(([name, all]) => [name, all.length]));
};
const NONE = { lost: 0, duplicated: 0, afterAnswer: 0, unaccounted: 0, unknown: 0 };

test('what agrees is found to agree', () => {
  assert.deepEqual(figures(sound()), NONE);
  assert.equal(checkLedger(sound()).sentShare, 1);
});

test('lost: called sent without an arrival, never enrolled, still active, finished too soon', () => {
  const facts = sound();
  assert.deepEqual(figures({ ...facts, deliveries: facts.deliveries.slice(1) }), { ...NONE, lost: 1 });
  assert.deepEqual(figures({ ...facts, enrollments: facts.enrollments.slice(1) }), { ...NONE, lost: 1 });
  const [ann, bob] = facts.enrollments;
  assert.deepEqual(figures({ ...facts, enrollments: [ann!, { ...bob!, status: 'active' }] }), { ...NONE, lost: 1 });
  assert.deepEqual(figures({ ...facts, enrollments: [ann!, { ...bob!, status: 'finished' }] }), { ...NONE, lost: 1 });
});

test('duplicated: the same message again, and another message of the same step', () => {
  const facts = sound();
  const again = facts.deliveries[0]!;
  assert.deepEqual(figures({ ...facts, deliveries: [...facts.deliveries, again] }), { ...NONE, duplicated: 1 });
  const twin = { ...facts.sends[2]!, id: 'a3', rfc822_message_id: '<a3>' };
  const arrival = { ...facts.deliveries[2]!, messageId: '<a3>' };
  assert.deepEqual(figures({ ...facts, sends: [...facts.sends, twin], deliveries: [...facts.deliveries, arrival] }), { ...NONE, duplicated: 1 });
});

/** A second mail to bob, who answered at 50 s, in the third commit: claimed in commit `sequence` and accepted at `at`. */
function toBob(sequence: number, claimedAt: number, at: number): LedgerFacts {
  const facts = sound();
  const send = { ...facts.sends[1]!, id: 'b2', subject: 'step 2', rfc822_message_id: '<b2>' };
  const claim = { sequence, type: 'send.sending' as const, resource_id: 'b2', created_at: iso(claimedAt), data: {} };
  return {
    ...facts,
    sends: [...facts.sends, send],
    deliveries: [...facts.deliveries, { messageId: '<b2>', recipient: 'bob@b.test', login: 'me', acceptedAt: AT + at * 1000 }],
    events: [...facts.events, claim],
  };
}

test('after the answer: claimed in a later commit, or under way for too long; what was under way is no fault', () => {
  assert.deepEqual(figures(toBob(5, 51, 52)), { ...NONE, afterAnswer: 1 });
  assert.deepEqual(figures(toBob(2.5, 49, 61)), { ...NONE, afterAnswer: 1 });
  assert.deepEqual(figures(toBob(2.5, 49, 51)), NONE);
  assert.deepEqual(figures(toBob(2.5, 10, 11)), NONE);
  // An absence note and a soft bounce end nothing.
  const facts = toBob(5, 51, 52);
  for (const [type, data] of [['message.autoresponse', {}], ['message.bounced', { bounce_type: 'soft' }]] as const) {
    const events = facts.events.map((event) => (event.type === 'message.replied' ? { ...event, type, data: { ...event.data, ...data } } : event));
    assert.deepEqual(figures({ ...facts, events }), NONE);
  } // prettier-ignore
  const hard = facts.events.map((event) =>
    event.type === 'message.replied' ? { ...event, type: 'message.bounced' as const, data: { ...event.data, bounce_type: 'hard' } } : event,
  );
  assert.deepEqual(figures({ ...facts, events: hard }), { ...NONE, afterAnswer: 1 });
});

test('unaccounted: no send, a send that says it never left, a send to somebody else', () => {
  const facts = sound();
  const stray = { ...facts.deliveries[0]!, messageId: '<stray>' };
  assert.deepEqual(figures({ ...facts, deliveries: [...facts.deliveries, stray] }), { ...NONE, unaccounted: 1 });
  const [a1, b1, a2] = facts.sends;
  const canceled = [a1!, { ...b1!, state: 'canceled' as const }, a2!];
  assert.deepEqual(figures({ ...facts, sends: canceled }), { ...NONE, unaccounted: 1 });
  const elsewhere = [{ ...facts.deliveries[0]!, recipient: 'eve@e.test' }, ...facts.deliveries.slice(1)];
  assert.deepEqual(figures({ ...facts, deliveries: elsewhere }), { ...NONE, unaccounted: 1 });
});

test('an unknown outcome is counted, arrived or not, and is no fault by itself', () => {
  const facts = sound();
  const [a1, b1, a2] = facts.sends;
  const unknown = [a1!, { ...b1!, state: 'failed' as const, failure_reason: 'outcome_unknown' as const }, a2!];
  assert.deepEqual(figures({ ...facts, sends: unknown }), { ...NONE, unknown: 1 });
  const absent = facts.deliveries.filter((one) => one.messageId !== '<b1>');
  assert.deepEqual(figures({ ...facts, sends: unknown, deliveries: absent }), { ...NONE, unknown: 1 });
  assert.equal(checkLedger({ ...facts, sends: unknown }).sentShare, 0.5);
});
