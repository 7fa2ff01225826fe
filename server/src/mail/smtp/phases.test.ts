// What the client makes of every misbehaviour at every phase, before and behind the dot.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HeldMessage, SmtpSession } from '../mail.ts';
import type { Action, Script, ScriptPhase } from '#testing/smtp-server/index.ts';
import { type Pair, type PairOptions, smtpPair } from '#testing/smtp-server/pair.ts';
import { socketsRead, until } from '#testing/until.ts';

/** Short where nothing will come, patient elsewhere: a busy machine is no silent server. */
const patienceFor = (name: string, phase: ScriptPhase) => (name === 'silence' || name === 'an answer that drips' ? { [phase]: 60 } : {});
const ENVELOPE = { from: 'ann@sender.test', to: ['bob@there.test', 'cy@there.test'] };
const MESSAGE = Buffer.from('Message-ID: <one@sender.test>\r\nSubject: Hi\r\n\r\nHello.\r\n');
const SETTINGS: PairOptions[] = [
  { security: 'ssl' },
  { security: 'starttls' },
  { security: 'ssl', offers: { pipelining: false } },
  { security: 'starttls', offers: { pipelining: false, enhancedStatusCodes: false } },
];
const EARLY: ScriptPhase[] = ['banner', 'ehlo', 'starttls', 'auth'];
const ENVELOPE_PHASES: ScriptPhase[] = ['mail', 'rcpt', 'data'];

type Ending = { kind: string; phase?: string; fault?: string; detail?: string; permanent?: boolean; reply?: { code: number; text: string } };
type Run = { ending: Ending; session: SmtpSession | null };

/** Connect, offer and release, as far as it goes. */
async function attempt({ connect }: Pair): Promise<Run> {
  const session = await connect();
  if ('kind' in session) return { ending: session, session: null };
  const offered = await session.offer(ENVELOPE, MESSAGE);
  return { ending: offered.kind === 'held' ? await offered.release() : offered, session };
}

const at =
  (phase: ScriptPhase, action: Action): Script =>
  (moment) =>
    moment.phase === phase ? action : undefined;
const nameOf = ({ security, offers }: PairOptions) => `${security}, ${offers?.pipelining === false ? 'in turn' : 'pipelined'}`;

