// The one place where a dot is released. What may stop a mail (answer, unsubscribe, suppression, cancel, pause, delete, cap) writes a row that
// is locked here, or locks a row that is locked here: whichever transaction commits first wins, and no dot follows the commit of a stop.
import { inTransaction } from '#store/db.ts';
import { nextOpening } from '#resources/campaigns/index.ts';
import { type Inbox, capLeft, dayAt, gapMs } from '#resources/inboxes/index.ts';
import { suppressedAmong } from '#resources/suppressions/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { type Granted, type LockedRows, type LockedSend, type ReleaseWish, lockFor, writeReleases } from './release-sql.ts';
import { type Denial, RECONCILE_AFTER_MS, denialOf } from './rules.ts';

export type { ReleaseWish } from './release-sql.ts';
export type Verdict = { kind: 'granted'; nextSendAt: Date; capLeft: number } | Denial;

const keyOf = (workspaceId: string, id: string | null) => `${workspaceId} ${id}`;
const byKey = <Row extends { workspace_id: string; id: string }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [keyOf(row.workspace_id, row.id), row]));

/** Judge a batch of wishes under locks and commit the releases. Answers in order. */
export function releaseDots(world: World, wishes: readonly ReleaseWish[]): Promise<Verdict[]> {
  const unique = new Set(wishes.map((wish) => keyOf(wish.workspace_id, wish.id)));
  if (unique.size !== wishes.length) throw new Error('A send was put up for release twice in one batch.');
  return inTransaction(world, async (inside) => {
    const now = inside.clock.now();
    const rows = await lockFor(inside, wishes);
    // In a statement of its own, after the locks: a suppression that was committed while we waited for them must be seen.
    const suppressed = await suppressedOf(inside, rows.sends);
    const granted: Granted[] = [];
    const verdicts = judge(wishes, { rows, suppressed, now, granted });
    if (granted.length) {
      const spent = new Set(granted.map((one) => one.inbox));
      await writeReleases(inside, granted, [...spent], { now, reconcileAt: new Date(now.getTime() + RECONCILE_AFTER_MS) });
    }
    return verdicts;
  });
}

type Bench = { rows: LockedRows; suppressed: ReadonlySet<string>; now: Date; granted: Granted[] };

/** The gates for each wish, in order; each grant spends its unit at once, so that the next wish sees it. */
function judge(wishes: readonly ReleaseWish[], { rows, suppressed, now, granted }: Bench): Verdict[] {
  const inboxes = byKey(rows.inboxes);
  const campaigns = byKey(rows.campaigns);
  const contacts = byKey(rows.contacts);
  const enrollments = byKey(rows.enrollments);
  const sends = byKey(rows.sends);
  return wishes.map((wish): Verdict => {
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
    takeUnit(inbox, now);
    granted.push({ send, inbox, budgetDay: inbox.day_started_at, budgetUnit: inbox.day_count });
    return { kind: 'granted', nextSendAt: inbox.next_send_at, capLeft: capLeft(inbox, now) };
  });
}

/** The suppressed among the recipients, as `workspace mode address`. */
async function suppressedOf(world: World, sends: readonly LockedSend[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const [tenant, those] of Map.groupBy(sends, (send) => `${send.workspace_id} ${send.mode}`)) {
    const ctx = actingFor(world, those[0]!.workspace_id, those[0]!.mode);
    for (const key of await suppressedAmong(ctx, those.map((send) => send.to_email_key))) found.add(`${tenant} ${key}`); // prettier-ignore
  }
  return found;
}

/** Spend one unit of the inbox's day. */
function takeUnit(inbox: Inbox, now: Date): void {
  Object.assign(inbox, dayAt(inbox, now));
  inbox.day_count++;
  inbox.next_send_at = new Date(now.getTime() + gapMs(inbox, inbox.day_started_at, inbox.day_count));
  inbox.status_reason = null;
  if (capLeft(inbox, now) <= 0) Object.assign(inbox, { status: 'over_quota_today', status_reason: 'The daily cap is used up.' });
}
