// Every route of the service; a new resource adds its line.
import { routes as apiKeys } from './api-keys/routes.ts';
import { routes as audiences } from './audiences/routes.ts';
import { routes as campaigns } from './campaigns/routes.ts';
import { routes as contactImports } from './contact-imports/routes.ts';
import { routes as contacts } from './contacts/routes.ts';
import { routes as events } from './events/routes.ts';
import { routes as inboxes } from './inboxes/routes.ts';
import { routes as messages } from './messages/routes.ts';
import { routes as sends } from './sends/routes.ts';
import { routes as sequences } from './sequences/routes.ts';
import { routes as suppressions } from './suppressions/routes.ts';
import { routes as workspaces } from './workspaces/routes.ts';
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
  ...campaigns,
  ...sends,
  ...messages,
  ...events,
];
