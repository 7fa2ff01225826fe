import { z } from 'zod';
import { Timestamp } from '#web/wire.ts';

export const ConnectLink = z
  .object({
    object: z.literal('connect_link'),
    url: z.url().meta({ description: 'One-time; to be opened in the browser of whoever owns the mailbox.' }),
    expires_at: Timestamp,
  })
  .meta({ id: 'ConnectLink' });

export const ConnectLinkBody = z.strictObject({
  redirect_url: z.string().optional().meta({
    description: "Where the browser goes in the end. Anything but an https address on the dashboard's own origin is replaced by /dashboard/inboxes.",
  }),
});
