// Guards of what is planned: hours, caps, gaps, order, quotas, and who is left out.
import { type Mutant, edit } from './mutant.ts';

const CAMPAIGNS = 'server/src/resources/campaigns';
const PLAN = `${CAMPAIGNS}/plan.ts`;
const PACE = `${CAMPAIGNS}/pace.ts`;
const FACTS = `${CAMPAIGNS}/plan-facts.ts`;
const INBOX_RULES = 'server/src/resources/inboxes/rules.ts';
const INBOX_RULES_TEST = 'server/src/resources/inboxes/rules.test.ts';
const PLAN_TEST = `${CAMPAIGNS}/plan.test.ts`;
const CAMPAIGNS_TEST = `${CAMPAIGNS}/campaigns.test.ts`;
const RACE_TEST = 'server/src/engine/sending/claim.race.test.ts';
const PROPERTY =
  'whatever the facts: in the window, within day, cap, quota and horizon, gaps kept, one inbox a lead, one slot a lead, follow-ups first';
const ENGINE_TEST = 'server/src/engine/campaigns/campaigns.test.ts';
const LOOP = 'server/src/engine/campaigns/loop.ts';
const APART = 'server/src/engine/campaigns/plan-apart.ts';
const LOOP_TEST = 'server/src/engine/campaigns/loop.test.ts';
const PLANNERS = 'two planners side by side plan each lead once and no inbox beyond its day';

