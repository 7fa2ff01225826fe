import { newId } from '#platform/ids.ts';
import { type Contact, contactsByIds } from '#resources/contacts/index.ts';
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

/**
 * Enroll contacts in a campaign at step 0, due at `dueAt`; whoever was removed without having replied goes on where it stopped. Counts add
 * up: attached (restored among them) + skipped + not_found = ids given, where skipped = already_enrolled + every skip reason.
 */
export async function enroll(
  ctx: Ctx,
  campaignId: string,
  contactIds: readonly string[],
  { dueAt, skipIfInOtherCampaign }: { dueAt: Date; skipIfInOtherCampaign: boolean },
): Promise<Enrolled> {
  const reasons: SkipReasons = { unsubscribed: 0, bounced: 0, suppressed: 0, verification: 0, replied: 0, in_other_campaign: 0 };
  const total: Enrolled = { attached: 0, skipped: 0, restored: 0, already_enrolled: 0, not_found: 0, skipped_reasons: reasons };
  const ids = [...new Set(contactIds)];
  total.already_enrolled += contactIds.length - ids.length;
  for (let i = 0; i < ids.length; i += CHUNK) await enrollChunk(ctx, campaignId, ids.slice(i, i + CHUNK), { dueAt, skipIfInOtherCampaign, total });
  total.skipped = total.already_enrolled + Object.values(reasons).reduce((sum, one) => sum + one, 0);
  return total;
}

type Chunk = { dueAt: Date; skipIfInOtherCampaign: boolean; total: Enrolled };

async function enrollChunk(ctx: Ctx, campaignId: string, ids: readonly string[], { dueAt, skipIfInOtherCampaign, total }: Chunk): Promise<void> {
  const contacts = await contactsByIds(ctx, ids);
  total.not_found += ids.length - contacts.length;
  const suppressed = await suppressedAmong(ctx, contacts.map((one) => one.email_key)); // prettier-ignore
  const elsewhere = skipIfInOtherCampaign ? await store.activeElsewhere(ctx, campaignId, ids) : new Set<string>();
  const known = new Map((await store.lockedOfContacts(ctx, campaignId, ids)).map((row) => [row.contact_id, row]));
  const fresh: Contact[] = [];
  const removed: string[] = [];
  for (const contact of contacts) {
    const before = known.get(contact.id);
    const reason = skipReason(contact, suppressed, elsewhere, before);
    if (reason) total.skipped_reasons[reason]++;
    else if (!before) fresh.push(contact);
    else if (before.status === 'removed') removed.push(before.id);
    else total.already_enrolled++;
  }
  if (removed.length) await store.restore(ctx, removed);
  const rows = fresh.map((contact) => ({ id: newId(ctx, 'enr', ctx.now), contactId: contact.id, contactEmail: contact.email }));
  const inserted = rows.length ? await store.insertAll(ctx, campaignId, rows, dueAt) : [];
  total.already_enrolled += rows.length - inserted.length;
  total.restored += removed.length;
  total.attached += inserted.length + removed.length;
}

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
  return elsewhere.has(contact.id) ? 'in_other_campaign' : null;
}
