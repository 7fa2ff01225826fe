import { emailKey } from '#platform/email-address.ts';
import { newId } from '#platform/ids.ts';
import { Refusal } from '#platform/refusal.ts';
import { json } from '#store/db.ts';
import { record } from '#resources/events/index.ts';
import type { Ctx } from '#world/ctx.ts';
import { type SandboxChanges, SANDBOX_DEFAULTS, mergedSandboxConfig } from './sandbox-config.ts';
import { freshSettings } from './settings.ts';
import * as store from './store.ts';
import { present } from './wire.ts';

type Wanted = { email_address?: string | undefined; display_name?: string | undefined; sandbox_config?: SandboxChanges | undefined };

/** Make a synthetic mailbox: it sends to nobody and hears what its configuration tells. Test mode only. */
export async function createSandbox(ctx: Ctx, wanted: Wanted): Promise<store.Row> {
  if (ctx.mode !== 'test') throw new Refusal('mode_mismatch', 'Sandbox inboxes live in test mode: use a test key.');
  const id = newId(ctx, 'inb');
  const address = wanted.email_address ?? `sandbox-${id.slice(-8)}@${ctx.config.SANDBOX_DOMAIN}`;
  const key = emailKey(address);
  if (await store.lockedByAddress(ctx, key)) {
    throw new Refusal('validation_failed', 'This address is connected already.', { param: 'email_address' });
  }
  const row = await store.insert(ctx, {
    ...freshSettings(ctx),
    id,
    provider: 'sandbox',
    email_address: address,
    email_key: key,
    display_name: wanted.display_name ?? null,
    sandbox_config: json(mergedSandboxConfig(SANDBOX_DEFAULTS, wanted.sandbox_config ?? {})),
  });
  record(ctx, { type: 'inbox.connected', resourceId: id, data: present(row, ctx.now) });
  return row;
}
