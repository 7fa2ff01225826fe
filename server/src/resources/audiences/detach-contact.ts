import { found } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import * as store from './store.ts';

/** Take a contact out of an audience; one that is no member is resource_missing. */
export async function detachContact(ctx: Ctx, audienceId: string, contactId: string): Promise<void> {
  found(await store.lockKey(ctx, audienceId), 'audience');
  found(await store.removeMember(ctx, audienceId, contactId), 'member of this audience');
}
