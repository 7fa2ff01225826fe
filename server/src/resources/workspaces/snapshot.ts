import type { Ctx } from '#world/ctx.ts';
import { monthOf } from './month.ts';
import { shownLimits } from './plans.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

/** The workspace as callers see it now, counted afresh. */
export async function snapshot(ctx: Ctx) {
  const row = await store.own(ctx);
  const usage = {
    contacts: await store.liveContacts(ctx),
    sends_this_month: await store.liveSends(ctx, monthOf(ctx.now)),
    webhooks: await store.liveWebhooks(ctx),
    inboxes: await store.liveInboxes(ctx),
  };
  return present(row, shownLimits(ctx.config, row), usage);
}
