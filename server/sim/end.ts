import type { Scene } from './scene.ts';
import type { EndState } from './story.ts';

/** Everything that the API shows of this workspace. */
export async function endOf({ api }: Scene): Promise<EndState> {
  const [sends, contacts, campaigns, inboxes, inbound] = await Promise.all([
    Array.fromAsync(api.sends.list({ limit: 100 })),
    Array.fromAsync(api.contacts.list({ limit: 100 })),
    Array.fromAsync(api.campaigns.list({ limit: 100 })),
    Array.fromAsync(api.inboxes.list({ limit: 100 })),
    Array.fromAsync(api.messages.list({ limit: 100, direction: 'inbound' })),
  ]);
  return { sends, contacts, campaigns, inboxes, inbound };
}
