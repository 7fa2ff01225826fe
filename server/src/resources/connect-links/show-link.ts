import { isId } from '#platform/ids.ts';
import type { World } from '#world/ctx.ts';
import { NAMES, type OAuthProvider, isConfigured } from './providers.ts';
import * as store from './store.ts';

const GONE = {
  status: 404,
  title: 'This link does not work',
  text: 'It has expired, or it was not copied whole. Ask whoever sent it to you for a new one.',
};

/** What whoever opens a link reads. A link that is unknown, expired, or whose provider is no longer configured looks the same. */
export async function showLink(world: World, workspaceId: string, token: string): Promise<{ status: number; title: string; text: string }> {
  if (!isId(workspaceId, 'wsp') || !/^[\w-]{43}$/.test(token)) return GONE;
  const link = await store.byToken(world, workspaceId, token);
  if (!link || link.expires_at <= world.clock.now() || !isConfigured(world.config, link.provider as OAuthProvider)) return GONE;
  // The consent itself is a step that this version does not have.
  const text =
    `The link is valid, but this version of Postrider cannot ask ${NAMES[link.provider as OAuthProvider]} for consent. ` +
    'Nothing has been changed, and nothing was passed on. The mailbox can be connected by its SMTP and IMAP servers instead.';
  return { status: 501, title: 'Consent is not available yet', text };
}
