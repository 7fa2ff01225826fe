// The statements of a release. Few, because each waits for its turn on a busy machine while dots wait for it.
import { rowsOf } from '#store/db.ts';
import type { Schedule } from '#resources/campaigns/index.ts';
import type { Inbox } from '#resources/inboxes/index.ts';
import type { Send } from '#resources/sends/index.ts';
import type { World } from '#world/ctx.ts';

export type ReleaseWish = Pick<Send, 'workspace_id' | 'id' | 'fence' | 'inbox_id' | 'campaign_id' | 'contact_id' | 'enrollment_id'>;

type Keyed = { workspace_id: string; id: string };
export type LockedCampaign = Keyed & { status: string; schedule: Schedule };
export type LockedContact = Keyed & { global_status: string };
export type LockedEnrollment = Keyed & { status: string };
export type LockedSend = Pick<
  Send,
  | 'workspace_id'
  | 'id'
  | 'mode'
  | 'state'
  | 'fence'
  | 'is_reply'
  | 'campaign_id'
  | 'contact_id'
  | 'enrollment_id'
  | 'to_email_key'
  | 'dot_released_at'
>;
export type LockedRows = {
  inboxes: Inbox[];
  campaigns: LockedCampaign[];
  contacts: LockedContact[];
  enrollments: LockedEnrollment[];
  sends: LockedSend[];
};

// Locks are taken in the order in which everybody takes them: inbox, campaign, contact, enrollment, send; within a table by id. Each part asks
// first how many rows the part before it has, which makes the database finish that one before it begins. A row that somebody changes meanwhile
// is read anew once its lock is had.
const LOCK = `
  with want as materialized (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      as t (workspace_id, send_id, inbox_id, campaign_id, contact_id, enrollment_id)
  ), i as materialized (
    select x.* from inboxes x where (x.workspace_id, x.id) in (select workspace_id, inbox_id from want)
     order by x.workspace_id, x.id for no key update
  ), c as materialized (
    select x.workspace_id, x.id, x.status, x.schedule from campaigns x
     where (select count(*) from i) >= 0 and (x.workspace_id, x.id) in (select workspace_id, campaign_id from want)
     order by x.workspace_id, x.id for share
  ), p as materialized (
    select x.workspace_id, x.id, x.global_status from contacts x
     where (select count(*) from c) >= 0 and (x.workspace_id, x.id) in (select workspace_id, contact_id from want)
     order by x.workspace_id, x.id for share
  ), e as materialized (
    select x.workspace_id, x.id, x.status from enrollments x
     where (select count(*) from p) >= 0 and (x.workspace_id, x.id) in (select workspace_id, enrollment_id from want)
     order by x.workspace_id, x.id for share
  ), s as materialized (
    select x.workspace_id, x.id, x.mode, x.state, x.fence, x.is_reply, x.campaign_id, x.contact_id, x.enrollment_id, x.to_email_key, x.dot_released_at
      from sends x
     where (select count(*) from e) >= 0 and (x.workspace_id, x.id) in (select workspace_id, send_id from want)
     order by x.workspace_id, x.id for no key update
  )
  select (select json_agg(s) from s) as sends, (select json_agg(e) from e) as enrollments, (select json_agg(p) from p) as contacts,
         (select json_agg(c) from c) as campaigns, (select json_agg(i) from i) as inboxes`;

const DATES = ['ramp_started_at', 'day_started_at', 'day_resets_at', 'next_send_at', 'last_send_at'] as const;

/** Lock every row that could forbid one of these releases, and answer what they say now. */
export async function lockFor(world: World, wishes: readonly ReleaseWish[]): Promise<LockedRows> {
  const column = <K extends keyof ReleaseWish>(name: K) => wishes.map((wish) => wish[name]);
  const [found] = await rowsOf<{ [K in keyof LockedRows]: LockedRows[K] | null }>(world.db, LOCK, [
    column('workspace_id'),
    column('id'),
    column('inbox_id'),
    column('campaign_id'),
    column('contact_id'),
    column('enrollment_id'),
  ]);
  const { inboxes, campaigns, contacts, enrollments, sends } = found!;
  for (const inbox of inboxes ?? []) {
    // JSON knows no dates.
    for (const name of DATES) if (inbox[name] !== null) Object.assign(inbox, { [name]: new Date(inbox[name]) });
  }
  return { inboxes: inboxes ?? [], campaigns: campaigns ?? [], contacts: contacts ?? [], enrollments: enrollments ?? [], sends: sends ?? [] };
}

const COMMIT = `
  with mine as (
    select * from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[], $5::int[]) as t (workspace_id, id, fence, budget_day, budget_unit)
  ), attempts as (
    update send_attempts a set dot_released_at = $6 from mine
     where a.workspace_id = mine.workspace_id and a.send_id = mine.id and a.attempt = mine.fence
  ), days as (
    update inboxes i set day_started_at = t.day_started_at, day_resets_at = t.day_resets_at, day_count = t.day_count, next_send_at = t.next_send_at,
           last_send_at = $6, status = t.status, status_reason = t.status_reason, connect_failures = 0, login_refusals = 0
      from unnest($8::text[], $9::text[], $10::timestamptz[], $11::timestamptz[], $12::int[], $13::timestamptz[], $14::text[], $15::text[])
           as t (workspace_id, id, day_started_at, day_resets_at, day_count, next_send_at, status, status_reason)
     where i.workspace_id = t.workspace_id and i.id = t.id
  )
  update sends set dot_released_at = $6, reconcile_at = $7, budget_day = mine.budget_day, budget_unit = mine.budget_unit
    from mine where sends.workspace_id = mine.workspace_id and sends.id = mine.id`;

/** A release that is granted, and the unit of its inbox's day that it takes. */
export type Granted = { send: LockedSend; inbox: Inbox; budgetDay: Date; budgetUnit: number };

/** Write the releases and what they took of their inboxes' days. The rows are locked already. */
export async function writeReleases(
  world: World,
  granted: readonly Granted[],
  spent: readonly Inbox[],
  { now, reconcileAt }: { now: Date; reconcileAt: Date },
): Promise<void> {
  await rowsOf(world.db, COMMIT, [
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
  ]);
}
