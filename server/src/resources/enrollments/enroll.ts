import { newId } from '#platform/ids.ts';
import { type Contact, lockContacts, lockShare, verificationOf } from '#resources/contacts/index.ts';
import { suppressedAmong } from '#resources/suppressions/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

export type SkipReasons = {
  unsubscribed: number;
  bounced: number;
  suppressed: number;
  verification: number;
  replied: number;
  in_other_campaign: number;
};
export type Enrolled = {
  attached: number;
  skipped: number;
  restored: number;
  already_enrolled: number;
  not_found: number;
  skipped_reasons: SkipReasons;
};

const CHUNK = 2_000;

/** When those who come get the first step; `notElsewhere` skips who is active in a campaign other than this one and `source`. */
export type How = { dueAt: Date; notElsewhere: boolean; source?: string | undefined };
/** Counts, and who is enrolled by now: those who came, came back or were there. */
export type Enrolling = { counts: Enrolled; inside: string[] };

/**
 * Enroll contacts in a campaign at step 0, due at `dueAt`; whoever was removed without having replied goes on where it stopped. Counts add
 * up: attached (restored among them) + skipped + not_found = ids given, where skipped = already_enrolled + every skip reason.
 */
export async function enroll(ctx: Ctx, campaignId: string, contactIds: readonly string[], how: How): Promise<Enrolling> {
  const reasons: SkipReasons = { unsubscribed: 0, bounced: 0, suppressed: 0, verification: 0, replied: 0, in_other_campaign: 0 };
  const counts: Enrolled = { attached: 0, skipped: 0, restored: 0, already_enrolled: 0, not_found: 0, skipped_reasons: reasons };
  const inside: string[] = [];
  const ids = [...new Set(contactIds)];
  counts.already_enrolled += contactIds.length - ids.length;
  for (let i = 0; i < ids.length; i += CHUNK) await enrollChunk(ctx, { campaignId, ids: ids.slice(i, i + CHUNK), ...how }, { counts, inside });
  counts.skipped = counts.already_enrolled + Object.values(reasons).reduce((sum, one) => sum + one, 0);
  return { counts, inside };
}

type Chunk = How & { campaignId: string; ids: readonly string[] };

async function enrollChunk(ctx: Ctx, { campaignId, ids, dueAt, notElsewhere, source }: Chunk, { counts, inside }: Enrolling): Promise<void> {
  // Nobody is deleted or unsubscribed between this and the commit. Two callers who both want nobody twice exclude each other.
  const contacts = await (notElsewhere ? lockContacts(ctx, ids) : lockShare(ctx, ids));
  counts.not_found += ids.length - contacts.length;
  const suppressed = await suppressedAmong(ctx, contacts.map((one) => one.email_key)); // prettier-ignore
  const elsewhere = notElsewhere ? await store.activeElsewhere(ctx, source ? [campaignId, source] : [campaignId], ids) : new Set<string>();
  const known = new Map((await store.lockedOfContacts(ctx, campaignId, ids)).map((row) => [row.contact_id, row]));
  const fresh: Contact[] = [];
  const removed: store.Row[] = [];
  for (const contact of contacts) {
    const before = known.get(contact.id);
    const reason = skipReason(contact, suppressed, elsewhere, before);
    if (reason) counts.skipped_reasons[reason]++;
    else if (!before) fresh.push(contact);
    else if (before.status === 'removed') removed.push(before);
    else counts.already_enrolled++;
    if (!reason) inside.push(contact.id);
  }
  if (removed.length) await store.restore(ctx, removed.map((row) => row.id)); // prettier-ignore
  // In the order in which they were named, which is that of their ids: so they are planned.
  const place = new Map(ids.map((id, i) => [id, i]));
  fresh.sort((a, b) => place.get(a.id)! - place.get(b.id)!);
  const made = fresh.map(() => newId(ctx, 'enr', ctx.now)).sort();
  const rows = fresh.map((contact, i) => ({ id: made[i]!, contactId: contact.id, contactEmail: contact.email }));
  const inserted = rows.length ? await store.insertAll(ctx, campaignId, rows, dueAt) : [];
  counts.already_enrolled += rows.length - inserted.length;
  counts.restored += removed.length;
  counts.attached += inserted.length + removed.length;
}

/** What a verifier says of addresses that should get no cold mail. */
const UNFIT: ReadonlySet<string | null> = new Set(['invalid', 'risky']);

function skipReason(
  contact: Contact,
  suppressed: ReadonlySet<string>,
  elsewhere: ReadonlySet<string>,
  before: store.Row | undefined,
): keyof SkipReasons | null {
  if (before && before.status !== 'removed') return before.status === 'replied' ? 'replied' : null;
  if (contact.global_status === 'unsubscribed') return 'unsubscribed';
  if (contact.global_status === 'bounced') return 'bounced';
  if (contact.global_status === 'blacklisted' || suppressed.has(contact.email_key)) return 'suppressed';
  if (UNFIT.has(verificationOf(contact))) return 'verification';
  return elsewhere.has(contact.id) ? 'in_other_campaign' : null;
}
