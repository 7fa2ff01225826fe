// Each oracle is shown a story that holds, and the same with one thing planted in it that must never be.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndState, Entry, Happening, InboxSettings, Story } from '../story.ts';
import { breachesOf } from './index.ts';

const MONDAY = Date.parse('2030-01-07T09:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WINDOW = { timezone: 'Europe/Berlin', daysOfWeek: [1, 2, 3, 4, 5], startHour: 9, endHour: 17 };
const RAMP = { enabled: false, start: 1, end: 3, days: 2, started_at: '2030-01-07T00:00:00Z' };
const SETTINGS: InboxSettings = { status: 'active', timezone: 'UTC', daily_limit: 3, min_gap_seconds: 60, ramp: RAMP };

type At = readonly [minutes: number, Happening];

let sequence = 0;
const told = (minutes: number, type: string, resource_id: string, data: Record<string, unknown> = {}): At => [
  minutes,
  { kind: 'told', event: { sequence: 0, type, resource_id, data, at: 0 } },
];
const inbox = (minutes: number, id: string, more: Partial<InboxSettings> = {}): At => [
  minutes,
  { kind: 'inbox', id, login: `${id}@house.test`, settings: { ...SETTINGS, ...more } },
];
const plan = (minutes: number, id: string, { to = 'p1', from = 'i1', campaign = 'c1' as string | null, due = minutes } = {}): At =>
  told(minutes, 'send.scheduled', id, {
    rfc822_message_id: `<${id}>`,
    campaign_id: campaign,
    inbox_id: from,
    to_email: `${to}@people.test`,
    scheduled_at: new Date(MONDAY + due * MINUTE).toISOString(),
    provider_thread_id: null,
  });
const release = (minutes: number, id: string): At => [minutes, { kind: 'released', messageId: `<${id}>` }];
const mail = (minutes: number, id: string, { to = 'p1', from = 'i1', text = id, variant = '' } = {}): At => [
  minutes,
  { kind: 'mail', messageId: `<${id}>`, login: `${from}@house.test`, to: `${to}@people.test`, text, variant, known: true },
];
/** A mail's whole way. */
const sent = (
  minutes: number,
  id: string,
  more: { to?: string; from?: string; text?: string; variant?: string; campaign?: string | null } = {},
): At[] => [
  plan(minutes, id, more),
  told(minutes, 'send.sending', id),
  release(minutes, id),
  mail(minutes, id, more),
  told(minutes, 'send.sent', id, { rfc822_message_id: `<${id}>` }),
];

const PERSON = { email: 'p1@people.test', global_status: 'ok', lead_status: null, attributes: {} };
const BEGINNING: At[] = [
  inbox(0, 'i1'),
  inbox(0, 'i2'),
  [0, { kind: 'campaign', id: 'c1', window: WINDOW }],
  told(0, 'campaign.started', 'c1', { status: 'running' }),
  told(0, 'contact.created', 'p1', PERSON),
  ...sent(1, 's1', { text: '1' }),
];
const END: EndState = {
  sends: [],
  contacts: [{ id: 'p1', ...PERSON }],
  campaigns: [{ id: 'c1', status: 'running' }],
  inboxes: [],
  inbound: [],
};

/** The beginning, and what comes then, as a story whose end is what its sends came to. */
function story(more: readonly At[], end: Partial<EndState> = {}): Story {
  sequence = 0;
  const entries = [...BEGINNING, ...more].map(([minutes, happening]): Entry => {
    const at = MONDAY + minutes * MINUTE;
    if (happening.kind !== 'told') return { at, op: 1, ...happening };
    return { at, op: 1, kind: 'told', event: { ...happening.event, at, sequence: ++sequence } };
  });
  const states = new Map<string, string>();
  for (const entry of entries) {
    if (entry.kind === 'told' && entry.event.type.startsWith('send.')) states.set(entry.event.resource_id, entry.event.type.slice('send.'.length));
  }
  const sends = [...states].map(([id, state]) => ({ id, state, failure_reason: null, rfc822_message_id: `<${id}>`, campaign_id: 'c1' }));
  return { seed: 0, mode: 'live', from: MONDAY, until: MONDAY + HOUR, operations: 1, entries, errors: [], end: { ...END, sends, ...end } };
}

const found = (of: Story) => [...new Set(breachesOf(of).map((one) => one.oracle))];

const barred = (minutes: number, email: string, on: boolean): At => [minutes, { kind: 'barred', email, on }];
const lead = (minutes: number, is: 'in' | 'out' | 'stopped'): At => [minutes, { kind: 'lead', campaign: 'c1', email: 'p1@people.test', is }];
/** The way of a mail with something between its release and its dot. */
const interrupted = (by: At, after: At): At[] => [
  ...sent(2, 's2', { to: 'p2' }).flatMap((one) => (one[1].kind === 'mail' ? [by, one] : [one])),
  after,
];
const pausedThen = interrupted(told(2, 'campaign.paused', 'c1', { status: 'paused' }), told(2, 'campaign.resumed', 'c1', { status: 'running' }));
const anew = [told(2, 'contact.deleted', 'p1', PERSON), told(2, 'contact.created', 'p1', PERSON), lead(2, 'in')];
const second = sent(2, 's2', { to: 'p2' });
const third = sent(3, 's3', { to: 'p3' });

const race: At[] = [
  [2, { kind: 'step', campaign: 'c1', text: '1', variants: { cst: '', var: 'a' } }],
  told(2, 'campaign.winner_chosen', 'c1', { winning_variant_id: 'var' }),
];

const holds: [string, At[]][] = [
  ['nothing more', []],
  ['a second mail after the gap', second],
  ['another day has another allowance', [...second, ...third, ...sent(24 * 60, 's4', { to: 'p4' })]],
  ['a suppression that was taken back', [barred(2, 'P1@people.test', true), barred(2, 'p1@people.test', false), ...sent(3, 's2')]],
  ['a stop between release and dot', pausedThen],
  ['another inbox after the first was disconnected', [inbox(2, 'i1', { status: 'revoked' }), ...sent(3, 's2', { from: 'i2' })]],
  ['the text that has won', [...race, ...sent(3, 's2', { to: 'p2', text: '1', variant: 'a' })]],
  ['another text before one has won', [...sent(2, 's2', { to: 'p2', text: '1' }), ...race]],
  ['the same text to a contact that was made anew', [...anew, ...sent(3, 's2', { text: '1' })]],
];
for (const [what, more] of holds) test(`holds: ${what}`, () => assert.deepEqual(breachesOf(story(more)), []));

const capped = [...second, ...third];
const stopped = (by: At): At[] => [by, ...sent(3, 's2')];
const breaks: [string, string, At[]][] = [
  ['window', 'an hour after the window', sent(7 * 60, 's2')],
  ['window', 'on a Sunday', sent(-24 * 60, 's2')],
  ['window', 'before its time', [plan(2, 's2', { due: 10 }), ...sent(3, 's2').slice(1)]],
  ['window', 'a mail without a release', sent(2, 's2', { to: 'p2' }).filter(([, one]) => one.kind !== 'released')],
  [
    'window',
    'a permission that had grown old',
    sent(2, 's2', { to: 'p2' }).map((one) => (one[1].kind === 'mail' ? mail(4, 's2', { to: 'p2' }) : one)),
  ],
  ['cap', 'a fourth mail of the day', [...capped, ...sent(4, 's4', { to: 'p4' })]],
  ['cap', 'more than the ramp has reached', [inbox(1, 'i1', { ramp: { ...RAMP, enabled: true } }), ...sent(2, 's2', { to: 'p2' })]],
  ['cap', 'a second allowance by another zone', [...capped, inbox(4, 'i1', { timezone: 'Pacific/Auckland' }), ...sent(3 * 60, 's4', { to: 'p4' })]],
  ['gap', 'ten seconds behind the one before', sent(1 + 1 / 6, 's2', { to: 'p2' })],
  ['stop', 'suppressed', stopped(barred(2, 'p1@people.test', true))],
  ['stop', 'unsubscribed', stopped(told(2, 'contact.updated', 'p1', { ...PERSON, global_status: 'unsubscribed' }))],
  ['stop', 'bounced', stopped(told(2, 'contact.bounced', 'p1', PERSON))],
  ['stop', 'answered', stopped(told(2, 'message.replied', 'm1', { send_id: 's1' }))],
  ['stop', 'paused', stopped(told(2, 'campaign.paused', 'c1', { status: 'paused' }))],
  ['stop', 'completed', stopped(told(2, 'campaign.completed', 'c1', { status: 'completed' }))],
  ['stop', 'deleted', stopped([2, { kind: 'campaign_gone', id: 'c1' }])],
  ['stop', 'the contact deleted', stopped(told(2, 'contact.deleted', 'p1', { email: 'p1@people.test' }))],
  ['stop', 'taken out', stopped(lead(2, 'out'))],
  ['stop', 'not interested', stopped(lead(2, 'stopped'))],
  ['stop', 'inbox paused', stopped(inbox(2, 'i1', { status: 'paused' }))],
  ['stop', 'inbox failed', stopped(told(2, 'inbox.disconnected', 'i1', { status: 'failed' }))],
  ['stop', 'canceled', [plan(2, 's2'), told(2, 'send.canceled', 's2'), release(3, 's2')]],
  ['once', 'one Message-ID twice', [mail(1, 's1')]],
  ['once', 'released again', [release(3, 's1')]],
  ['once', 'one text twice', sent(3, 's2', { text: '1' })],
  ['once', 'another text of the same step', sent(3, 's2', { text: '1', variant: 'a' })],
  ['winner', 'a text that has lost', [...race, ...sent(3, 's2', { to: 'p2', text: '1' })]],
  ['winner', 'a winner that nobody has', [told(2, 'campaign.winner_chosen', 'c1', { winning_variant_id: 'other' })]],
  ['same inbox', 'from another', sent(3, 's2', { from: 'i2' })],
  ['events', 'sent, and nobody took it', sent(3, 's2', { to: 'p2' }).filter(([, one]) => one.kind !== 'mail')],
  ['events', 'taken, and nobody was told', sent(3, 's2', { to: 'p2' }).slice(0, -1)],
  ['events', 'sent twice', [told(3, 'send.sent', 's1', { rfc822_message_id: '<s1>' })]],
  ['events', 'taken up before it was scheduled', [told(3, 'send.sending', 's2')]],
];
for (const [oracle, what, more] of breaks)
  test(`${oracle} finds: ${what}`, () => assert.ok(found(story(more)).includes(oracle), found(story(more)).join()));

test('events finds: a gap in the numbers, and each state that the log does not tell', () => {
  const whole = story([]);
  const missing = { ...whole, entries: whole.entries.filter((entry) => entry.kind !== 'told' || entry.event.type !== 'campaign.started') };
  const ends: Partial<EndState>[] = [
    { contacts: [] },
    { contacts: [{ ...END.contacts[0]!, global_status: 'bounced' }] },
    { contacts: [{ ...END.contacts[0]!, attributes: { first_name: 'Ann' } }] },
    { campaigns: [{ id: 'c1', status: 'paused' }] },
    { sends: [] },
    { inbound: [{ id: 'm1', classification: 'reply' }] },
  ];
  for (const one of [missing, ...ends.map((end) => story([], end))]) assert.deepEqual(found(one), ['events']);
});

test('rest finds: a send that stays in hand, and what the service stumbled over', () => {
  const inHand = story([plan(3, 's2'), told(3, 'send.sending', 's2')]);
  assert.deepEqual(found(inHand), ['rest']);
  assert.deepEqual(found({ ...story([]), errors: ['a loop stumbled'] }), ['rest']);
});
