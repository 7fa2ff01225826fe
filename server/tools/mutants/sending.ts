// Guards around a mail that is being sent: who has it in hand, what its outcome is, and what a crash leaves.
import { type Mutant, edit } from './mutant.ts';

const ENGINE = 'server/src/engine/sending';
const CLAIM = `${ENGINE}/claim.ts`;
const UNSENT = `${ENGINE}/unsent.ts`;
const RECONCILE = `${ENGINE}/reconcile.ts`;
const RULES_TEST = `${ENGINE}/rules.test.ts`;
const SENDING_TEST = `${ENGINE}/sending.test.ts`;
const RACE_TEST = `${ENGINE}/claim.race.test.ts`;
const CRASH_TEST = `${ENGINE}/crash.test.ts`;
const BACK_IN_TEST = `${ENGINE}/back-in.test.ts`;
const SILENCES = [
  'silence after the dot is never answered by a second one: accepted and filed under Sent: sent',
  'silence after the dot is never answered by a second one: accepted without a copy: unknown',
  'silence after the dot is never answered by a second one: not accepted: unknown',
];

export const SENDING: readonly Mutant[] = [
  {
    guard: 'claim-inbox-lease',
    protects: 'One mailbox is worked by one lane: one connection, one pace.',
    edits: [edit(CLAIM, 'and (i.leased_until is null or i.leased_until <= $2) and', 'and $2::timestamptz is not null and')],
    killedBy: { [RACE_TEST]: ['an inbox is leased to one of many who ask at once'] },
  },
  {
    guard: 'claim-inbox-passing-by',
    protects: 'Loops that lock many inboxes in orders of their own wait for none of them, and so never for each other.',
    edits: [
      edit(CLAIM, 'limit $5 for no key update of i skip locked', 'limit $5 for no key update of i'),
      edit('server/src/engine/inbound/loop.ts', 'limit $4 for no key update skip locked', 'limit $4 for no key update'),
      edit('server/src/engine/warmup/claim.ts', 'limit $5 for no key update of i skip locked', 'limit $5 for no key update of i'),
    ],
    killedBy: {
      ['server/src/engine/leases.race.test.ts']: [
        'an inbox that somebody holds is passed by: sending',
        'an inbox that somebody holds is passed by: reading',
        'an inbox that somebody holds is passed by: warm-up',
      ],
    },
  },
  {
    guard: 'claim-send-once',
    protects: 'A send is taken up by one worker, also where two believe that they hold its mailbox.',
    edits: [edit(CLAIM, 'order by due_at, id limit lane.places for no key update skip locked', 'order by due_at, id limit lane.places')],
    killedBy: { [RACE_TEST]: ['a send is claimed by one, even where two believe that they hold its inbox'] },
  },
  {
    guard: 'finish-fence',
    protects: 'An acceptance that a worker reports late, of an attempt that is not the send´s any more, changes nothing.',
    edits: [edit(`${ENGINE}/finish-sql.ts`, 'and sends.id = mine.id and sends.fence = mine.fence and', 'and sends.id = mine.id and')],
    killedBy: { [SENDING_TEST]: ['an outcome of a send that another worker took over changes nothing'] },
  },
  {
    guard: 'unsent-fence',
    protects: 'A refusal that a worker reports late, of an attempt that is not the send´s any more, changes nothing.',
    edits: [edit(UNSENT, 'and sends.id = t.id and sends.fence = t.fence and', 'and sends.id = t.id and')],
    killedBy: { [SENDING_TEST]: ['an outcome of a send that another worker took over changes nothing'] },
  },
  {
    guard: 'journal-before-commit',
    protects: 'What a server has accepted is on disk before the database is asked: a crash between the two loses nothing.',
    edits: [edit(`${ENGINE}/finisher.ts`, "if (finished.outcome.kind === 'accepted') {", "if (finished.outcome.kind === 'unwritten') {")],
    killedBy: {
      [CRASH_TEST]: [
        'an acceptance is on disk before the database is asked: a successor knows of it when the worker dies with the database away',
        'killed at CP12 journalled, no copy in Sent: sent, delivered 1, never twice',
      ],
    },
  },
  {
    guard: 'journal-replayed',
    protects: 'What a dead process had written down and not committed becomes sent.',
    edits: [edit(RECONCILE, 'if (entries.length) await finishAll(world, entries.map(asFinished)); // prettier-ignore')],
    killedBy: { [CRASH_TEST]: ['killed at CP12 journalled, no copy in Sent: sent, delivered 1, never twice'] },
  },
  {
    guard: 'journal-of-the-living',
    protects: 'An acceptance that waits in the journal of a living process is evidence.',
    edits: [edit(RECONCILE, 'for (const entry of entries) accepted.set(attemptOf(entry), entry);', 'for (const entry of entries) attemptOf(entry);')],
    killedBy: { [CRASH_TEST]: ['an acceptance that waits in the journal of a living process is evidence: it is not declared unknown'] },
  },
  {
    guard: 'unknown-never-sent-again',
    protects: 'A mail whose dot was released and whose fate nobody knows is never given to another worker.',
    edits: [
      edit(
        RECONCILE,
        "where a.leased_until < $1 and a.dot_released_at is null and s.state = 'sending'",
        "where a.leased_until < $1 and s.state = 'sending'",
      ),
      edit(
        RECONCILE,
        'and a.leased_until < $5 and a.dot_released_at is null and a.ended_at is null',
        'and a.leased_until < $5 and a.ended_at is null',
      ),
    ],
    pair: 'Asked when abandoned sends are looked for, and again under their locks, since a release may have been committed in between.',
    killedBy: { [CRASH_TEST]: ['killed at CP9 released: outcome_unknown, delivered 0, never twice'], [SENDING_TEST]: SILENCES },
  },
  {
    guard: 'abandoned-lease',
    protects: 'What another worker has in hand is left to it as long as its lease runs.',
    edits: [
      edit(
        RECONCILE,
        "where a.leased_until < $1 and a.dot_released_at is null and s.state = 'sending'",
        "where $1::timestamptz is not null and a.dot_released_at is null and s.state = 'sending'",
      ),
      edit(RECONCILE, 'and a.leased_until < $5 and a.dot_released_at is null', 'and $5::timestamptz is not null and a.dot_released_at is null'),
    ],
    pair: 'Asked when abandoned sends are looked for, and again under their locks, since a lease may have been renewed in between.',
    killedBy: { [CRASH_TEST]: ['killed at CP8 body written on another machine: nobody touches the send before its lease has run out'] },
  },
  {
    guard: 'out-and-accepted',
    protects: 'A mail that was on its way when its lead was taken out counts: whoever is put back in does not get the step again.',
    edits: [edit(`${ENGINE}/finish-sql.ts`, "e.status in ('active', 'removed')", "e.status in ('active')")],
    killedBy: {
      [BACK_IN_TEST]: [
        'taken out before the answer: the mail counts, and whoever is put back in goes on behind it, in its thread',
        'taken out before the answer to the last mail: it has come to its end, and is not put back in',
      ],
    },
  },
  {
    guard: 'back-in-hand',
    protects: 'Whoever is put back in while a mail to them is on its way waits for what becomes of it.',
    edits: [edit('server/src/resources/enrollments/store.ts', 'case when in_hand is null and not has_failed then', 'case when not has_failed then')],
    killedBy: { [BACK_IN_TEST]: ['put back in before the answer: it waits for the mail that is on its way'] },
  },
  {
    guard: 'silence-is-no-refusal',
    protects: 'A server that falls silent behind the dot may have accepted: the mail is not sent a second time.',
    edits: [
      edit(
        'server/src/mail/smtp/session.ts',
        'if (isBreak(reply)) return unknown(reply);',
        "if (isBreak(reply)) return { kind: 'unwritten', detail: reply.detail };",
      ),
    ],
    killedBy: { [SENDING_TEST]: SILENCES },
  },
  {
    guard: 'evidence-is-cited',
    protects: 'A mail counts as sent by an answer only if that cites it: an address alone proves nothing.',
    edits: [edit(RECONCILE, "and (in_reply_to = $5 or classification not in ('reply', 'auto_reply'))", 'and ($5::text is not null)')],
    killedBy: {
      [`${ENGINE}/reconcile.test.ts`]: [
        'an answer that cites a silent send proves that it was accepted; one that merely comes from its address does not',
      ],
    },
  },
  {
    guard: 'evidence-in-sent',
    protects: 'A copy in Sent proves that a silent server accepted.',
    edits: [
      edit(RECONCILE, 'if (copy) return { found: `a copy in ${folder.path}` };'),
      edit(RECONCILE, 'or (inbox_id = $4 and (identity', "or ($4 = '' and (identity"),
    ],
    pair: 'What was read of Sent by then is asked first, the folder itself after it.',
    killedBy: { [SENDING_TEST]: [SILENCES[0]!] },
  },
  {
    guard: 'retry-ends',
    protects: 'What could not be sent for a day has failed, and says why, instead of being tried for ever.',
    edits: [edit(UNSENT, 'const late = lateness > MAX_LATENESS_MS;', 'const late = lateness > Infinity;')],
    killedBy: { [RULES_TEST]: ['what becomes of a send that did not leave, and of its enrollment', 'what becomes of a send that a gate held back'] },
  },
  {
    guard: 'retry-waits-longer',
    protects: 'A server that says "later" is asked less and less often.',
    edits: [edit(`${ENGINE}/rules.ts`, 'BACK_OFF_MINUTES[Math.min(attempt, BACK_OFF_MINUTES.length) - 1] ?? 1', 'BACK_OFF_MINUTES[0] ?? attempt')],
    killedBy: { [RULES_TEST]: ['the waits grow from a minute to four hours, each a fifth longer at most, and are the same when asked again'] },
  },
  {
    guard: 'retry-same-message-id',
    protects: 'Every attempt carries the Message-ID that the send was given, so that answers and copies are found.',
    edits: [
      edit(`${ENGINE}/letter.ts`, 'messageId: send.rfc822_message_id,', "messageId: send.rfc822_message_id.replace('@', `.${send.attempt_count}@`),"),
    ],
    killedBy: { [SENDING_TEST]: ['a temporary no at any phase is tried again later with the same Message-ID, and one message arrives'] },
  },
  {
    guard: 'message-id-once',
    protects: 'No two sends of a workspace carry the same Message-ID.',
    edits: [edit('server/db/migrations/0006_sends.sql', 'create unique index sends_message_id', 'create index sends_message_id')],
    killedBy: { [RACE_TEST]: ['no two sends carry one Message-ID, whoever gives it'] },
  },
  {
    guard: 'once-per-step',
    protects: 'Nobody has two sends of one step of a campaign.',
    edits: [edit('server/db/migrations/0006_sends.sql', 'create unique index sends_once_per_step', 'create index sends_once_per_step')],
    killedBy: { [RACE_TEST]: ['a step that is planned is not planned again, even where its lead seems to be due'] },
  },
  {
    guard: 'unit-once',
    protects: "No unit of a mailbox's day is spent twice.",
    edits: [
      edit(
        'server/db/migrations/0006_sends.sql',
        '  send_id        text collate "C" not null,\n  primary key (workspace_id, inbox_id, day, unit)',
        '  send_id        text collate "C" not null',
      ),
    ],
    killedBy: { [RACE_TEST]: ['a unit of a day that is spent already is not spent again, even where the count is wrong'] },
  },
  {
    guard: 'login-refusals',
    protects: 'Three refused logins end the attempts, before the provider locks the mailbox.',
    edits: [
      edit(
        'server/src/resources/inboxes/no-connection.ts',
        'when $5 and login_refusals + 1 >= $6 and',
        'when $5 and login_refusals + 1 >= $6 and false and',
      ),
    ],
    killedBy: { [SENDING_TEST]: ['a login that is refused three times ends the inbox, not its sends; those that wait for a day expire'] },
  },
  {
    guard: 'bounce-of-a-copy',
    protects: 'A refused copy says nothing against the person whom the mail is for.',
    edits: [edit(UNSENT, '  (outcome.recipient ?? to) === to &&\n')],
    killedBy: {
      [`${ENGINE}/letter.test.ts`]: ['a copy that is refused fails the send as a whole, and says nothing against the person whom it is for'],
    },
  },
  {
    guard: 'bounce-at-rcpt-is-hard',
    protects: 'A permanent no that is not about the address suppresses nobody.',
    edits: [
      edit(
        UNSENT,
        "failureType(outcome.reply.enhanced, `${outcome.reply.code} ${outcome.reply.text}`) === 'hard'",
        "failureType(outcome.reply.enhanced, `${outcome.reply.code} ${outcome.reply.text}`) !== 'unknown'",
      ),
    ],
    killedBy: { [RULES_TEST]: ['what becomes of a send that did not leave, and of its enrollment'] },
  },
  {
    guard: 'test-mode-reaches-no-live-inbox',
    protects: 'A test key sends by no real mailbox.',
    edits: [
      edit(
        'server/src/resources/inboxes/store.ts',
        ".selectFrom('inboxes').selectAll().where('workspace_id', '=', ctx.workspaceId).where('mode', '=', ctx.mode);",
        ".selectFrom('inboxes').selectAll().where('workspace_id', '=', ctx.workspaceId);",
      ),
      edit('server/src/store/wall.ts', 'const rule = hasMode ?', 'const rule = !own ?'),
    ],
    pair: 'The statement asks for the mode, and row-level security shows no other.',
    killedBy: { [`${ENGINE}/letter.test.ts`]: ['a test key reaches no live inbox, and no server hears of it'] },
  },
];