export const PLANNING: readonly Mutant[] = [
  {
    guard: 'plan-window',
    protects: 'Nothing is planned while the campaign is closed.',
    edits: [
      edit(
        PLAN,
        "if (!isOpen(schedule, now)) return none('outside_schedule', nextOpening(schedule, now));",
        'if (!isOpen(schedule, now)) nextOpening(schedule, now);',
      ),
    ],
    killedBy: { [PLAN_TEST]: ['when nobody gets anything the plan says why, and when it is worth to look again'] },
  },
  {
    guard: 'plan-window-closes',
    protects: 'No slot lies behind the closing of the window or the end of the day.',
    edits: [edit(PACE, 'end: earliest(later(now, HORIZON_MS), lastMoment)!', 'end: later(now, HORIZON_MS)')],
    killedBy: {
      [PLAN_TEST]: [PROPERTY, 'the last slots before the window closes, the day ends or the horizon is reached are used, and none behind'],
    },
  },
  {
    guard: 'window-end-exclusive',
    protects: 'A window until 17 o´clock is closed at 17 o´clock.',
    edits: [edit(`${CAMPAIGNS}/schedule.ts`, 'at.hour >= startHour && at.hour < endHour', 'at.hour >= startHour && at.hour <= endHour')],
    killedBy: { [`${CAMPAIGNS}/schedule.test.ts`]: ['the window is the wall clock of its zone, its end exclusive'] },
  },
  {
    guard: 'plan-cap',
    protects: 'No more is planned than the cap of the day leaves.',
    edits: [edit(PACE, 'left: Math.min(room, MAX_WAITING - waiting)', 'left: MAX_WAITING - waiting')],
    killedBy: { [PLAN_TEST]: [PROPERTY] },
  },
  {
    guard: 'plan-counts-what-waits',
    protects: 'What is planned already takes part of the cap.',
    edits: [edit(FACTS, 'capLeft(inbox, ctx.now) - today)', 'capLeft(inbox, ctx.now) - 0 * today)')],
    killedBy: { [RACE_TEST]: [PLANNERS] },
  },
  {
    guard: 'plan-locks-inboxes',
    protects: 'Two campaigns that share a mailbox do not plan it at the same time.',
    edits: [edit(FACTS, "inboxesFor(ctx, claimed, 'for no key update')", "inboxesFor(ctx, claimed, '')")],
    killedBy: { [RACE_TEST]: ['a planner waits for whoever has its inbox in hand, and plans what that one leaves of the day'] },
  },
  {
    guard: 'plan-gap',
    protects: 'The slots of a mailbox are as far apart as it says.',
    edits: [
      edit(PACE, 'slots.next = later(at, gapMs(slots.inbox, at, slots.used));', 'slots.next = later(at, 0 * gapMs(slots.inbox, at, slots.used));'),
    ],
    killedBy: { [PLAN_TEST]: [PROPERTY, 'an inbox keeps its gap from the sends before it and between its own; two inboxes share the leads'] },
  },
  {
    guard: 'plan-sticky-inbox',
    protects: 'A follow-up comes from the mailbox that wrote the first mail, and from no other.',
    edits: [
      edit(
        PLAN,
        'const chosen = isNew ? soonest(slots) : byInbox.get(lead.assigned_inbox_id!);',
        'const chosen = soonest(slots) ?? byInbox.get(lead.id);',
      ),
    ],
    killedBy: {
      [PLAN_TEST]: [
        'a lead waits for the inbox of its first mail and for no other, and leaves its place in the quota to whoever can use it',
        PROPERTY,
      ],
    },
  },
  {
    guard: 'plan-follow-ups-first',
    protects: 'Who is in a conversation is written to before strangers are.',
    edits: [edit(FACTS, 'order by (e.current_step > 0) desc, e.plan_due_at', 'order by e.plan_due_at')],
    killedBy: { [ENGINE_TEST]: ['who is in a conversation is written to before strangers, however long these have waited'] },
  },
  {
    guard: 'plan-spread',
    protects: 'New leads are spread over the day instead of going out in one burst.',
    edits: [edit(PACE, 'if (inbox.max_gap_seconds === 0) return 0;', 'if (inbox.max_gap_seconds >= 0) return 0;')],
    killedBy: { [`${CAMPAIGNS}/pace.test.ts`]: ['new leads are spread over the window: the cap is used up, but neither at once nor by noon'] },
  },
  {
    guard: 'plan-quota',
    protects: 'A campaign sends no more than the plan of its workspace pays for.',
    edits: [edit(PLAN, 'if (sends.length >= limit) break;')],
    killedBy: { [PLAN_TEST]: [PROPERTY] },
  },
  {
    guard: 'plan-entitled',
    protects: 'Without a subscription no campaign sends.',
    edits: [edit(PLAN, "if (!facts.isEntitled) return none('not_entitled', later(now, 15 * 60_000));")],
    killedBy: { [PLAN_TEST]: ['when nobody gets anything the plan says why, and when it is worth to look again'] },
  },
  {
    guard: 'plan-bars-the-suppressed',
    protects: 'Who is on the list gets no further step planned, and the lead ends.',
    edits: [edit('server/src/engine/campaigns/write-sends.ts', ' || suppressed.has(contact.email_key))) {', ')) {')],
    killedBy: { [ENGINE_TEST]: ['no send is written to somebody who is on the list by then, and the lead ends'] },
  },
  {
    guard: 'plan-apart',
    protects: 'A lead that cannot be written delays no other lead of its campaign.',
    edits: [edit(LOOP, 'if (isOfItsRows(error)) await planApart(world, campaign, tried);')],
    killedBy: {
      [LOOP_TEST]: ['leads that cannot be written are put off, each named in the log; the others of their campaign go on at once, with gaps as ever'],
    },
  },
  {
    guard: 'plan-apart-for-cause',
    protects: 'A database that is short of room puts nobody off.',
    edits: [edit(APART, 'if (isOfItsRows(error)) return error as Error;', 'if (error !== null) return error as Error;')],
    killedBy: { [LOOP_TEST]: ['a database that is short of something while leads are tried apart puts off nobody but who was found to blame'] },
  },
  {
    guard: 'ramp',
    protects: 'A young mailbox begins with few mails a day.',
    edits: [edit(INBOX_RULES, 'if (!inbox.ramp_enabled) return inbox.daily_limit;', 'if (inbox.daily_limit > 0) return inbox.daily_limit;')],
    killedBy: { [INBOX_RULES_TEST]: ['the ramp climbs by the local day, to the limit and no further'] },
  },
  {
    guard: 'zone-change-buys-nothing',
    protects: 'A changed time zone cannot buy a second allowance.',
    edits: [
      edit(
        INBOX_RULES,
        'nextMidnight(new Date(day.day_started_at.getTime() + DAY_MS - 1), timezone)',
        'nextMidnight(new Date(now.getTime() + 0 * DAY_MS), timezone)',
      ),
    ],
    killedBy: {
      [INBOX_RULES_TEST]: ['however often the zone changes, a day is neither bought nor lost'],
      'server/src/resources/inboxes/limits.test.ts': ['a zone that is flipped all day long buys no second allowance'],
    },
  },
  {
    guard: 'day-ends-at-midnight',
    protects: 'A mailbox that has used up its day goes on at its own midnight, and not before.',
    edits: [
      edit(
        'server/src/engine/housekeeping/index.ts',
        "where status = 'over_quota_today' and day_resets_at <= $1 and",
        "where status = 'over_quota_today' and $1::timestamptz is not null and",
      ),
    ],
    killedBy: { 'server/src/engine/housekeeping/recall.test.ts': ['a cap that falls below what was sent closes the day; midnight opens the next'] },
  },
  {
    guard: 'enroll-once',
    protects: 'Nobody is enrolled in a campaign twice.',
    edits: [
      edit('server/db/migrations/0005_sequences.sql', '  unique (workspace_id, campaign_id, contact_id),\n'),
      edit('server/src/resources/enrollments/store.ts', 'on conflict (workspace_id, campaign_id, contact_id) do nothing', 'on conflict do nothing'),
    ],
    killedBy: { [CAMPAIGNS_TEST]: ['a campaign has one row for a contact, whoever writes it'] },
  },
  {
    guard: 'enroll-leaves-out',
    protects: 'Who may not be written to is not enrolled.',
    edits: [
      edit('server/src/resources/enrollments/enroll.ts', " || suppressed.has(contact.email_key)) return 'suppressed'", ") return 'suppressed'"),
    ],
    killedBy: { [CAMPAIGNS_TEST]: ['attaching: everybody is counted once, whoever may not be written to is left out'] },
  },
  {
    guard: 'bounce-protection',
    protects: 'A campaign whose mail bounces too much is paused before it ruins the name of its mailboxes.',
    edits: [
      edit(`${CAMPAIGNS}/protection.ts`, 'sends >= LEAST_SENDS && bounces * ONE_IN > sends', 'sends >= LEAST_SENDS && bounces > sends * ONE_IN'),
    ],
    killedBy: {
      [`${CAMPAIGNS}/protection.test.ts`]: ['above five in a hundred, and not at it; from a hundred sends on'],
      'server/src/engine/campaigns/protection.test.ts': [
        'five of a hundred bounce: it goes on; the sixth pauses it at the next decision, and what waits is held',
      ],
    },
  },
  {
    guard: 'bounce-protection-minimum',
    protects: 'A handful of bounces among few mails pauses nothing.',
    edits: [edit(`${CAMPAIGNS}/protection.ts`, 'sends >= LEAST_SENDS && bounces * ONE_IN > sends', 'sends > 0 && bounces * ONE_IN > sends')],
    killedBy: { [`${CAMPAIGNS}/protection.test.ts`]: ['above five in a hundred, and not at it; from a hundred sends on'] },
  },
  {
    guard: 'running-campaign-is-not-edited',
    protects: 'A campaign is not changed under the mails that it is sending.',
    edits: [
      edit(`${CAMPAIGNS}/edit.ts`, "if (campaign.status === 'running') throw new Refusal('campaign_running', 'Pause this campaign to change it.');"),
    ],
    killedBy: {
      [`${CAMPAIGNS}/edit.test.ts`]: [
        'a draft and a paused campaign are changed field by field; what is not given stays',
        'steps that do not fit are refused by name, whatever the state',
      ],
    },
  },
  {
    guard: 'quota-of-the-month',
    protects: 'Calls side by side cannot go over the quota of the month together.',
    edits: [
      edit('server/src/resources/sends/create.ts', '  if (left > QUOTA_MARGIN) return left;\n', '  if (left > 0 * QUOTA_MARGIN) return left;\n'),
    ],
    killedBy: {
      'server/src/resources/sends/sends.test.ts': [
        'sixty-four at once cannot go over the quota of the month; test mode is free; a canceled send is given back',
      ],
    },
  },
];
