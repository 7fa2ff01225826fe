import type { Page } from '#web/page.ts';
import { created, route } from '#web/route.ts';
import { NAMES, OAUTH_PROVIDERS } from './providers.ts';
import { createConnectLink } from './create-connect-link.ts';
import { showLink } from './show-link.ts';
import { ConnectLink, ConnectLinkBody } from './wire.ts';

// One route for each provider, so that the description names them.
export const routes = OAUTH_PROVIDERS.map((provider) =>
  route(
    `POST /v1/inboxes/${provider}/connect_link`,
    {
      summary:
        `Make a one-time link by which a person connects a mailbox of ${NAMES[provider]} in their browser. It lives for an hour. ` +
        '404 where the operator has not configured the provider.',
      operationId: `create${provider.charAt(0).toUpperCase()}${provider.slice(1)}ConnectLink`,
      scope: 'write',
      body: ConnectLinkBody,
      reply: { 201: ConnectLink },
      refusals: ['mode_mismatch', 'resource_missing'],
      secret: true,
    },
    async (ctx, { body }) => {
      const { path, expiresAt } = await createConnectLink(ctx, provider, body);
      const base = ctx.config.BASE_URL ?? `http://${ctx.config.HOST}:${ctx.config.PORT}`;
      return created({ object: 'connect_link' as const, url: new URL(path, base).href, expires_at: expiresAt.toISOString() });
    },
  ),
);

export const pages: Page[] = [
  { path: '/connect/{workspace}/{token}', show: (world, { workspace = '', token = '' }) => showLink(world, workspace, token) },
];
