import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { InboundMessage } from '#mail/parse/message.ts';
import type { Verdict } from '#mail/verdict/verdict.ts';
import { type Candidate, citedIds, meaningOf } from './match.ts';

const message = (more: Partial<InboundMessage> = {}): InboundMessage => ({
  messageId: '<m@people.test>',
  inReplyTo: null,
  references: [],
  from: { email: 'one@people.test', name: null },
  to: ['ann@sender.test'],
  subject: 'Re: Hello',
  date: null,
  text: 'Hi',
  headers: new Map(),
  reportType: null,
  deliveryStatus: null,
  originalHeaders: null,
  feedbackReport: null,
  truncated: false,
  ...more,
});
const sent = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  id,
  inbox_id: 'inb_1',
  to_email_key: 'one@people.test',
  rfc822_message_id: `<${id}@sender.test>`,
  provider_thread_id: null,
  campaign_id: 'cmp_1',
  enrollment_id: 'enr_1',
  contact_id: 'con_1',
  metadata: null,
  ...more,
});
const verdict = (kind: Verdict['kind'], more: Partial<Verdict> = {}): Verdict => ({ kind, rule: 'r', because: 'B.', ...more });
const bounce = (more: Pick<NonNullable<Verdict['bounce']>, 'type' | 'recipients' | 'originalMessageId'>): Verdict =>
  verdict('bounce', { bounce: { status: '5.1.1', diagnostic: null, ...more } });
const meaning = (of: InboundMessage, by: Verdict, { cited = [], latest = null }: { cited?: Candidate[]; latest?: Candidate | null } = {}) => {
  const { classification, send, effect } = meaningOf(of, by, { cited, latestToSender: latest, inboxId: 'inb_1' });
  return [classification, send?.id ?? null, effect];
};

test('a reply belongs to the nearest of our mails that it cites, whatever order they are found in', () => {
  const of = message({ inReplyTo: '<foreign@people.test>', references: ['<a@sender.test>', '<b@sender.test>'] });
  assert.deepEqual(citedIds(of, verdict('reply')), ['<foreign@people.test>', '<b@sender.test>', '<a@sender.test>']);
  for (const ids of ['ab', 'ba']) {
    assert.deepEqual(meaning(of, verdict('reply'), { cited: [...ids].map((id) => sent(id)) }), ['reply', 'b', 'replied']);
  }
  const nearer = message({ ...of, inReplyTo: '<a@sender.test>' });
  assert.deepEqual(meaning(nearer, verdict('reply'), { cited: [sent('b'), sent('a')] }), ['reply', 'a', 'replied']);
});

test('what cites nothing belongs to the last mail to its sender; what a person wrote unasked is unrelated', () => {
  assert.deepEqual(meaning(message(), verdict('reply'), { latest: sent('a') }), ['reply', 'a', 'replied']);
  assert.deepEqual(meaning(message(), verdict('reply')), ['unrelated', null, 'none']);
  const of = message({ inReplyTo: '<a@sender.test>' });
  assert.deepEqual(meaning(of, verdict('reply'), { cited: [sent('a')], latest: sent('b') }), ['reply', 'a', 'replied']);
});

test('an automatic answer stops nothing, and unrelated mail belongs to nothing even if it cites', () => {
  const of = message({ inReplyTo: '<a@sender.test>' });
  assert.deepEqual(meaning(of, verdict('auto_reply'), { cited: [sent('a')] }), ['auto_reply', 'a', 'none']);
  assert.deepEqual(meaning(of, verdict('unrelated'), { cited: [sent('a')] }), ['unrelated', null, 'none']);
});

test('a bounce marks a person if and only if it is hard, cites our mail, names its recipient and came to the mailbox that sent it', () => {
  const facts = fc.record({
    type: fc.constantFrom('hard' as const, 'soft' as const, 'unknown' as const),
    ours: fc.boolean(),
    recipients: fc.constantFrom<string[]>([], ['ONE@people.test'], ['other@people.test'], ['other@people.test', 'one@people.test']),
    inbox: fc.constantFrom('inb_1', 'inb_2'),
    from: fc.emailAddress(),
  });
  fc.assert(
    fc.property(facts, ({ type, ours, recipients, inbox, from }) => {
      // What else the report says, and whether the sender was ever written to, plays no part.
      const of = message({ from: { email: from, name: null }, inReplyTo: '<a@sender.test>' });
      const by = bounce({ type, recipients, originalMessageId: ours ? '<a@sender.test>' : '<forged@sender.test>' });
      const [classification, send, effect] = meaning(of, by, { cited: [sent('a', { inbox_id: inbox })], latest: sent('b') });
      const named = recipients.some((one) => one.toLowerCase() === 'one@people.test');
      assert.equal(effect === 'bounced_hard', type === 'hard' && ours && named && inbox === 'inb_1');
      assert.equal(classification === 'bounce', ours && inbox === 'inb_1' && (named || recipients.length === 0));
      assert.equal(send, classification === 'bounce' ? 'a' : null);
    }),
  );
});

test('a complaint counts when it cites our mail, in the mailbox that sent it, and names nobody else', () => {
  const complaint = (originalMessageId: string | null, recipients: string[] = []) =>
    verdict('complaint', { complaint: { feedbackType: 'abuse', recipients, originalMessageId } });
  assert.deepEqual(meaning(message(), complaint('<a@sender.test>'), { cited: [sent('a')] }), ['unrelated', 'a', 'complained']);
  assert.deepEqual(meaning(message(), complaint('<x@sender.test>'), { cited: [sent('a')] }), ['unrelated', null, 'none']);
  const ours = complaint('<a@sender.test>', ['two@people.test', 'One@people.test']);
  assert.deepEqual(meaning(message(), ours, { cited: [sent('a')] }), ['unrelated', 'a', 'complained']);
  assert.deepEqual(meaning(message(), ours, { cited: [sent('a', { inbox_id: 'inb_2' })] }), ['unrelated', null, 'none']);
  assert.deepEqual(meaning(message(), complaint('<a@sender.test>', ['two@people.test']), { cited: [sent('a')] }), ['unrelated', null, 'none']);
  assert.deepEqual(meaning(message({ inReplyTo: '<a@sender.test>' }), complaint(null), { cited: [sent('a')] }), ['unrelated', null, 'none']);
});
