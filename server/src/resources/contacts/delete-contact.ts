import { found } from '#platform/refusal.ts';
import { freeingRoom } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { tellDeleted } from './happenings.ts';
import * as store from './store.ts';

/** Remove a contact for good, with its memberships and enrollments. Past sends keep the address they went to. */
export async function deleteContact(ctx: Ctx, id: string): Promise<store.Row> {
  const row = found(await freeingRoom(ctx, 'contacts', () => store.remove(ctx, id)), 'contact');
  tellDeleted(ctx, row);
  return row;
}
