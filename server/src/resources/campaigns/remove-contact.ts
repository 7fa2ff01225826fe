import { type Contact, deleteContact, lockContacts } from '#resources/contacts/index.ts';
import { enrollmentsOfContact, wakePlanner } from '#resources/enrollments/index.ts';
import { takeBackSends } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';

/** Delete a contact for good, with its enrollments; what its campaigns had planned for it is canceled. */
export async function removeContact(ctx: Ctx, id: string): Promise<Contact> {
  // Campaigns are locked before contacts. They may be complete without this one.
  await wakePlanner(ctx, (await enrollmentsOfContact(ctx, id)).map((one) => one.campaign_id), ctx.now); // prettier-ignore
  // Nobody enrolls it from here on.
  await lockContacts(ctx, [id]);
  const enrollments = await enrollmentsOfContact(ctx, id);
  const row = await deleteContact(ctx, id);
  await takeBackSends(ctx, enrollments.map((one) => one.id)); // prettier-ignore
  return row;
}
