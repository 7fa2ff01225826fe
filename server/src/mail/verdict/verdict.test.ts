import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage } from '../parse/parse-message.ts';
import { malformed } from '#testing/persona/malformed.ts';
import { complaint, humanReply, outOfOffice, readReceipt } from '#testing/persona/people.ts';
import { delayWarning, dsn, type DsnVariant } from '#testing/persona/servers.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const date = new Date('2026-03-02T10:00:00Z');
const SENT_ID = '<0123456789abcdef@home.test>';
const ANN = 'ann@remote.test';
const original = Buffer.from(
  [
    'From: Me <me@home.test>',
    `To: ${ANN}`,
    'Subject: Your spam filter',
    `Message-ID: ${SENT_ID}`,
    'Date: Mon, 02 Mar 2026 09:00:00 +0000',
    '',
    'Does your mailbox full of spam exist? No such user as you should be blocked by policy. 550 5.7.1',
    '',
  ].join('\r\n'),
);
const own = { ownAddresses: ['Me@home.test', 'other@home.test'] };
const judge = async (raw: Buffer | string) => verdictOf(await parseMessage(Buffer.from(raw)), own);
const mail = (head: string[], text = 'Hello.') => ['To: me@home.test', 'Message-ID: <x@remote.test>', ...head, '', text].join('\r\n');
const from = `From: Ann <${ANN}>`;
const bounce = (variant: DsnVariant, status: string, diagnostic: string) => dsn({ original, recipient: ANN, date, status, diagnostic, variant });

type Expected = Verdict['kind'] | 'hard' | 'soft' | 'unknown';
const outcome = (verdict: Verdict): Expected => verdict.bounce?.type ?? verdict.kind;

/** Every refusal that the servers of the corpus gave, and what it means. */
const REFUSALS: readonly [Expected, string, string][] = [
  ['hard', '5.1.1', '550 5.1.1 <ann@remote.test>: Recipient address rejected: User unknown in local recipient table'],
  ['hard', '5.1.1', "550-5.1.1 The email account that you tried to reach does not exist. Please try double-checking the recipient's email address"],
  ['hard', '5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ann@remote.test not found by SMTP address lookup'],
  ['hard', '5.1.2', '550 5.1.2 Host unknown (Name server: remote.test: host not found)'],
  ['hard', '5.1.3', '553 5.1.3 The recipient address is not a valid RFC 5321 address'],
  ['hard', '5.1.6', '550 5.1.6 Recipient no longer on server, mailbox has moved'],
  ['hard', '5.1.10', '556 5.1.10 Domain remote.test does not accept mail (nullMX)'],
  ['hard', '5.2.1', '550 5.2.1 The email account that you tried to reach is disabled.'],
  ['hard', '5.4.4', 'unable to look up host remote.test: Host or domain name not found. Name service error: Host not found'],
  ['hard', '5.0.0', '550 No such user here'],
  ['hard', '5.0.0', "554 delivery error: dd This user doesn't have a remote.test account"],
  ['hard', '5.0.0', '550 Unrouteable address'],
  ['hard', '5.1.1', '550 5.1.1 mx.barracuda.spamcop.test said: user unknown, <spam@remote.test>'],
  ['soft', '5.1.1', '550 5.1.1 rejected by policy, see the postmaster'],
  ['soft', '5.2.2', '552 5.2.2 The email account that you tried to reach is over quota'],
  ['soft', '5.2.1', '550 5.2.1 Mailbox not accepting messages'],
  ['soft', '5.2.3', '552 5.2.3 Message size exceeds fixed maximum message size'],
  ['soft', '5.7.1', '550 5.7.1 Message rejected as spam by Content Filtering.'],
  ['soft', '5.7.1', '554 5.7.1 Service unavailable; Client host [192.0.2.9] blocked using zen.spamhaus.test'],
  ['soft', '5.7.1', '550 5.7.1 User unknown'],
  ['soft', '5.7.26', '550-5.7.26 This mail has been blocked because the sender is unauthenticated. SPF did not pass'],
  ['soft', '5.7.1', '550 5.7.1 relaying denied'],
  ['soft', '5.4.1', '550 5.4.1 Recipient address rejected: Access denied.'],
  ['soft', '5.4.6', '554 5.4.6 Too many hops'],
  ['soft', '5.4.7', '550 5.4.7 Message expired'],
  ['soft', '4.4.7', '451 4.4.7 delivery time expired'],
  ['soft', '4.2.2', '452 4.2.2 mailbox full'],
  ['soft', '5.1.8', '553 5.1.8 Sender domain does not exist'],
  ['soft', '5.1.1', '450 4.1.1 <ann@remote.test>: unverified address: user unknown'],
  ['soft', '5.0.0', '550 Administrative prohibition'],
  ['unknown', '5.0.0', '550 Requested action not taken: mailbox unavailable'],
];

