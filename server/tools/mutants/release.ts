// Guards in the moment before the dot: everything that may stop a mail is asked once more, under locks.
import { type Mutant, edit } from './mutant.ts';

const ENGINE = 'server/src/engine/sending';
const RULES = `${ENGINE}/rules.ts`;
const RELEASE = `${ENGINE}/release.ts`;
const UNIT = 'server/src/resources/inboxes/take-unit.ts';
const SQL = `${ENGINE}/release-sql.ts`;
const RULES_TEST = `${ENGINE}/rules.test.ts`;
const RELEASE_TEST = `${ENGINE}/release.test.ts`;
const SENDING_TEST = `${ENGINE}/sending.test.ts`;
const RACE_TEST = `${ENGINE}/claim.race.test.ts`;
const CRASH_TEST = `${ENGINE}/crash.test.ts`;
const LETTER_TEST = `${ENGINE}/letter.test.ts`;

export const RELEASE_GUARDS: readonly Mutant[] = [
  {
    guard: 'release-window',
    protects: 'No mail of a campaign leaves outside its hours, however long its server took.',
    edits: [edit(RULES, 'if (!isOpen(campaign.schedule, now))', 'if (campaign.schedule.startHour > 24)')],
    killedBy: { [RULES_TEST]: ['gate: outside the window'] },
  },
  {
    guard: 'release-suppression',
    protects: 'Nobody gets a mail who was put on the list after it was planned.',
    edits: [edit(RULES, "if (suppressed) return { kind: 'fail', gate: 'suppression', reason: 'suppressed' };")],
    killedBy: {
      [RULES_TEST]: ['gate: suppressed'],
      [SENDING_TEST]: ['no dot follows the commit of a suppression, even with the whole body written'],
    },
  },
  {
    guard: 'release-contact-status',
    protects: 'Nobody gets a mail who has unsubscribed, bounced or complained since it was planned.',
    edits: [edit(RULES, "if (contact && contact.global_status !== 'ok')", "if (contact && contact.global_status === '')")],
    killedBy: {
      [RULES_TEST]: ['gate: unsubscribed', 'gate: bounced', 'gate: a one-off to a blacklisted contact'],
      [SENDING_TEST]: ['no dot follows the commit of an unsubscribe, even with the whole body written'],
    },
  },
  {
    guard: 'release-enrollment',
    protects: 'Whoever has answered, or was taken out, gets no further step: not even one whose body is already with the server.',
    edits: [edit(RULES, "if (enrollment?.status !== 'active')", "if ((enrollment?.status ?? '') === '')")],
    killedBy: {
      [RULES_TEST]: ['gate: replied'],
      [SENDING_TEST]: ['no dot follows the commit of a reply, even with the whole body written'],
    },
  },
  {
    guard: 'release-contact-deleted',
    protects: 'A deleted contact gets no mail that was planned for it.',
    edits: [edit(RULES, "if (!contact) return { kind: 'cancel', gate: 'contact deleted' };")],
    killedBy: { [RULES_TEST]: ['gate: contact deleted'] },
  },
  {
    guard: 'release-campaign-paused',
    protects: 'A paused campaign sends nothing more, not even what a worker has in hand.',
    edits: [edit(RULES, "if (campaign.status !== 'running')", "if (campaign.status === 'draft')")],
    killedBy: {
      [RULES_TEST]: ['gate: campaign paused'],
      [SENDING_TEST]: ['no dot follows the commit of a pause, even with the whole body written'],
    },
  },
  {
    guard: 'release-campaign-edited',
    protects: 'No mail leaves with the text or the sender of a campaign as it was before it was changed.',
    edits: [edit(RULES, 'if (campaign.edited_at !== null && send', 'if (campaign.edited_at === undefined && send')],
    killedBy: { [RULES_TEST]: ['gate: planned before the campaign was changed'] },
  },
  {
    guard: 'release-inbox-revoked',
    protects: 'Nothing leaves by a mailbox that was disconnected, and what waited for it says so at once.',
    edits: [edit(RULES, "if (inbox.status === 'revoked') return", "if (inbox.status === 'connecting') return")],
    killedBy: { [RULES_TEST]: ['gate: inbox revoked'] },
  },
  {
    guard: 'release-inbox-status',
    protects: 'A paused, failed or unhealthy mailbox sends nothing.',
    edits: [edit(RULES, "if (inbox.status !== 'active' && inbox.status !== 'over_quota_today')", "if (inbox.status === 'connecting')")],
    killedBy: {
      [RULES_TEST]: ['gate: inbox paused', 'gate: inbox failed', 'gate: a paused inbox holds replies too'],
      [SENDING_TEST]: ['no dot follows the commit of a paused inbox, even with the whole body written'],
    },
  },
  {
    guard: 'release-daily-cap',
    protects: "No mailbox sends more than its day's cap, however many workers release at once.",
    edits: [edit(RULES, 'if (!send.is_reply && capLeft(inbox, now) <= 0)', 'if (!send.is_reply && capLeft(inbox, now) < 0)')],
    killedBy: { [RULES_TEST]: ['gate: cap reached'], [RACE_TEST]: ['the cap is not exceeded by releases that collide'] },
  },
  {
    guard: 'release-cap-replies',
    protects: 'An answer to somebody who waits for it is not held back by a cap that is meant for cold mail.',
    edits: [edit(RULES, 'if (!send.is_reply && capLeft(inbox, now) <= 0)', 'if (capLeft(inbox, now) <= 0)')],
    killedBy: { [RULES_TEST]: ['what is as it should be may leave, a campaign and without one, to somebody we know or not'] },
  },
  {
    guard: 'release-spends-a-unit',
    protects: 'Each release takes its unit of the day at once, so that the next one of the same batch sees it.',
    edits: [edit(UNIT, '  inbox.day_count++;\n')],
    killedBy: { [SENDING_TEST]: ['the cap holds: what is over it moves to the next day without being offered to the server'] },
  },
  {
    guard: 'release-gap',
    protects: 'Two mails of a mailbox are as far apart as it says.',
    edits: [edit(UNIT, 'new Date(now.getTime() + gapMs(inbox, inbox.day_started_at, inbox.day_count))', 'now')],
    killedBy: { [SENDING_TEST]: ['the gap between two sends of an inbox is kept'] },
  },
  {
    guard: 'release-fence',
    protects: 'A worker that was halted and overtaken cannot release: the one that holds the send now can.',
    edits: [edit(RULES, 'send.fence !== fence || ')],
    killedBy: {
      [RULES_TEST]: ['gate: another worker has it'],
      [CRASH_TEST]: ['of two workers that hold the same send with its body written, the one with the older fence is refused'],
    },
  },
  {
    guard: 'release-state',
    protects: 'What was canceled, or has ended, is not released.',
    edits: [edit(RULES, "if (send.state !== 'sending' || ", 'if (')],
    killedBy: { [RULES_TEST]: ['gate: it is not being sent'] },
  },
  {
    guard: 'release-once',
    protects: 'One attempt is released once, also by two who hold the same fence.',
    edits: [edit(RULES, ' || send.dot_released_at !== null')],
    killedBy: { [RULES_TEST]: ['gate: its dot was released before'], [RACE_TEST]: ['a send is released by one of two who hold the same fence'] },
  },
  {
    guard: 'release-once-in-the-database',
    protects: 'Should the gate ever be passed by mistake, the statement itself writes no second release.',
    edits: [edit(RULES, ' || send.dot_released_at !== null'), edit(SQL, '1 / (case when count(*) = cardinality($1::text[]) then 1 else 0 end)', '1')],
    pair: 'The gate refuses first; the statement refuses what gets past it.',
    killedBy: { [RACE_TEST]: ['a send is released by one of two who hold the same fence'] },
  },
  {
    guard: 'release-locks-the-send',
    protects: 'A stop that is being committed is waited for, and not overtaken.',
    edits: [edit(SQL, 'order by x.workspace_id, x.id for no key update of x, a', 'order by x.workspace_id, x.id')],
    killedBy: { [RELEASE_TEST]: ['a suppression: a release that comes while it is being committed waits, and is denied'] },
  },
  {
    guard: 'release-locks-the-enrollment',
    protects: 'An answer that is just being taken in is waited for.',
    edits: [
      edit(
        SQL,
        '(select workspace_id, enrollment_id from want)\n     order by x.workspace_id, x.id for share',
        '(select workspace_id, enrollment_id from want)\n     order by x.workspace_id, x.id',
      ),
    ],
    killedBy: {
      [RELEASE_TEST]: [
        'a reply: a release that comes while it is being committed waits, and is denied',
        'a reply waits for a release that is being committed',
      ],
    },
  },
  {
    guard: 'release-locks-the-contact',
    protects: 'An unsubscribe or a deletion that is just being committed is waited for.',
    edits: [
      edit(
        SQL,
        '($7::text[], $8::text[]))\n     order by x.workspace_id, x.id for share',
        '($7::text[], $8::text[]))\n     order by x.workspace_id, x.id',
      ),
    ],
    killedBy: { [RELEASE_TEST]: ['an unsubscribe: a release that comes while it is being committed waits, and is denied'] },
  },
  {
    guard: 'release-locks-the-campaign',
    protects: 'A pause that is just being committed is waited for.',
    edits: [
      edit(
        SQL,
        '(select workspace_id, campaign_id from want)\n     order by x.workspace_id, x.id for share',
        '(select workspace_id, campaign_id from want)\n     order by x.workspace_id, x.id',
      ),
    ],
    killedBy: {
      [RELEASE_TEST]: [
        'a pause of the campaign: a release that comes while it is being committed waits, and is denied',
        'a pause of the campaign waits for a release that is being committed',
      ],
    },
  },
  {
    guard: 'suppress-waits-for-releases',
    protects: 'A suppression commits only after a release that was under way, so that no dot follows its commit.',
    edits: [edit('server/src/resources/suppressions/suppress.ts', 'if (inserted.length)\n', 'if (inserted.length < 0)\n')],
    killedBy: {
      'server/src/resources/suppressions/suppressions.test.ts': [
        'a suppression commits only after a release that has locked an open send to the address',
      ],
      [RELEASE_TEST]: ['a suppression waits for a release that is being committed'],
    },
  },
  {
    guard: 'release-copies-suppressed',
    protects: 'Who is suppressed gets no copy either.',
    edits: [edit(SQL, '[to, ...copiedOn({ cc, bcc }).map(emailKey)]', '[to]')],
    killedBy: { [LETTER_TEST]: ['who is suppressed after the send was scheduled gets no copy: the send fails'] },
  },
  {
    guard: 'release-copies-contact',
    protects: 'Who has unsubscribed as a contact gets no copy either.',
    edits: [edit(RELEASE, "?? 'ok') !== 'ok')", "?? 'ok') === '')")],
    killedBy: { [LETTER_TEST]: ['nor does who has asked for no more mail as a contact, and is on no list'] },
  },
  {
    guard: 'release-grown-old',
    protects: 'A permission of before a long halt is not used: meanwhile the send may have been declared unknown.',
    edits: [edit(`${ENGINE}/lane.ts`, 'asked > RELEASE_VALID_MS', 'asked > Infinity')],
    killedBy: { [CRASH_TEST]: ['a permission to release that has grown old is not used: the send was declared unknown meanwhile and stays so'] },
  },
];
