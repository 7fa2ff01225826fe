// One-time addresses under which a person allows us to use their mailbox: made by callers, opened by people.
import { Refusal } from '#platform/refusal.ts';
import type { Ctx } from '#world/ctx.ts';
import { type OAuthProvider, isConfigured } from './providers.ts';
import { appOrigin, redirectUrl } from './rules.ts';
import * as store from './store.ts';

const LIFETIME_MS = 3_600_000;

/** Make a link for one person to connect one mailbox. It lives for an hour, and only a hash of it is kept. Live mode only. */
export async function createConnectLink(
  ctx: Ctx,
  provider: OAuthProvider,
  wanted: { redirect_url?: string | undefined },
): Promise<{ path: string; expiresAt: Date }> {
  if (ctx.mode !== 'live') throw new Refusal('mode_mismatch', 'A test key connects no real mailbox: use POST /v1/inboxes/sandbox.');
  if (!isConfigured(ctx.config, provider)) throw new Refusal('resource_missing', 'This provider is not configured here.', { param: 'provider' });
  const token = ctx.random.bytes(32).toString('base64url');
  const hash = store.hashOf(token);
  const expiresAt = new Date(ctx.now.getTime() + LIFETIME_MS);
  await store.insert(ctx, {
    token_hash: hash,
    provider,
    redirect_url: redirectUrl(wanted.redirect_url, appOrigin(ctx.config)),
    verifier_sealed: ctx.box.seal(ctx.random.bytes(32).toString('base64url'), [ctx.workspaceId, hash, 'pkce_verifier']),
    created_at: ctx.now,
    expires_at: expiresAt,
  });
  return { path: `/connect/${ctx.workspaceId}/${token}`, expiresAt };
}