for (const setting of SETTINGS) {
  const early = setting.security === 'ssl' ? EARLY.filter((phase) => phase !== 'starttls') : EARLY;
  describe(nameOf(setting), { concurrency: 8 }, () => {
    test('a willing server takes the message as it is', async (t) => {
      const pair = await smtpPair(t, setting);
      const { ending, session } = await attempt(pair);
      assert.equal(ending.kind, 'accepted');
      assert.equal(session?.usable, true);
      const [taken] = pair.server.ledger;
      assert.deepEqual(
        { ...taken, raw: taken?.raw.toString() },
        {
          sequence: 1,
          connection: 1,
          login: 'ann@sender.test',
          mailFrom: ENVELOPE.from,
          rcptTo: ENVELOPE.to,
          raw: MESSAGE.toString(),
          messageId: '<one@sender.test>',
        },
      );
      assert.equal(pair.server.counters.clearLogins, 0);
    });

    for (const phase of [...early, ...ENVELOPE_PHASES, 'dot'] as const) {
      for (const code of [421, 451, 554]) {
        test(`${code} at ${phase} is a refusal`, async (t) => {
          const pair = await smtpPair(t, {
            ...setting,
            script: at(phase, { kind: 'reply', code, text: `${Math.floor(code / 100)}.7.1 no\x07 thanks` }),
          });
          const { ending, session } = await attempt(pair);
          const reply = { code, enhanced: `${Math.floor(code / 100)}.7.1`, text: 'no thanks' };
          const named = phase === 'rcpt' && code !== 421 ? { recipient: ENVELOPE.to[0] } : {};
          assert.deepEqual(ending, { kind: 'refused', phase, permanent: code >= 500, reply, ...named });
          assert.deepEqual(pair.server.ledger, []);
          if (session) assert.equal(session.usable, code !== 421, 'goes on after a plain no');
        });
      }
    }

    const broken: [string, Action, string[]][] = [
      ['a close', { kind: 'drop' }, ['closed', 'reset']],
      ['a reset', { kind: 'drop', reset: true, delayMs: 10 }, ['reset', 'closed']],
      ['silence', { kind: 'hang' }, ['timeout']],
      ['an answer that drips', { kind: 'accept', dribbleMs: 15 }, ['timeout']],
      ['garbage', { kind: 'raw', bytes: 'SSH-2.0-OpenSSH_9\r\n' }, ['protocol']],
      ['an endless line', { kind: 'raw', bytes: `250 ${'x'.repeat(5000)}` }, ['protocol']],
      ['an endless reply', { kind: 'raw', bytes: `250-${'x'.repeat(1000)}\r\n`.repeat(80) }, ['protocol']],
      ['a 3xx out of place', { kind: 'reply', code: 399 }, ['protocol']],
    ];
    for (const [name, action, faults] of broken) {
      for (const phase of [...early, ...ENVELOPE_PHASES]) {
        test(`${name} at ${phase} breaks the conversation`, async (t) => {
          const { server, ...pair } = await smtpPair(t, { ...setting, deadlines: patienceFor(name, phase), script: at(phase, action) });
          const { ending, session } = await attempt({ server, ...pair });
          assert.deepEqual([ending.kind, ending.phase], ['broken', phase], JSON.stringify(ending));
          assert.ok(faults.includes(ending.fault ?? ''), JSON.stringify(ending));
          assert.notEqual(session?.usable, true);
          assert.equal(server.counters.dots, 0);
        });
      }
      for (const accepted of [true, false]) {
        test(`${name} behind the dot leaves it unknown${accepted ? ', when it was accepted' : ''}`, async (t) => {
          const script = at('dot', action.kind === 'accept' ? action : { ...action, accepted });
          const pair = await smtpPair(t, { ...setting, deadlines: patienceFor(name, 'dot'), script });
          const { ending, session } = await attempt(pair);
          assert.deepEqual([ending.kind, ending.phase], ['unknown', 'dot'], JSON.stringify(ending));
          assert.ok(faults.includes(ending.fault ?? ''), JSON.stringify(ending));
          assert.doesNotMatch(ending.detail ?? '', /never written/);
          assert.equal(session?.usable, false);
          // The client may have given up before the server has read.
          await until(() => pair.server.counters.dots === 1);
          assert.equal(pair.server.ledger.length, accepted || action.kind === 'accept' ? 1 : 0);
        });
      }
    }
  });
}

const BIG = Buffer.from(`Subject: big\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(200_000)}`);

async function offerBig(pair: Pair): Promise<{ offered: Awaited<ReturnType<SmtpSession['offer']>>; session: SmtpSession }> {
  const session = await pair.session();
  return { offered: await session.offer(ENVELOPE, BIG), session };
}

describe('in the midst of the message', () => {
  for (const reset of [false, true]) {
    test(`a ${reset ? 'reset' : 'close'} breaks it`, async (t) => {
      const pair = await smtpPair(t, { script: at('body', { kind: 'drop', afterBytes: 100_000, reset }) });
      const { offered, session } = await offerBig(pair);
      assert.deepEqual([offered.kind, 'phase' in offered && offered.phase, session.usable], ['broken', 'body', false]);
      assert.equal(pair.server.counters.dots, 0);
    });
  }

  test('a server that reads no further runs into the deadline', async (t) => {
    const pair = await smtpPair(t, { script: at('body', { kind: 'hang' }), deadlines: { body: 100 } });
    const { offered } = await offerBig(pair);
    assert.deepEqual([offered.kind, 'fault' in offered && offered.fault], ['broken', 'timeout']);
  });

  test('a no said before the dot is a refusal, and no dot follows', async (t) => {
    const pair = await smtpPair(t, { script: at('body', { kind: 'reply', code: 552, text: '5.3.4 too big' }) });
    const session = await pair.session();
    const first = await session.offer(ENVELOPE, MESSAGE);
    // Small as it is, the message may be held before the server's word comes in.
    await until(() => pair.server.counters.bodyBytes > 0);
    await socketsRead();
    const ending = first.kind === 'held' ? await (first satisfies HeldMessage).release() : first;
    assert.deepEqual(ending, { kind: 'refused', phase: 'body', permanent: true, reply: { code: 552, enhanced: '5.3.4', text: 'too big' } });
    assert.equal(pair.server.counters.dots, 0);
  });
});
