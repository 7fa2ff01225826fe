import { Refusal } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { limitsOf } from './plans.ts';
import * as store from './store.ts';

const COUNT = { contacts: store.liveContacts, inboxes: store.liveInboxes };
export type Counted = keyof typeof COUNT;

/**
 * How many more of a kind the plan allows; Infinity where nothing limits (test mode is free). Where there is a limit the workspace stays
 * locked until the commit, so the answer holds for the caller's own additions.
 */
export async function roomFor(ctx: Ctx, kind: Counted): Promise<number> {
  if (ctx.mode === 'test' || limitsOf((await store.own(ctx)).plan)[kind] === null) return Infinity;
  const limit = limitsOf((await store.lockOwn(ctx)).plan)[kind];
  return limit === null ? Infinity : Math.max(0, limit - (await COUNT[kind](ctx)));
}

/** The refusal for what the plan has no room for. */
export const noRoom = (kind: Counted) => new Refusal('plan_limit_reached', `The plan allows no more ${kind}.`);

/** Refuse with plan_limit_reached when the plan has no room for `adding` more of a kind. Ask before adding. */
export async function assertRoom(ctx: Ctx, kind: Counted, adding: number): Promise<void> {
  if (adding > 0 && (await roomFor(ctx, kind)) < adding) throw noRoom(kind);
}
