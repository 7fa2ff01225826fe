// The statements of a release. Few, because each waits for its turn on a busy machine while dots wait for it.
import { emailKey } from '#platform/email-address.ts';
import { beforeCommit, rowsOfEach } from '#store/db.ts';
import type { Schedule } from '#resources/campaigns/index.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import { type Contents, type Send, copiedOn } from '#resources/sends/index.ts';
import { suppressedStatement } from '#resources/suppressions/index.ts';
import type { World } from '#world/ctx.ts';

/** A send as its worker took it up: what never changes of it, and under which fence it was taken. */
export type ReleaseWish = Pick<
  Send,
  'workspace_id' | 'mode' | 'id' | 'fence' | 'inbox_id' | 'campaign_id' | 'contact_id' | 'enrollment_id' | 'to_email_key' | 'is_reply' | 'created_at'
> &
  Partial<Pick<Contents, 'cc' | 'bcc'>>;

type Keyed = { workspace_id: string; id: string };
export type LockedCampaign = Keyed & { status: string; schedule: Schedule; edited_at: string | null };
export type LockedContact = Keyed & { global_status: string };
export type LockedEnrollment = Keyed & { status: string };
/** What may have changed of a send. */
export type LockedSend = Pick<Send, 'workspace_id' | 'id' | 'state' | 'fence'> & { dot_released_at: string | null };
/** What the gates and the day of an inbox ask for. */
const INBOX = [
  'workspace_id', 'id', 'status', 'status_reason', 'daily_limit', 'ramp_enabled', 'ramp_start', 'ramp_end', 'ramp_days', 'ramp_started_at',
  'timezone', 'min_gap_seconds', 'max_gap_seconds', 'day_started_at', 'day_resets_at', 'day_count', 'next_send_at',
] as const satisfies readonly (keyof Inbox)[]; // prettier-ignore
export type LockedInbox = Pick<Inbox, (typeof INBOX)[number]>;
export type LockedRows = {
  inboxes: LockedInbox[];
  campaigns: LockedCampaign[];
  contacts: LockedContact[];
  enrollments: LockedEnrollment[];
  sends: LockedSend[];
};

// Locks are taken in the order in which everybody takes them: inbox, campaign, contact, enrollment, send; within a table by id. Each part asks
// first how many rows the part before it has, which makes the database finish that one before it begins. A row that somebody changes meanwhile
// is read anew once its lock is had; what a release says of a send stands in its attempt, so that is locked too.
const LOCK = `
  with want as materialized (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      as t (workspace_id, send_id, inbox_id, campaign_id, contact_id, enrollment_id)
  ), i as materialized (
    select ${INBOX.map((name) => `x.${name}`).join(', ')} from inboxes x where (x.workspace_id, x.id) in (select workspace_id, inbox_id from want)
     order by x.workspace_id, x.id for no key update
  ), c as materialized (
    select x.workspace_id, x.id, x.status, x.schedule, x.edited_at from campaigns x
     where (select count(*) from i) >= 0 and (x.workspace_id, x.id) in (select workspace_id, campaign_id from want)
     order by x.workspace_id, x.id for share
  ), p as materialized (
    select x.workspace_id, x.id, x.global_status from contacts x
     where (select count(*) from c) >= 0
       and (x.workspace_id, x.id) in (select workspace_id, contact_id from want union all select * from unnest($7::text[], $8::text[]))
     order by x.workspace_id, x.id for share
  ), e as materialized (
    select x.workspace_id, x.id, x.status from enrollments x
     where (select count(*) from p) >= 0 and (x.workspace_id, x.id) in (select workspace_id, enrollment_id from want)
     order by x.workspace_id, x.id for share
  ), s as materialized (
    select x.workspace_id, x.id, x.state, x.fence, a.dot_released_at
      from sends x
      join send_attempts a on a.workspace_id = x.workspace_id and a.send_id = x.id and a.attempt = x.fence
     where (select count(*) from e) >= 0 and (x.workspace_id, x.id) in (select workspace_id, send_id from want)
     order by x.workspace_id, x.id for no key update of x, a
  )
  select (select json_agg(s) from s) as sends, (select json_agg(e) from e) as enrollments, (select json_agg(p) from p) as contacts,
         (select json_agg(c) from c) as campaigns, (select json_agg(i) from i) as inboxes`;

const DATES = ['ramp_started_at', 'day_started_at', 'day_resets_at', 'next_send_at'] as const;

/** Those who would get this message, as emailKeys: whom it is for, and who is on a copy. */
const recipientsOf = ({ to_email_key: to, cc = null, bcc = null }: ReleaseWish) => [to, ...copiedOn({ cc, bcc }).map(emailKey)];

type Found = [[{ [K in keyof LockedRows]: LockedRows[K] | null }], { workspace_id: string; mode: string; email_key: string }[]];

