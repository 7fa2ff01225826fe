import { z } from 'zod';
import { Id } from '#web/wire.ts';

export const MessageBody = z
  .object({
    object: z.literal('message_body'),
    message_id: Id('msg'),
    html: z
      .string()
      .nullable()
      .meta({
        description:
          'The HTML as it came, without scripts, event handlers, style sheets, forms, frames and whatever else acts. Pictures from elsewhere stay: ' +
          'show it in a sandboxed frame. Null when the message has no HTML, and for sandbox inboxes.',
      }),
    text: z.string().nullable().meta({ description: 'The plain text as it came. Null when the message has none, and for sandbox inboxes.' }),
    truncated: z.boolean().meta({ description: 'There is more than is shown: 4 MiB of a message are read, and 1 Mi characters of each form.' }),
  })
  .meta({ id: 'MessageBody' });
