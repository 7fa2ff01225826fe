import { forTenant } from '#store/tenant.ts';
import { ok, route } from '#web/route.ts';
import { snapshot } from './snapshot.ts';
import { Workspace } from './wire.ts';

export const routes = [
  route('GET /v1/workspace', { summary: 'Retrieve the workspace, its limits and usage.', scope: 'read', reply: { 200: Workspace } }, async (own) =>
    // Usage is about live activity, whichever mode asks.
    ok(await snapshot({ ...own, db: forTenant(own.db, own.workspaceId, 'live') })),
  ),
];
