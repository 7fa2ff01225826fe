import { linkOf, tokenIn, webAddress } from '#resources/links/index.ts';
import { type PublicRoute, type Visit, pageOf } from '#web/public.ts';
import { actingAtItsTime } from '#world/workspace-time.ts';
import { recordClick, recordOpen } from './record.ts';

/** One transparent pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const PIXEL = { status: 200, type: 'image/gif', body: GIF };

const GONE = pageOf({ status: 404, title: 'This link does not work', text: ['It was not copied whole, or it is not one of ours.'] });

const hitOf = ({ method, userAgent, address, isPrefetch, isCaller }: Visit, workspaceId: string) => ({
  method,
  userAgent,
  address,
  isPrefetch,
  isOwn: isCaller(workspaceId),
});

export const publicRoutes: PublicRoute[] = [
  {
    methods: ['GET'],
    path: '/o/{token}',
    // Every address gives the same picture.
    otherwise: PIXEL,
    async answer(world, visit) {
      const signed = tokenIn(world, 'open', visit.token.replace(/\.gif$/, ''));
      if (!signed) return null;
      await recordOpen(await actingAtItsTime(world, signed.workspaceId, signed.mode), signed.sendId, hitOf(visit, signed.workspaceId));
      return PIXEL;
    },
  },
  {
    methods: ['GET'],
    path: '/c/{token}',
    otherwise: GONE,
    async answer(world, visit) {
      const signed = tokenIn(world, 'click', visit.token);
      if (!signed) return null;
      const ctx = await actingAtItsTime(world, signed.workspaceId, signed.mode);
      const kept = await linkOf(ctx, signed.sendId, signed.place);
      // Only where the mail itself led; what is no address of the web is not gone to, however it came here.
      const target = kept === undefined ? null : webAddress(kept);
      if (target === null) return null;
      await recordClick(ctx, signed.sendId, target, hitOf(visit, signed.workspaceId));
      return { status: 302, type: 'text/plain; charset=utf-8', body: '', headers: { location: target } };
    },
  },
];
