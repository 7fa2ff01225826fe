import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Expand, Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Message, MessageBody } from './types.gen.ts';

export type ListMessagesQuery = ListQuery<{
  inbox_id: string;
  direction: Message['direction'];
  classification: NonNullable<Message['classification']>;
  /** The provider's thread id, or a `thr_` id. */
  thread_id: string;
  expand: 'inbox';
}>;
export class Messages extends Resource {
  list(query?: ListMessagesQuery, options?: CallOptions) {
    return this.pages<Message>('/v1/messages', query, options);
  }
  retrieve(id: string, query?: Expand, options?: CallOptions) {
    return this.call<Message>('GET', path`/v1/messages/${id}`, { ...options, query });
  }
  /** Fetched from the mailbox now. Throws a ProviderError (`body_unavailable`) when it cannot be had. */
  body(id: string, options?: CallOptions) {
    return this.call<MessageBody>('GET', path`/v1/messages/${id}/body`, options);
  }
}
