// Guards in the database and around secrets: tenants apart, events unchanged, things once, nothing in clear.
import { type Mutant, edit } from './mutant.ts';

const WALL = 'server/src/store/wall.ts';
const WALL_TEST = 'server/src/store/wall.test.ts';
const EVENTS_TEST = 'server/src/resources/events/events.test.ts';
const CLOCK = 'server/src/resources/test-clock';
const CLOCK_TEST = 'server/src/engine/test-clock/test-clock.test.ts';
const LOG_TEST = 'server/src/platform/log.test.ts';

export const STORE: readonly Mutant[] = [
  {
    guard: 'wall-workspace',
    protects: 'No statement of a call sees a row of another workspace, whatever it asks for.',
    edits: [
      edit(
        WALL,
        "const own = `${isWorkspaces ? 'id' : 'workspace_id'} = current_setting('${WORKSPACE_SETTING}', true)`;",
        "const own = `${isWorkspaces ? 'id' : 'workspace_id'} is not null`;",
      ),
    ],
    killedBy: {
      [WALL_TEST]: [
        'a statement that names no workspace sees its own workspace and mode, and the service sees all',
        'nothing is written into, changed in or taken from another tenant or mode',
      ],
    },
  },
  {
    guard: 'wall-mode',
    protects: 'No statement of a test key sees a live row.',
    edits: [edit(WALL, 'const rule = hasMode ?', 'const rule = hasMode && !own ?')],
    killedBy: { [WALL_TEST]: ['a statement that names no workspace sees its own workspace and mode, and the service sees all'] },
  },
  {
    guard: 'wall-whom-it-serves',
    protects: 'A connection that served one tenant does not serve the next in its name.',
    edits: [edit('server/src/store/tenant.ts', 'if (SERVED.get(client) === name) return client;', 'if (SERVED.has(client)) return client;')],
    killedBy: { [WALL_TEST]: ['many tenants at once over few connections: nobody sees what is not theirs'] },
  },
  {
    guard: 'events-immutable',
    protects: 'What happened stays as it was written.',
    edits: [
      edit(
        'server/db/migrations/0002_events.sql',
        'create trigger events_are_immutable before update or delete on events for each row execute function refuse_event_change();',
      ),
    ],
    killedBy: { [EVENTS_TEST]: ['what was written stays: no update, no delete, no truncate, not by SQL either'] },
  },
  {
    guard: 'events-not-truncated',
    protects: 'Nor are all events taken away at once.',
    edits: [
      edit(
        'server/db/migrations/0002_events.sql',
        'create trigger events_are_kept before truncate on events for each statement execute function refuse_event_change();',
      ),
    ],
    killedBy: { [EVENTS_TEST]: ['what was written stays: no update, no delete, no truncate, not by SQL either'] },
  },
  {
    guard: 'events-without-gaps',
    protects: 'The numbers of a workspace´s events have no gap, so that whoever reads them knows that nothing is missing.',
    edits: [
      edit(
        'server/src/resources/events/record.ts',
        'event_counters.last_sequence + excluded.last_sequence',
        'event_counters.last_sequence + excluded.last_sequence + 1',
      ),
    ],
    killedBy: { [EVENTS_TEST]: ['fifty transactions at once over two workspaces, a third of them undone: no gap, no double, none lost'] },
  },
  {
    guard: 'event-with-its-cause',
    protects: 'Where an event cannot be written, what it tells of has not happened.',
    edits: [edit('server/src/store/db.ts', '        await lastActs(db);\n', '        await lastActs(db).catch(() => undefined);\n')],
    killedBy: {
      'server/src/store/db.test.ts': ['a last act that fails takes the work with it, work that fails has no last act, and a retry starts anew'],
    },
  },
  {
    guard: 'inbox-address-once',
    protects: 'An address is connected once in a workspace.',
    edits: [
      edit('server/db/migrations/0004_inboxes.sql', 'create unique index inboxes_address', 'create index inboxes_address'),
      edit(
        'server/src/resources/inboxes/store.ts',
        "await rowsOf(ctx.db, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [['inbox', ctx.workspaceId, ctx.mode, emailKey].join('|')]);",
        "await rowsOf(ctx.db, 'select $1::text', [['inbox', ctx.workspaceId, ctx.mode, emailKey].join('|')]);",
      ),
    ],
    pair: 'Who connects an address locks it first; the index refuses what gets past.',
    killedBy: { 'server/src/resources/inboxes/connect-smtp.test.ts': ['two who connect one new address at once get one inbox'] },
  },
  {
    guard: 'contact-once',
    protects: 'An address is one contact.',
    edits: [
      edit(
        'server/db/migrations/0003_contacts.sql',
        '  updated_at      timestamptz not null,\n  primary key (workspace_id, id),\n  unique (workspace_id, mode, email_key)\n',
        '  updated_at      timestamptz not null,\n  primary key (workspace_id, id)\n',
      ),
      edit('server/src/resources/contacts/store.ts', 'on conflict (workspace_id, mode, email_key) do nothing', 'on conflict do nothing'),
    ],
    killedBy: { 'server/src/resources/contacts/contacts.test.ts': ['fifty at once: one is made, the others find it'] },
  },
  {
    guard: 'suppression-once',
    protects: 'An address is on the list once, with the first reason.',
    edits: [
      edit(
        'server/db/migrations/0003_contacts.sql',
        '  created_at       timestamptz not null,\n  primary key (workspace_id, id),\n  unique (workspace_id, mode, email_key)\n',
        '  created_at       timestamptz not null,\n  primary key (workspace_id, id)\n',
      ),
      edit('server/src/resources/suppressions/store.ts', 'on conflict (workspace_id, mode, email_key) do nothing', 'on conflict do nothing'),
    ],
    killedBy: {
      'server/src/resources/suppressions/suppressions.test.ts': [
        'fifty at once make one',
        'an address is suppressed once, whatever its spelling, and the first reason stands',
      ],
    },
  },
  {
    guard: 'threshold-once',
    protects: 'That a quota is nearly used up is told once.',
    edits: [
      edit(
        'server/db/migrations/0001_workspaces.sql',
        '  reached_at          timestamptz not null,\n  primary key (workspace_id, quota, period, threshold_percent)\n',
        '  reached_at          timestamptz not null\n',
      ),
    ],
    killedBy: {
      'server/src/resources/workspaces/thresholds.test.ts': [
        'sends: once in each month, whatever is canceled meanwhile, and however many count at once',
      ],
    },
  },
  {
    guard: 'plan-limit-lock',
    protects: 'The last place of a plan is taken once.',
    edits: [edit('server/src/resources/workspaces/room.ts', 'await store.lockOwn(ctx)', 'await store.own(ctx)')],
    killedBy: {
      'server/src/resources/workspaces/workspaces.test.ts': ['the plan has room for its contacts and not for one more, however many ask at once'],
    },
  },
  {
    guard: 'test-clock-scope',
    protects: 'What a test clock drives is carried out at its time, and by its walk alone.',
    edits: [
      edit(
        'server/src/world/scope.ts',
        'or not exists (select 1 from test_clocks driven where driven.workspace_id = ${alias}.workspace_id)',
        "or ${alias}.mode = 'test'",
      ),
    ],
    killedBy: { [CLOCK_TEST]: ['what has waited since before the clock was moved leaves at the time of the clock: no other loop takes it'] },
  },
  {
    guard: 'test-clock-lease',
    protects: 'A clock is walked by one worker.',
    edits: [
      edit(
        `${CLOCK}/walk.ts`,
        'where workspace_id = $1 and (leased_until is null or leased_until <= $4) returning *)',
        'where workspace_id = $1 and $4::timestamptz is not null returning *)',
      ),
    ],
    killedBy: { [CLOCK_TEST]: ['a clock is leased to one of those who ask at once, and moved by whoever leased it last'] },
  },
  {
    guard: 'test-clock-fence',
    protects: 'A worker that was halted on a walk and wakes when another has gone on moves nothing.',
    edits: [
      edit(
        `${CLOCK}/walk.ts`,
        'leased_until = $4 where workspace_id = $1 and fence = $2 returning 1',
        'leased_until = $4 where workspace_id = $1 and $2::int is not null returning 1',
      ),
    ],
    killedBy: { [CLOCK_TEST]: ['a clock is leased to one of those who ask at once, and moved by whoever leased it last'] },
  },
  {
    guard: 'test-clock-one-advance',
    protects: 'Two calls that move one clock go one after the other.',
    edits: [
      edit('server/db/migrations/0014_test_clock.sql', 'create unique index test_clock_advances_open', 'create index test_clock_advances_open'),
    ],
    killedBy: { [CLOCK_TEST]: ['two calls at once: one after the other; the same call again: once'] },
  },
  {
    guard: 'sealed-for-its-row',
    protects: 'A sealed password that is moved to another row or field does not open.',
    edits: [edit('server/src/platform/secretbox.ts', 'Buffer.from(JSON.stringify(context))', 'Buffer.from(JSON.stringify(context.slice(100)))')],
    killedBy: { 'server/src/platform/secretbox.test.ts': ['moved to another row or field it does not open'] },
  },
  {
    guard: 'log-redaction',
    protects: 'No secret is written into a log.',
    edits: [
      edit(
        'server/src/platform/log.ts',
        "SECRET_NAME.test(name) ? '[redacted]' : cleaned(item, depth + 1)",
        "SECRET_NAME.test('') ? '[redacted]' : [name, cleaned(item, depth + 1)][1]",
      ),
    ],
    killedBy: { [LOG_TEST]: ['a secret is never written, however deep it lies', 'nor in what hangs on an error, its cause, or a child'] },
  },
  {
    guard: 'cursor-of-its-list',
    protects: 'A cursor opens nothing but the list that gave it.',
    edits: [edit('server/src/store/page.ts', 'id === undefined || !isId(id, prefix) || text', 'id === undefined || text')],
    killedBy: { 'server/src/store/page.test.ts': ['what is no cursor of this list'] },
  },
];
