import { emailKey } from '#platform/email-address.ts';
import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import type { Security } from '#mail/mail.ts';
import { record } from '#resources/events/index.ts';
import { assertRoom } from '#resources/workspaces/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { type WatchedFolder, checkServers } from './check-servers.ts';
import { countConnect } from './connect-rate.ts';
import { asMailServer, sealedServers } from './servers.ts';
import { freshSettings } from './settings.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

type Server = { host: string; port: number; security: Security; username?: string | undefined; password?: string | undefined };
type Wanted = { email_address: string; display_name?: string | undefined; smtp: Server & { password: string }; imap: Server };

/** The settings with their defaults: the user is the address, IMAP logs in as SMTP does. */
function completed({ email_address: address, smtp, imap }: Wanted) {
  const full = { ...smtp, username: smtp.username ?? address };
  return { smtp: full, imap: { ...imap, username: imap.username ?? full.username, password: imap.password ?? full.password } };
}

/** Log in to both servers, before anything is stored. Live mode only. */
export async function checkWanted(ctx: Ctx, wanted: Wanted): Promise<WatchedFolder[]> {
  if (ctx.mode !== 'live') throw new Refusal('mode_mismatch', 'A test key connects no real mailbox: use POST /v1/inboxes/sandbox.');
  await countConnect(ctx);
  const { smtp, imap } = completed(wanted);
  return checkServers(ctx, asMailServer(smtp), asMailServer(imap));
}

/**
 * Store a mailbox whose logins have succeeded. An address that is connected already, or was until it was disconnected, gets the new credentials
 * and is active again, with its settings and its history.
 */
export async function connectSmtp(ctx: Ctx, wanted: Wanted, folders: readonly WatchedFolder[]): Promise<{ row: store.Row; isNew: boolean }> {
  const key = emailKey(wanted.email_address);
  const known = await store.lockedByAddress(ctx, key);
  if (known && known.provider !== 'smtp') {
    throw new Refusal('validation_failed', 'This address is connected in another way.', { param: 'email_address' });
  }
  if (!known || known.status === 'revoked') await assertRoom(ctx, 'inboxes', 1);
  const id = known?.id ?? newId(ctx, 'inb');
  const live = {
    ...sealedServers(ctx, { workspace_id: ctx.workspaceId, id }, completed(wanted)),
    status: 'active' as const, status_reason: null, revoked_at: null, login_refusals: 0, imap_login_refusals: 0, connect_failures: 0, retry_at: null,
    // A poll that is under way with the old login has no say any more.
    poll_failures: 0, next_poll_at: ctx.now, poll_lease_holder: null, poll_leased_until: null,
  }; // prettier-ignore
  const row = known
    ? await store.update(ctx, id, { ...live, ...(wanted.display_name !== undefined && { display_name: wanted.display_name }) })
    : await store.insert(ctx, {
        ...freshSettings(ctx),
        ...live,
        id,
        provider: 'smtp',
        email_address: wanted.email_address,
        email_key: key,
        display_name: wanted.display_name ?? null,
      });
  // A reconnected mailbox goes on reading where it was: what came meanwhile must not be missed.
  const read = new Set(known ? (await store.folders(ctx, id)).map((folder) => folder.role) : []);
  for (const { role, path, cursor } of folders.filter((folder) => !read.has(folder.role))) {
    await store.saveFolder(ctx, {
      inbox_id: id, role, path, uid_validity: cursor.uidValidity, last_uid: cursor.lastUid, updated_at: ctx.now,
    }); // prettier-ignore
  }
  record(ctx, { type: 'inbox.connected', resourceId: id, data: present(row, ctx.now) });
  return { row, isNew: !known };
}
