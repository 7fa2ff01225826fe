// Every guard that `npm run mutants` takes away.
import { API } from './api.ts';
import { INBOUND_GUARDS } from './inbound.ts';
import { LINKS } from './links.ts';
import { MAIL } from './mail.ts';
import type { Mutant } from './mutant.ts';
import { PLANNING } from './planning.ts';
import { RELEASE_GUARDS } from './release.ts';
import { SENDING } from './sending.ts';
import { STORE } from './store.ts';
import { WEBHOOKS } from './webhooks.ts';

export const MUTANTS: readonly Mutant[] = [
  ...RELEASE_GUARDS, ...SENDING, ...PLANNING, ...INBOUND_GUARDS, ...MAIL, ...WEBHOOKS, ...LINKS, ...API, ...STORE,
]; // prettier-ignore
