// The one place where a dot is released. What may stop a mail (answer, unsubscribe, suppression, cancel, pause, delete, cap) writes a row that
// is locked here, or locks a row that is locked here: whichever transaction commits first wins, and no dot follows the commit of a stop.
import { inTransaction, rowsOf } from '#store/db.ts';
import { type Schedule, nextOpening } from '#resources/campaigns/index.ts';
import { type Inbox, capLeft, dayAt, gapMs } from '#resources/inboxes/index.ts';
import { suppressedAmong } from '#resources/suppressions/index.ts';
import type { Send } from '#resources/sends/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { type Denial, RECONCILE_AFTER_MS, denialOf } from './rules.ts';

export type ReleaseWish = Pick<Send, 'workspace_id' | 'id' | 'fence' | 'inbox_id' | 'campaign_id' | 'contact_id' | 'enrollment_id'>;
export type Verdict = { kind: 'granted'; nextSendAt: Date; capLeft: number } | Denial;

type Keyed = { workspace_id: string; id: string };
type Contact = Keyed & { global_status: string };
type Campaign = Keyed & { status: string; schedule: Schedule };
type Enrollment = Keyed & { status: string };
type Judged = Pick<
  Send,
  | 'workspace_id'
  | 'id'
  | 'mode'
  | 'state'
  | 'fence'
  | 'dot_released_at'
  | 'is_reply'
  | 'campaign_id'
  | 'contact_id'
  | 'enrollment_id'
  | 'due_at'
  | 'to_email_key'
>;
/** Without the bodies, which would be unpacked and carried over for nothing. */
const JUDGED = 'workspace_id, id, mode, state, fence, dot_released_at, is_reply, campaign_id, contact_id, enrollment_id, due_at, to_email_key';

// Locks are taken in the order in which everybody takes them: inbox, campaign, contact, enrollment, send; within a table by id.
const lockRows = <Row>(world: World, table: string, columns: string, strength: string, pairs: readonly Keyed[]): Promise<Row[]> =>
  pairs.length === 0
    ? Promise.resolve([])
    : rowsOf<Row>(
        world.db,
        `select ${columns} from ${table} join unnest($1::text[], $2::text[]) as wanted (w, i) on ${table}.workspace_id = w and ${table}.id = i
          order by ${table}.workspace_id, ${table}.id for ${strength} of ${table}`,
        [pairs.map((one) => one.workspace_id), pairs.map((one) => one.id)],
      );

const keyOf = (workspaceId: string, id: string | null) => `${workspaceId} ${id}`;

/** The distinct rows that the wishes name by `field`. */
function named(wishes: readonly ReleaseWish[], field: 'inbox_id' | 'campaign_id' | 'contact_id' | 'enrollment_id' | 'id'): Keyed[] {
  const pairs = new Map<string, Keyed>();
  for (const wish of wishes) {
    const id = wish[field];
    if (id !== null) pairs.set(keyOf(wish.workspace_id, id), { workspace_id: wish.workspace_id, id });
  }
  return [...pairs.values()];
}

const byKey = <Row extends Keyed>(rows: readonly Row[]) => new Map(rows.map((row) => [keyOf(row.workspace_id, row.id), row]));

/** Judge a batch of wishes under locks and commit the releases. Answers in order. */
export function releaseDots(world: World, wishes: readonly ReleaseWish[]): Promise<Verdict[]> {
  const unique = new Set(wishes.map((wish) => keyOf(wish.workspace_id, wish.id)));
  if (unique.size !== wishes.length) throw new Error('A send was put up for release twice in one batch.');
  return inTransaction(world, async (inside) => {
    const now = inside.clock.now();
    const inboxes = byKey(await lockRows<Inbox>(inside, 'inboxes', 'inboxes.*', 'no key update', named(wishes, 'inbox_id')));
    const campaigns = byKey(
      await lockRows<Campaign>(inside, 'campaigns', 'workspace_id, id, status, schedule', 'share', named(wishes, 'campaign_id')),
    );
    const contacts = byKey(await lockRows<Contact>(inside, 'contacts', 'workspace_id, id, global_status', 'share', named(wishes, 'contact_id')));
    const enrollments = byKey(await lockRows<Enrollment>(inside, 'enrollments', 'workspace_id, id, status', 'share', named(wishes, 'enrollment_id')));
    const sends = byKey(await lockRows<Judged>(inside, 'sends', JUDGED, 'no key update', named(wishes, 'id')));
    // In a statement of its own, after the locks: a suppression that was committed while we waited for them must be seen.
    const suppressed = await suppressedOf(inside, [...sends.values()]);
    const granted: Granted[] = [];
    const verdicts = wishes.map((wish): Verdict => {
      const send = sends.get(keyOf(wish.workspace_id, wish.id));
      const inbox = inboxes.get(keyOf(wish.workspace_id, wish.inbox_id));
      if (!send || !inbox) return { kind: 'lost' };
      const denial = denialOf(
        {
          send,
          fence: wish.fence,
          inbox,
          campaign: campaigns.get(keyOf(wish.workspace_id, wish.campaign_id)),
          contact: contacts.get(keyOf(wish.workspace_id, wish.contact_id)),
          enrollment: enrollments.get(keyOf(wish.workspace_id, wish.enrollment_id)),
          suppressed: suppressed.has(`${send.workspace_id} ${send.mode} ${send.to_email_key}`),
        },
        now,
        nextOpening,
      );
      if (denial) return denial;
      takeUnit(inbox, send, now, granted);
      return { kind: 'granted', nextSendAt: inbox.next_send_at, capLeft: capLeft(inbox, now) };
    });
    await commitGranted(inside, granted, [...inboxes.values()], now);
    return verdicts;
  });
}

