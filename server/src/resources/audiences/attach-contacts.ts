import { isId } from '#platform/ids.ts';
import { Refusal, found } from '#platform/refusal.ts';
import { lockShare } from '#resources/contacts/index.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

export type AttachOutcome = { attached: number; skipped: number; errors: { index: number; contactId: string; refusal: Refusal }[] };

/**
 * Make contacts members of an audience. Those that are already, and repeated ids, are skipped; ids that this workspace and mode does not
 * know come back as errors by their place.
 */
export async function attachContacts(ctx: Ctx, audienceId: string, contactIds: readonly string[]): Promise<AttachOutcome> {
  found(await store.lockKey(ctx, audienceId), 'audience');
  // Shared locks: a contact that is being deleted has gone before, or goes after, with its membership.
  const known = new Set(
    (
      await lockShare(
        ctx,
        [...new Set(contactIds)].filter((id) => isId(id, 'con')),
      )
    ).map((contact) => contact.id),
  );
  const attached = known.size ? await store.insertMembers(ctx, audienceId, [...known]) : [];
  const errors = [...contactIds.entries()]
    .filter(([, contactId]) => !known.has(contactId))
    .map(([index, contactId]) => ({
      index,
      contactId,
      refusal: new Refusal('resource_missing', 'No such contact.', { param: `contact_ids[${index}]` }),
    }));
  return { attached: attached.length, skipped: contactIds.length - errors.length - attached.length, errors };
}
