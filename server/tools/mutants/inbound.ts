// Guards of what comes in: who answered, who bounced, who wants no more, and what was met before.
import { type Mutant, edit } from './mutant.ts';

const INBOUND = 'server/src/engine/inbound';
const VERDICT = 'server/src/mail/verdict/verdict.ts';
const MATCH = `${INBOUND}/match.ts`;
const TAKE_IN = `${INBOUND}/take-in.ts`;
const INBOUND_TEST = `${INBOUND}/inbound.test.ts`;
const MATCH_TEST = `${INBOUND}/match.test.ts`;
const LIFE_TEST = `${INBOUND}/life.test.ts`;
const ELSEWHERE = "if (send.inbox_id !== inboxId) return as('unrelated', null, 'none', `${because} ${ELSEWHERE}`);\n  ";
const FORGED = 'a bounce that anybody could have written marks nobody';
const IF_AND_ONLY_IF = 'a bounce marks a person if and only if it is hard, cites our mail, names its recipient and came to the mailbox that sent it';

export const INBOUND_GUARDS: readonly Mutant[] = [
  {
    guard: 'reply-stops',
    protects: 'Whoever answers gets no further step.',
    edits: [edit(`${INBOUND}/apply.ts`, "    await stop(ctx, send, 'replied');\n")],
    killedBy: { [INBOUND_TEST]: ['a reply ends the enrollment, cancels what waits, and says so'] },
  },
  {
    guard: 'auto-reply-is-no-reply',
    protects: 'A note of absence does not end a conversation that has not begun.',
    edits: [edit(VERDICT, "when(autoReplySign(message) === 'header')", 'when(autoReplySign(message) === null && message.from === null)')],
    killedBy: {
      [INBOUND_TEST]: ['an automatic answer and a soft bounce stop nothing'],
      'server/src/mail/verdict/verdict.test.ts': ['the labelled corpus'],
    },
  },
  {
    guard: 'own-mail-is-no-reply',
    protects: 'What one of the own mailboxes writes is no answer of a person.',
    edits: [edit(VERDICT, 'ownAddresses.some((own) => own.toLowerCase() === message.from?.email)', "ownAddresses.some((own) => own === '')")],
    killedBy: { 'server/src/mail/verdict/verdict.test.ts': ['the labelled corpus'] },
  },
  {
    guard: 'bounce-in-its-mailbox',
    protects: 'A bounce counts in the mailbox that sent, so that nobody can suppress people by writing to another one.',
    edits: [edit(MATCH, `${ELSEWHERE}const named = bounce`, 'const named = bounce')],
    killedBy: { [INBOUND_TEST]: [FORGED], [MATCH_TEST]: [IF_AND_ONLY_IF] },
  },
  {
    guard: 'bounce-names-its-recipient',
    protects: 'A report about somebody else suppresses nobody, whatever mail it cites.',
    edits: [
      edit(
        MATCH,
        'const named = bounce.recipients.some((one) => emailKey(one) === send.to_email_key);',
        'const named = bounce.recipients.some((one) => emailKey(one) !== copies[0]);',
      ),
    ],
    killedBy: { [INBOUND_TEST]: [FORGED], [MATCH_TEST]: [IF_AND_ONLY_IF] },
  },
  {
    guard: 'bounce-cites-our-message-id',
    protects: 'A bounce counts only by the Message-ID of a mail of ours.',
    edits: [
      edit(MATCH, 'return bounceMeaning(verdict, direct,', 'return bounceMeaning(verdict, direct ?? cited[0] ?? null,'),
      edit(
        TAKE_IN,
        'const cited = message ? await byMessageIds(ctx, citedIds(message, verdict)) : [];',
        "const cited = message ? await rowsOf<Candidate>(ctx.db, 'select * from sends where inbox_id = $1', [inbox.id]) : [];",
      ),
    ],
    killedBy: { [INBOUND_TEST]: [FORGED] },
  },
  {
    guard: 'soft-bounce-is-not-hard',
    protects: 'A full mailbox is no reason never to write to somebody again.',
    edits: [edit(MATCH, "bounce.type === 'hard' && named ? 'bounced_hard' : 'none'", "named ? 'bounced_hard' : 'none'")],
    killedBy: { [INBOUND_TEST]: ['an automatic answer and a soft bounce stop nothing'], [MATCH_TEST]: [IF_AND_ONLY_IF] },
  },
  {
    guard: 'several-recipients-all-hard',
    protects: 'A report on several recipients is hard only if every one of them is gone.',
    edits: [edit('server/src/mail/verdict/dsn.ts', "failed.find((one) => one.type !== 'hard') ?? first", 'first')],
    killedBy: { 'server/src/mail/verdict/verdict.test.ts': ['a report on several recipients is hard only if every failure is'] },
  },
  {
    guard: 'words-before-codes',
    protects: 'A refusal that speaks of spam or a full mailbox is not the address´s fault, whatever its code.',
    edits: [edit('server/src/mail/verdict/failure.ts', 'if (matches(NOT_THE_ADDRESS, withoutNames(words)) || (code', 'if ((code')],
    killedBy: { 'server/src/mail/verdict/verdict.test.ts': ['bounces of postfix: hard only where the address is at fault'] },
  },
  {
    guard: 'complaint-in-its-mailbox',
    protects: 'A complaint counts in the mailbox that sent.',
    edits: [edit(MATCH, `${ELSEWHERE}const { recipients } = complaint`, 'const { recipients } = complaint')],
    killedBy: { [MATCH_TEST]: ['a complaint counts when it cites our mail, in the mailbox that sent it, and names nobody else'] },
  },
  {
    guard: 'opt-out-in-an-answer',
    protects: 'Who asks in an answer to be left alone is left alone.',
    edits: [edit(MATCH, 'if (wish !== null)\n', "if (wish === '')\n")],
    killedBy: { 'server/src/resources/unsubscribes/unsubscribes.test.ts': ['the words in an answer do what the link does, besides being an answer'] },
  },
  {
    guard: 'address-match-month',
    protects: 'A mail that cites nothing answers only what was sent within a month.',
    edits: [edit(TAKE_IN, 'new Date(ctx.now.getTime() - REMEMBER_MS)', 'new Date(REMEMBER_MS)')],
    killedBy: { [INBOUND_TEST]: ['an answer that cites nothing is matched by its address, within a month and to sends of that mailbox only'] },
  },
  {
    guard: 'message-once',
    protects: 'A message that lies in two folders, or is read twice, is told once.',
    edits: [
      edit(
        'server/db/migrations/0006_sends.sql',
        '  primary key (workspace_id, id),\n  unique (workspace_id, inbox_id, identity)\n',
        '  primary key (workspace_id, id)\n',
      ),
      edit('server/src/resources/messages/store.ts', "key.columns(['workspace_id', 'inbox_id', 'identity']).doNothing()", 'key.doNothing()'),
      edit('server/src/resources/messages/store.ts', 'on conflict (workspace_id, inbox_id, identity) do nothing', 'on conflict do nothing'),
      edit('server/src/engine/sending/finish-sql.ts', 'on conflict (workspace_id, inbox_id, identity) do nothing', 'on conflict do nothing'),
    ],
    killedBy: {
      [INBOUND_TEST]: [
        'the same message in INBOX and Junk is one message; own copies in Sent are no answers and change nothing',
        'a mailbox that was made anew is read again without telling anything twice',
      ],
    },
  },
  {
    guard: 'cursor-with-its-message',
    protects: 'The place in a mailbox moves in the commit of the message behind it: a crash loses none.',
    edits: [
      edit(
        `${INBOUND}/poll.ts`,
        'await takeIn(ctx, { inbox, folder, stored, uidValidity });',
        'await saveCursor(ctx, inbox, folder, found.cursor).then(() => takeIn(ctx, { inbox, folder, stored, uidValidity }, { movesCursor: false }));',
      ),
    ],
    killedBy: { [INBOUND_TEST]: ['a failure at CP16 taken in loses nothing and tells nothing twice'] },
  },
  {
    guard: 'poll-lease',
    protects: 'A poll that was overtaken by a new connection has no say in the state of its mailbox.',
    edits: [
      edit(
        `${INBOUND}/note.ts`,
        'where workspace_id = $1 and id = $2 and poll_lease_holder = $6 and poll_leased_until = $7 for no key update',
        'where workspace_id = $1 and id = $2 and $6::text is not null and $7::timestamptz is not null for no key update',
      ),
      edit(
        `${INBOUND}/note.ts`,
        'where workspace_id = $1 and id = $2 and poll_lease_holder = $6 and poll_leased_until = $7`,',
        'where workspace_id = $1 and id = $2 and $6::text is not null and $7::timestamptz is not null`,',
      ),
    ],
    killedBy: { [LIFE_TEST]: ['a poll that was overtaken by a new connection has no say'] },
  },
  {
    guard: 'imap-login-refusals',
    protects: 'Three refused logins in a row end the polling, before the provider locks the mailbox.',
    edits: [
      edit(`${INBOUND}/note.ts`, 'imap_login_refusals + $8::int >= $9 and status in', 'imap_login_refusals + $8::int >= 100 * $9 and status in'),
    ],
    killedBy: { [LIFE_TEST]: ['three IMAP logins refused in a row fail the inbox, once and aloud; connected anew it reads on where it was'] },
  },
  {
    guard: 'poison-set-aside',
    protects: 'A message that cannot be taken in delays none behind it.',
    edits: [
      edit(
        `${INBOUND}/poll.ts`,
        'if (isElsewhere(error) || ++failures > MAX_FAILURES_A_POLL) throw error;',
        'if (failures === 0 || isElsewhere(error) || ++failures > MAX_FAILURES_A_POLL) throw error;',
      ),
    ],
    killedBy: {
      [`${INBOUND}/poison.test.ts`]: ['messages that cannot be taken in delay none behind them, are tried three times and then set aside'],
    },
  },
  {
    guard: 'poison-is-not-the-mailbox',
    protects: 'When nearly everything fails it is not the messages, and none is set aside.',
    edits: [edit(`${INBOUND}/poll.ts`, '++failures > MAX_FAILURES_A_POLL', '++failures > Infinity * MAX_FAILURES_A_POLL')],
    killedBy: { [`${INBOUND}/poison.test.ts`]: ['when nearly everything fails it is not the messages: nothing is passed over beyond the tenth'] },
  },
  {
    guard: 'reaction-once',
    protects: 'A simulated recipient does each thing once.',
    edits: [
      edit('server/src/resources/sandbox-reactions/store.ts', 'and r.kind = t.kind and r.done_at is null returning', 'and r.kind = t.kind returning'),
    ],
    killedBy: { [`${INBOUND}/sandbox.test.ts`]: ['each reaction happens once, and one that cannot be carried out delays no other'] },
  },
];
