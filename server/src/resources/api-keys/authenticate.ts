import { timingSafeEqual } from 'node:crypto';
import { Refusal } from '#platform/refusal.ts';
import type { World } from '#world/ctx.ts';
import type { Principal } from '#world/principal.ts';
import { type Entry, keyringOf } from './keyring.ts';
import { hashOf, isSecret } from './secret.ts';
import * as store from './store.ts';

const NOTED_EVERY_MS = 60_000;
const refused = () => new Refusal('invalid_api_key', 'This is no valid API key.');

/** Who holds this secret. Unknown, malformed, rotated and revoked secrets are all the same `invalid_api_key`. */
export async function authenticate(world: World, secret: string): Promise<Principal> {
  if (!isSecret(secret)) throw refused();
  const ring = keyringOf(world);
  const hash = hashOf(secret);
  const wall = world.clock.wall().getTime();
  let entry = ring.get(hash, wall);
  if (!entry) {
    const fresh = await look(world, hash);
    ring.keep(fresh, wall);
    entry = ring.get(hash, wall) ?? { ...fresh, goodUntil: wall };
  }
  await note(world, entry);
  return entry.principal;
}

async function look(world: World, hash: string): Promise<Omit<Entry, 'goodUntil'>> {
  const row = await store.bySecretHash(world.db, hash);
  if (!row || row.revoked_at || !timingSafeEqual(Buffer.from(row.secret_hash), Buffer.from(hash))) throw refused();
  const principal = { workspaceId: row.workspace_id, mode: row.mode, scope: row.scope, apiKeyId: row.id, autoConfirm: row.auto_confirm };
  return { principal, hash, notedAt: row.last_used_at?.getTime() ?? 0 };
}

/** Write last_used_at, at most once a minute: by the memory of this process, and by the statement's own condition among all of them. */
async function note(world: World, entry: Entry): Promise<void> {
  const now = world.clock.now();
  if (now.getTime() - entry.notedAt < NOTED_EVERY_MS) return;
  entry.notedAt = now.getTime();
  const { workspaceId, apiKeyId } = entry.principal;
  if (apiKeyId) await store.touch(world.db, { workspaceId, id: apiKeyId }, now, new Date(now.getTime() - NOTED_EVERY_MS));
}
