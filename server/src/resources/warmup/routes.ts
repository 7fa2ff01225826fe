import { ok, route } from '#web/route.ts';
import { idParams } from '#web/wire.ts';
import { statisticsOf } from './statistics.ts';
import { InboxWarmup, presentWarmup } from './wire.ts';

export const routes = [
  route(
    'GET /v1/inboxes/{id}/warmup',
    {
      summary: 'Show the warm-up of an inbox: where its ramp stands, and day by day where its mails landed.',
      scope: 'read',
      params: idParams({ id: 'inb' }),
      reply: { 200: InboxWarmup },
    },
    async (ctx, { params: { id } }) => ok(presentWarmup(await statisticsOf(ctx, id))),
  ),
];
