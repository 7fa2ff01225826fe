// What the end of an inbox means for everybody who used it: its sends, and the contacts that it wrote to.
import { campaignsUsing, handBack, wakePlanner } from '#resources/enrollments/index.ts';
import { type Inbox, revokeInbox } from '#resources/inboxes/index.ts';
import { cancelWaitingOf } from '#resources/sends/index.ts';
import type { Ctx } from '#world/ctx.ts';

/**
 * Disconnect an inbox: erase its credentials, cancel what waits to leave by it, and let its contacts go on by another inbox of their campaigns.
 * What was sent and received stays. A release locks the inbox too: whichever commits first, no dot follows the commit of this.
 */
export async function disconnectInbox(ctx: Ctx, id: string): Promise<Inbox> {
  // Inbox, campaigns, enrollments, sends: the order in which everybody locks.
  const { row, isNews } = await revokeInbox(ctx, id);
  if (!isNews) return row;
  await wakePlanner(ctx, await campaignsUsing(ctx, id), ctx.now);
  await handBack(ctx, id);
  await cancelWaitingOf(ctx, id);
  return row;
}
