import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Send, Thread } from './types.gen.ts';

export type ListThreadsQuery = ListQuery<{ inbox_id: string; has_reply: boolean }>;
export type ReplyToThreadBody = {
  /** Default: `Re: ` and the last subject. */
  subject?: string;
  body_html?: string;
  body_text?: string;
  variables?: Record<string, unknown>;
  /** Default: who wrote the latest inbound message. */
  to?: string;
  metadata?: Record<string, string>;
  append_signature?: boolean;
};

export class Threads extends Resource {
  /** The thread with the latest message first. */
  list(query?: ListThreadsQuery, options?: CallOptions) {
    return this.pages<Thread>('/v1/threads', query, options);
  }
  /** With its newest messages, oldest first. */
  retrieve(id: string, options?: CallOptions) {
    return this.call<Thread>('GET', path`/v1/threads/${id}`, options);
  }
  /** A send in this thread, from its inbox. */
  reply(id: string, body: ReplyToThreadBody, options?: CallOptions) {
    return this.call<Send>('POST', path`/v1/threads/${id}/replies`, { ...options, body });
  }
}
