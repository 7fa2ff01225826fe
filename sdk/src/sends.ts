import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Expand, Resource } from './resource.ts';
import type { Answered, CallOptions } from './transport.ts';
import type { BulkSendResult, Send } from './types.gen.ts';

export type ListSendsQuery = ListQuery<{ inbox_id: string; state: Send['state']; expand: 'inbox' }>;
export type Recipient = string | { email: string; name?: string };
export type FromStrategy = { type: 'single'; inbox_id: string } | { type: 'rotate' | 'least_busy'; inbox_ids?: string[] };
/** `content` is base64. */
export type Attachment = { filename: string; content: string; content_type?: string };
export type CreateSendBody = {
  to: Recipient | Recipient[];
  subject: string;
  /** Short for the strategy `single`. */
  inbox_id?: string;
  from_strategy?: FromStrategy;
  body_html?: string;
  body_text?: string;
  variables?: Record<string, unknown>;
  /** RFC 3339 with an offset or Z; null or left out: now. */
  send_at?: string | null;
  /** A `thr_` id makes it a reply, sent from the thread's inbox. */
  thread_id?: string;
  in_reply_to_message_id?: string;
  /** Comes back on every event of the send. */
  metadata?: Record<string, string>;
  append_signature?: boolean;
  cc?: Recipient[];
  bcc?: Recipient[];
  reply_to?: string;
  attachments?: Attachment[];
  /** `X-*` and `List-*` only. */
  headers?: Record<string, string>;
  track_opens?: boolean;
  track_clicks?: boolean;
};
/** One recipient and no strategy: the answer is a Send. */
export type CreateSingleSendBody = Omit<CreateSendBody, 'to' | 'from_strategy'> & { to: Recipient };

export class Sends extends Resource {
  list(query?: ListSendsQuery, options?: CallOptions) {
    return this.pages<Send>('/v1/sends', query, options);
  }
  /** Several recipients or a `from_strategy` answer with a bulk result, in which each recipient fails on its own. */
  create(body: CreateSingleSendBody & { from_strategy?: never }, options?: CallOptions): Promise<Answered<Send>>;
  create(body: CreateSendBody & { from_strategy: FromStrategy }, options?: CallOptions): Promise<Answered<BulkSendResult>>;
  create(body: CreateSendBody, options?: CallOptions): Promise<Answered<Send | BulkSendResult>>;
  create(body: CreateSendBody, options?: CallOptions) {
    return this.call<Send | BulkSendResult>('POST', '/v1/sends', { ...options, body });
  }
  retrieve(id: string, query?: Expand, options?: CallOptions) {
    return this.call<Send>('GET', path`/v1/sends/${id}`, { ...options, query });
  }
  /** Only while it is scheduled. */
  cancel(id: string, options?: CallOptions) {
    return this.call<Send>('POST', path`/v1/sends/${id}/cancel`, options);
  }
}
