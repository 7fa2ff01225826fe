import { Refusal } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { limitsOf } from './plans.ts';
import * as store from './store.ts';
import { noteUsage } from './thresholds.ts';

const COUNT = { contacts: store.liveContacts, inboxes: store.liveInboxes, webhooks: store.liveWebhooks };
export type Counted = keyof typeof COUNT;

/** What a plan has left of a kind of thing: `left` is Infinity where nothing limits (test mode is free). */
export type Room = { left: number; used: number; limit: number | null };
const ENDLESS: Room = { left: Infinity, used: 0, limit: null };

/**
 * How many more of a kind the plan allows. Where there is a limit the workspace stays locked until the commit, so the answer holds for the
 * caller's own additions.
 */
export async function roomFor(ctx: Ctx, kind: Counted): Promise<Room> {
  if (ctx.mode === 'test' || limitsOf(ctx.config, await store.own(ctx))[kind] === null) return ENDLESS;
  const limit = limitsOf(ctx.config, await store.lockOwn(ctx))[kind];
  if (limit === null) return ENDLESS;
  const used = await COUNT[kind](ctx);
  return { left: Math.max(0, limit - used), used, limit };
}

/** Tell that `added` of a kind came into this room, where that reaches a share of the quota that is told of. */
export async function noteAdded(ctx: Ctx, kind: 'contacts' | 'webhooks', { used, limit }: Room, added: number): Promise<void> {
  if (limit !== null) await noteUsage(ctx, { quota: kind, period: '', before: used, after: used + added, limit });
}

/** The refusal for what the plan has no room for. */
export const noRoom = (kind: Counted) => new Refusal('plan_limit_reached', `The plan allows no more ${kind}.`);

/** Refuse with plan_limit_reached when the plan has no room for `adding` more inboxes. Ask before adding. */
export async function assertRoom(ctx: Ctx, kind: 'inboxes', adding: number): Promise<void> {
  if (adding > 0 && (await roomFor(ctx, kind)).left < adding) throw noRoom(kind);
}

/**
 * Refuse with plan_limit_reached when the plan has no room for one more webhook endpoint; tells usage.threshold_reached when this one reaches
 * a share of the quota. Ask before adding, in the adding's own transaction.
 */
export async function takeWebhookRoom(ctx: Ctx): Promise<void> {
  const room = await roomFor(ctx, 'webhooks');
  if (room.left < 1) throw noRoom('webhooks');
  await noteAdded(ctx, 'webhooks', room, 1);
}
