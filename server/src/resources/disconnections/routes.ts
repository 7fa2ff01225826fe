import { InboxForm, presentInbox } from '#resources/inboxes/index.ts';
import { ok, route } from '#web/route.ts';
import { idParams } from '#web/wire.ts';
import { disconnectInbox } from './disconnect.ts';

export const routes = [
  route(
    'DELETE /v1/inboxes/{id}',
    {
      summary:
        'Disconnect an inbox. Its credentials are erased, its scheduled sends canceled; its history stays. Contacts of running campaigns go on by ' +
        "the campaign's other inboxes. Connecting the address by SMTP again brings it back.",
      scope: 'admin',
      confirm: true,
      params: idParams({ id: 'inb' }),
      reply: { 200: InboxForm },
    },
    async (ctx, { params: { id } }) => ok(presentInbox(await disconnectInbox(ctx, id), ctx.now)),
  ),
];
