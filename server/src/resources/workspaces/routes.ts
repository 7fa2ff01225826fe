import { ok, route } from '#web/route.ts';
import * as store from './store.ts';
import { monthOf } from './usage.ts';
import { Workspace, present } from './wire.ts';

export const routes = [
  route('GET /v1/workspace', { summary: 'Retrieve the workspace, its limits and usage.', scope: 'read', reply: { 200: Workspace } }, async (ctx) => {
    const usage = {
      contacts: await store.liveContacts(ctx),
      sends_this_month: await store.liveSends(ctx, monthOf(ctx.now)),
      webhooks: 0,
      inboxes: await store.liveInboxes(ctx),
    };
    return ok(present(await store.own(ctx), usage));
  }),
];
