import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Message } from './types.gen.ts';

export type ListMessagesQuery = ListQuery<{
  inbox_id: string;
  direction: Message['direction'];
  classification: NonNullable<Message['classification']>;
  thread_id: string;
}>;
export class Messages extends Resource {
  list(query?: ListMessagesQuery, options?: CallOptions) {
    return this.pages<Message>('/v1/messages', query, options);
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<Message>('GET', path`/v1/messages/${id}`, options);
  }
}
