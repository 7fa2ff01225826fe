// The one place where a dot is released. What may stop a mail (answer, unsubscribe, suppression, cancel, pause, delete, cap) writes a row that
// is locked here, or locks a row that is locked here: whichever transaction commits first wins, and no dot follows the commit of a stop.
import { emailKey } from '#platform/email-address.ts';
import { inTransaction, planOnce } from '#store/db.ts';
import { nextOpening } from '#resources/campaigns/index.ts';
import { contactsByEmail } from '#resources/contacts/index.ts';
import { capLeft, takeUnit } from '#resources/inboxes/index.ts';
import { copiedOn } from '#resources/sends/index.ts';
import { type World, actingFor } from '#world/ctx.ts';
import { type Granted, type LockedRows, type ReleaseWish, lockFor, writeReleases } from './release-sql.ts';
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
    await planOnce(inside.db, wishes.length);
    const now = inside.clock.now();
    const copied = await copiedContacts(inside, wishes);
    const { suppressed, ...rows } = await lockFor(inside, wishes, [...copied.values()].flat());
    const statuses = byKey(rows.contacts);
    for (const [id, those] of copied) {
      if (those.some((one) => (statuses.get(keyOf(one.workspace_id, one.id))?.global_status ?? 'ok') !== 'ok')) suppressed.add(id);
    }
    const granted: Granted[] = [];
    const verdicts = judge(wishes, { rows, suppressed, now, granted });
    if (granted.length) {
      const spent = new Set(granted.map((one) => one.inbox));
      writeReleases(inside, granted, [...spent], { now, reconcileAt: new Date(now.getTime() + RECONCILE_AFTER_MS) });
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
        send: { ...wish, ...send },
        fence: wish.fence,
        inbox,
        campaign: campaigns.get(keyOf(wish.workspace_id, wish.campaign_id)),
        contact: contacts.get(keyOf(wish.workspace_id, wish.contact_id)),
        enrollment: enrollments.get(keyOf(wish.workspace_id, wish.enrollment_id)),
        suppressed: suppressed.has(send.id),
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

/** The contacts of those who are on a copy, by send: they may not be written to either. Most sends have no copies, and ask for nothing. */
async function copiedContacts(world: World, wishes: readonly ReleaseWish[]): Promise<Map<string, { workspace_id: string; id: string }[]>> {
  const found = new Map<string, { workspace_id: string; id: string }[]>();
  for (const { id, workspace_id: workspaceId, mode, cc = null, bcc = null } of wishes) {
    const keys = copiedOn({ cc, bcc }).map(emailKey);
    if (keys.length) found.set(id, [...(await contactsByEmail(actingFor(world, workspaceId, mode), keys)).values()]);
  }
  return found;
}
