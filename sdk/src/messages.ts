import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Expand, Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Message } from './types.gen.ts';

export type ListMessagesQuery = ListQuery<{
  inbox_id: string;
  direction: Message['direction'];
  classification: NonNullable<Message['classification']>;
  thread_id: string;
  expand: 'inbox';
}>;
export type MessageBody = { object: 'message_body'; message_id: string; html: string | null; text: string | null };

export class Messages extends Resource {
  list(query?: ListMessagesQuery, options?: CallOptions) {
    return this.pages<Message>('/v1/messages', query, options);
  }
  retrieve(id: string, query?: Expand, options?: CallOptions) {
    return this.call<Message>('GET', path`/v1/messages/${id}`, { ...options, query });
  }
  /** Read from the mailbox at this moment: slow, and 502 `body_unavailable` when the mailbox cannot give it. */
  body(id: string, options?: CallOptions) {
    return this.call<MessageBody>('GET', path`/v1/messages/${id}/body`, options);
  }
}
