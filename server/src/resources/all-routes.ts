// Every route of the service; a new resource adds its line.
import { routes as apiKeys } from './api-keys/routes.ts';
import { routes as audiences } from './audiences/routes.ts';
import { routes as campaigns } from './campaigns/routes.ts';
import { pages as connectLinkPages, routes as connectLinks } from './connect-links/routes.ts';
import { routes as contactImports } from './contact-imports/routes.ts';
import { routes as contacts } from './contacts/routes.ts';
import { routes as disconnections } from './disconnections/routes.ts';
import { routes as events } from './events/routes.ts';
import { publicRoutes as hitLinks } from './hits/routes.ts';
import { routes as inboxes } from './inboxes/routes.ts';
import { routes as messages } from './messages/routes.ts';
import { routes as sends } from './sends/routes.ts';
import { routes as sequences } from './sequences/routes.ts';
import { routes as suppressions } from './suppressions/routes.ts';
import { routes as testClock } from './test-clock/routes.ts';
import { routes as threads } from './threads/routes.ts';
import { publicRoutes as unsubscribeLinks } from './unsubscribes/routes.ts';
import { routes as warmup } from './warmup/routes.ts';
import { routes as webhooks } from './webhooks/routes.ts';
import { routes as workspaces } from './workspaces/routes.ts';
import type { Page } from '#web/page.ts';
import type { PublicRoute } from '#web/public.ts';
import type { Route } from '#web/route.ts';

export const allRoutes: readonly Route[] = [
  ...workspaces,
  ...apiKeys,
  ...contacts,
  ...contactImports,
  ...audiences,
  ...suppressions,
  ...sequences,
  ...inboxes,
  ...disconnections,
  ...connectLinks,
  ...warmup,
  ...campaigns,
  ...sends,
  ...messages,
  ...threads,
  ...events,
  ...webhooks,
  ...testClock,
];

/** Every page for people. */
export const allPages: readonly Page[] = [...connectLinkPages];

/** Every link that stands in mails. */
export const allLinks: readonly PublicRoute[] = [...unsubscribeLinks, ...hitLinks];