/** The suppressed among the recipients, as `workspace mode address`. */
async function suppressedOf(world: World, sends: readonly Judged[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const [tenant, those] of Map.groupBy(sends, (send) => `${send.workspace_id} ${send.mode}`)) {
    const ctx = actingFor(world, those[0]!.workspace_id, those[0]!.mode);
    for (const key of await suppressedAmong(ctx, those.map((send) => send.to_email_key))) found.add(`${tenant} ${key}`); // prettier-ignore
  }
  return found;
}

type Granted = { send: Judged; budgetDay: Date; budgetUnit: number };

/** Spend one unit of the inbox's day, in memory, so that the next wish of the batch sees it. */
function takeUnit(inbox: Inbox, send: Judged, now: Date, granted: Granted[]): void {
  Object.assign(inbox, dayAt(inbox, now));
  inbox.day_count++;
  inbox.next_send_at = new Date(now.getTime() + gapMs(inbox, inbox.day_started_at, inbox.day_count));
  inbox.last_send_at = now;
  inbox.connect_failures = 0;
  inbox.login_refusals = 0;
  inbox.status_reason = null;
  if (capLeft(inbox, now) <= 0 && inbox.status === 'active')
    Object.assign(inbox, { status: 'over_quota_today', status_reason: 'The daily cap is used up.' });
  granted.push({ send, budgetDay: inbox.day_started_at, budgetUnit: inbox.day_count });
}

async function commitGranted(world: World, granted: readonly Granted[], inboxes: readonly Inbox[], now: Date): Promise<void> {
  if (granted.length === 0) return;
  const used = inboxes.filter((inbox) => inbox.last_send_at?.getTime() === now.getTime());
  await rowsOf(
    world.db,
    `with mine as (
       select * from unnest($1::text[], $2::text[], $3::int[], $4::timestamptz[], $5::int[]) as t (workspace_id, id, fence, budget_day, budget_unit)
     ), attempts as (
       update send_attempts a set dot_released_at = $6 from mine
        where a.workspace_id = mine.workspace_id and a.send_id = mine.id and a.attempt = mine.fence
     )
     update sends set dot_released_at = $6, reconcile_at = $7, budget_day = mine.budget_day, budget_unit = mine.budget_unit
       from mine where sends.workspace_id = mine.workspace_id and sends.id = mine.id`,
    [
      granted.map((one) => one.send.workspace_id),
      granted.map((one) => one.send.id),
      granted.map((one) => one.send.fence),
      granted.map((one) => one.budgetDay),
      granted.map((one) => one.budgetUnit),
      now,
      new Date(now.getTime() + RECONCILE_AFTER_MS),
    ],
  );
  await rowsOf(
    world.db,
    `update inboxes i set day_started_at = t.day_started_at, day_resets_at = t.day_resets_at, day_count = t.day_count,
            next_send_at = t.next_send_at, last_send_at = $8, status = t.status, status_reason = t.status_reason, connect_failures = 0, login_refusals = 0
       from unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::int[], $6::timestamptz[], $7::text[], $9::text[])
            as t (workspace_id, id, day_started_at, day_resets_at, day_count, next_send_at, status, status_reason)
      where i.workspace_id = t.workspace_id and i.id = t.id`,
    [
      used.map((one) => one.workspace_id),
      used.map((one) => one.id),
      used.map((one) => one.day_started_at),
      used.map((one) => one.day_resets_at),
      used.map((one) => one.day_count),
      used.map((one) => one.next_send_at),
      used.map((one) => one.status),
      now,
      used.map((one) => one.status_reason),
    ],
  );
}