/**
 * Lock every row that could forbid one of these releases (`copied`: the contacts on copies among them), and answer what they say now, and the ids of
 * the sends of which a recipient is suppressed.
 * That is asked by a statement of its own, which begins when the locks are had: a suppression that was committed while we waited for them must
 * be seen.
 */
export async function lockFor(
  world: World,
  wishes: readonly ReleaseWish[],
  copied: readonly Keyed[],
): Promise<LockedRows & { suppressed: Set<string> }> {
  const column = <K extends keyof ReleaseWish>(name: K) => wishes.map((wish) => wish[name]);
  const names = ['workspace_id', 'id', 'inbox_id', 'campaign_id', 'contact_id', 'enrollment_id'] as const;
  const addressed = wishes.flatMap((wish) => recipientsOf(wish).map((key) => ({ workspace_id: wish.workspace_id, mode: wish.mode, email_key: key })));
  const [[locked], barred] = await rowsOfEach<Found>(world.db, [
    { text: LOCK, parameters: [...names.map(column), copied.map((one) => one.workspace_id), copied.map((one) => one.id)] },
    suppressedStatement(addressed),
  ]);
  const keys = new Set(barred.map((row) => `${row.workspace_id} ${row.mode} ${row.email_key}`));
  const isBarred = (wish: ReleaseWish) => recipientsOf(wish).some((key) => keys.has(`${wish.workspace_id} ${wish.mode} ${key}`));
  const { inboxes, campaigns, contacts, enrollments, sends } = locked;
  for (const inbox of inboxes ?? []) {
    // JSON knows no dates.
    for (const name of DATES) Object.assign(inbox, { [name]: new Date(inbox[name]) });
  }
  return {
    inboxes: inboxes ?? [],
    campaigns: campaigns ?? [],
    contacts: contacts ?? [],
    enrollments: enrollments ?? [],
    sends: sends ?? [],
    suppressed: new Set(wishes.filter(isBarred).map((wish) => wish.id)),
  };
}

// The row of the send stays as it is: it is locked, and what a release says of it stands in its attempt.
const COMMIT = `
  with mine as materialized (
    select * from unnest($1::text[], $2::text[], $3::int[], $16::text[], $4::timestamptz[], $5::int[])
      as t (workspace_id, id, fence, inbox_id, day, unit)
  ), units as (
    insert into budget_units (workspace_id, inbox_id, day, unit, send_id) select workspace_id, inbox_id, day, unit, id from mine
  ), days as (
    update inboxes i set day_started_at = t.day_started_at, day_resets_at = t.day_resets_at, day_count = t.day_count, next_send_at = t.next_send_at,
           last_send_at = $6, status = t.status, status_reason = t.status_reason, connect_failures = 0, login_refusals = 0
      from unnest($8::text[], $9::text[], $10::timestamptz[], $11::timestamptz[], $12::int[], $13::timestamptz[], $14::text[], $15::text[])
           as t (workspace_id, id, day_started_at, day_resets_at, day_count, next_send_at, status, status_reason)
     where i.workspace_id = t.workspace_id and i.id = t.id
  ), released as (
    update send_attempts a set dot_released_at = $6, reconcile_at = $7 from mine
     where a.workspace_id = mine.workspace_id and a.send_id = mine.id and a.attempt = mine.fence and a.dot_released_at is null and a.ended_at is null
    returning 1
  )
  select 1 / (case when count(*) = cardinality($1::text[]) then 1 else 0 end) from released`;

/** A release that is granted, and the unit of its inbox's day that it takes. */
export type Granted = { send: LockedSend; inbox: LockedInbox; budgetDay: Date; budgetUnit: number };

/**
 * Write the releases and what they took of their inboxes' days, together with the commit. The rows are locked already. An attempt that was released
 * or ended before is no more than a bug could have brought here: the statement then divides by zero, which undoes the whole batch.
 */
export function writeReleases(
  world: World,
  granted: readonly Granted[],
  spent: readonly LockedInbox[],
  { now, reconcileAt }: { now: Date; reconcileAt: Date },
): void {
  const parameters = [
    granted.map((one) => one.send.workspace_id),
    granted.map((one) => one.send.id),
    granted.map((one) => one.send.fence),
    granted.map((one) => one.budgetDay),
    granted.map((one) => one.budgetUnit),
    now,
    reconcileAt,
    spent.map((one) => one.workspace_id),
    spent.map((one) => one.id),
    spent.map((one) => one.day_started_at),
    spent.map((one) => one.day_resets_at),
    spent.map((one) => one.day_count),
    spent.map((one) => one.next_send_at),
    spent.map((one) => one.status),
    spent.map((one) => one.status_reason),
    granted.map((one) => one.inbox.id),
  ];
  beforeCommit(world.db, async () => ({ text: COMMIT, parameters }));
}
