import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Expand, Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Send } from './types.gen.ts';

export type ListSendsQuery = ListQuery<{ inbox_id: string; state: Send['state']; expand: 'inbox' }>;
export type Recipient = string | { email: string; name?: string };
export type CreateSendBody = {
  to: Recipient;
  subject: string;
  inbox_id: string;
  body_html?: string;
  body_text?: string;
  variables?: Record<string, unknown>;
  /** RFC 3339 with an offset or Z; null or left out: now. */
  send_at?: string | null;
  in_reply_to_message_id?: string;
  /** Comes back on every event of the send. */
  metadata?: Record<string, string>;
  append_signature?: boolean;
};

export class Sends extends Resource {
  list(query?: ListSendsQuery, options?: CallOptions) {
    return this.pages<Send>('/v1/sends', query, options);
  }
  create(body: CreateSendBody, options?: CallOptions) {
    return this.call<Send>('POST', '/v1/sends', { ...options, body });
  }
  retrieve(id: string, query?: Expand, options?: CallOptions) {
    return this.call<Send>('GET', path`/v1/sends/${id}`, { ...options, query });
  }
  /** Only while it is scheduled. */
  cancel(id: string, options?: CallOptions) {
    return this.call<Send>('POST', path`/v1/sends/${id}/cancel`, options);
  }
}