for (const variant of ['postfix', 'exchange', 'gmail', 'exim', 'qmail'] as const) {
  test(`bounces of ${variant}: hard only where the address is at fault`, async () => {
    for (const [expected, status, diagnostic] of REFUSALS) {
      const verdict = await judge(bounce(variant, status, diagnostic));
      assert.deepEqual([verdict.kind, verdict.bounce?.type], ['bounce', expected], `${variant} ${status} ${diagnostic}: ${verdict.rule}`);
      assert.deepEqual(verdict.bounce?.recipients, [ANN]);
      assert.equal(verdict.bounce?.originalMessageId, SENT_ID);
      assert.ok(verdict.bounce?.diagnostic?.includes(diagnostic.slice(4, 30)), verdict.bounce?.diagnostic ?? 'none');
    }
  });

  test(`a delay warning of ${variant} is no bounce`, async () => {
    const verdict = await judge(delayWarning({ original, recipient: ANN, date, variant }));
    assert.equal(verdict.kind, 'unrelated', verdict.rule);
  });
}

test('success, relay and expansion reports are no bounce', async () => {
  for (const action of ['delivered', 'relayed', 'expanded'] as const) {
    const raw = dsn({ original, recipient: ANN, date, status: '2.0.0', diagnostic: '250 2.0.0 ok', action });
    assert.deepEqual([(await judge(raw)).kind, (await judge(raw)).rule], ['unrelated', 'dsn.not_failed']);
  }
});

test('a report on several recipients is hard only if every failure is', async () => {
  const raw = bounce('postfix', '5.1.1', '550 5.1.1 user unknown').toString('latin1');
  const withSecond = (status: string, action: string) =>
    raw.replace(
      '\r\nAction: failed',
      `\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\nFinal-Recipient: rfc822; bob@remote.test\r\nAction: ${action}\r\nStatus: ${status}\r\n`,
    );
  assert.equal((await judge(withSecond('5.2.2', 'failed'))).bounce?.type, 'soft');
  const both = await judge(withSecond('5.1.1', 'failed'));
  assert.deepEqual([both.bounce?.type, both.bounce?.recipients], ['hard', [ANN, 'bob@remote.test']]);
  assert.deepEqual((await judge(withSecond('4.4.1', 'delayed'))).bounce?.recipients, [ANN]);
});

test('a forwarded address appears beside the one that failed', async () => {
  const raw = bounce('postfix', '5.1.1', '550 5.1.1 user unknown')
    .toString('latin1')
    .replace(`Final-Recipient: rfc822; ${ANN}`, 'Final-Recipient: rfc822; ann@new.test');
  assert.deepEqual((await judge(raw)).bounce?.recipients, [ANN, 'ann@new.test']);
});

test('a report that cites nothing of ours names no Message-ID', async () => {
  const raw = mail(['From: MAILER-DAEMON@evil.test', 'Subject: failure notice'], `<${ANN}>: 550 5.1.1 user unknown`);
  const verdict = await judge(raw);
  assert.deepEqual([verdict.kind, verdict.bounce?.originalMessageId], ['bounce', null]);
});

const away = (subject: string) => mail([from, `Subject: ${subject}`]);
const CORPUS: readonly [Expected, string, Buffer | string][] = [
  ['reply', 'person', humanReply({ to: original, from: ANN, text: 'Yes, call me.', date })],
  ['reply', 'person', humanReply({ to: original, from: ANN, text: 'I am out of the office until Monday, let us talk then.', date })],
  ['reply', 'person', humanReply({ to: original, from: ANN, text: 'We got an "undeliverable" bounce: 550 5.1.1 user unknown.', date })],
  ['reply', 'person', mail([from, 'Subject: Re: Out of office software', 'X-Auto-Response-Suppress: All'])],
  ['reply', 'person', mail([from, 'Subject: Hello', 'Auto-Submitted: no'])],
  ['reply', 'person', mail([from, 'Subject: Re: x', 'List-Id: <sales.home.test>', 'Precedence: list', `In-Reply-To: ${SENT_ID}`])],
  ['reply', 'person', mail([from, 'Subject: Delivery failed last week, can you help?'])],
  ['reply', 'person', mail([from, 'Subject: Automatic replying machines we sell'])],
  ['reply', 'person', mail([from, 'Subject: Oooh nice'])],
  ['reply', 'person', malformed['no body'] ?? ''],
  ['auto_reply', 'auto.header', outOfOffice({ to: original, from: ANN, date })],
  ['auto_reply', 'auto.header', outOfOffice({ to: original, from: ANN, date, variant: 'exchange' })],
  ['auto_reply', 'auto.null_sender', outOfOffice({ to: original, from: ANN, date, variant: 'bare' })],
  ['auto_reply', 'auto.null_sender', outOfOffice({ to: original, from: ANN, date, variant: 'bare', text: 'Ich bin bis Montag im Urlaub.' })],
  [
    'auto_reply',
    'auto.null_sender',
    outOfOffice({ to: original, from: ANN, date, variant: 'bare', text: 'We have received your request. Ticket #17' }),
  ],
  ['auto_reply', 'auto.header', mail([from, 'Subject: Re: x', 'Auto-Submitted: auto-replied (vacation)'])],
  ['auto_reply', 'auto.header', mail([from, 'Subject: Re: x', 'Auto-Submitted: auto-notified; owner-email="a@b.test"'])],
  ['auto_reply', 'auto.header', mail([from, 'Subject: Re: x', 'X-Autoreply: yes'])],
  ['auto_reply', 'auto.header', mail([from, 'Subject: Re: x', 'X-Autorespond: Re: x'])],
  ['auto_reply', 'auto.header', mail([from, 'Subject: Re: x', 'Precedence: auto_reply'])],
  ['auto_reply', 'auto.header', mail([from, 'Subject: Re: x', 'X-Message-Class: IPM.Note.Rules.OofTemplate.Microsoft'])],
  ...[
    'Automatic reply: Your spam filter',
    'Out of Office: Re: x',
    'Out of office until 5 May',
    '[Auto-Reply] x',
    'Autoreply',
    'OOO',
    'Automatische Antwort: x',
    'Abwesenheitsnotiz: x',
    'Réponse automatique : x',
    "Message d'absence: x",
    'Respuesta automática: x',
    'Fuera de la oficina: x',
    'Resposta automática: x',
    'Risposta automatica: x',
    'Automatisch antwoord: x',
    'Odpowiedź automatyczna: x',
    'Autosvar: x',
    'Automatiskt svar: x',
    'Automatisk svar: x',
    'Automaattinen vastaus: x',
    'Automatická odpověď: x',
    'Automatikus válasz: x',
    'Otomatik yanıt: x',
    'Автоматический ответ: x',
    'Автоответ',
    '自動応答: x',
    '自动回复: x',
    '自動回覆: x',
    '자동 회신: x',
    'Αυτόματη απάντηση: x',
    'תשובה אוטומטית: x',
    'رد تلقائي: x',
    'Răspuns automat: x',
    'Balasan otomatis: x',
  ].map((subject): [Expected, string, string] => ['auto_reply', 'auto.subject', away(subject)]),
  ['auto_reply', 'auto.subject', away('=?utf-8?B?6Ieq5Yqo5Zue5aSNOiB4?=')],
  ['complaint', 'report.complaint', complaint({ to: original, date })],
  ['unrelated', 'report.feedback_other', complaint({ to: original, date, feedbackType: 'auth-failure' })],
  ['unrelated', 'report.feedback_other', complaint({ to: original, date, feedbackType: 'not-spam' })],
  ['unrelated', 'report.read_receipt', readReceipt({ to: original, from: ANN, date })],
  ['unrelated', 'sender.own', mail(['From: Other <OTHER@home.test>', 'Subject: Re: x', `In-Reply-To: ${SENT_ID}`])],
  ['unrelated', 'sender.none', mail(['Subject: x'])],
  ['unrelated', 'bulk.list', mail([from, 'Subject: News', 'List-Unsubscribe: <https://remote.test/u>'])],
  ['unrelated', 'bulk.list', mail([from, 'Subject: News', 'Precedence: bulk'])],
  ['unrelated', 'daemon.other', mail(['From: postmaster@remote.test', 'Subject: Welcome to the server'])],
  ['hard', 'daemon.failed', mail(['From: Mail Delivery System <x@mx.test>', 'Subject: Returned mail'], `<${ANN}>... User unknown`)],
  ['unknown', 'daemon.failed', mail(['From: MAILER-DAEMON@mx.test', 'Subject: Undeliverable: x'], 'It did not reach them.')],
  [
    'unrelated',
    'daemon.delay',
    mail(['From: MAILER-DAEMON@mx.test', 'Subject: Warning: could not send message for past 4 hours'], 'Will keep trying'),
  ],
];

test('the labelled corpus', async () => {
  for (const [expected, rule, raw] of CORPUS) {
    const verdict = await judge(raw);
    assert.deepEqual([outcome(verdict), verdict.rule], [expected, rule], raw.toString().slice(0, 400));
    assert.ok(verdict.because.endsWith('.'));
  }
  assert.ok(CORPUS.length + REFUSALS.length * 5 >= 60);
});

test('a complaint says whom and what it is about', async () => {
  const verdict = await judge(complaint({ to: original, date }));
  assert.deepEqual(verdict.complaint, { feedbackType: 'abuse', recipients: [ANN], originalMessageId: SENT_ID });
});
