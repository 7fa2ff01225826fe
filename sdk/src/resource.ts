import { type ListEnvelope, type PageRequest, pages } from './page.ts';
import type { Answered, CallOptions, Method, Query, RequestOptions, Transport } from './transport.ts';

/** What all resources share: a way to call, and lists. */
export class Resource {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected call<T>(method: Method, path: string, options?: RequestOptions): Promise<Answered<T>> {
    return this.#transport.request<T>(method, path, options);
  }

  protected pages<T>(path: string, query: Query = {}, options?: CallOptions): PageRequest<T> {
    return pages<T>(query, (turned) => this.#transport.request<ListEnvelope<T>>('GET', path, { ...options, query: turned }));
  }
}

/** The guard of destructive operations; not needed with a key that has `auto_confirm`. */
export type Confirm = { confirm?: boolean | undefined };
/** `inbox` embeds a summary of the inbox. */
export type Expand = { expand?: 'inbox' | undefined };
/** Why one row of a batch was not taken. */
export type RowProblem = { type: string; code: string; message: string };
export type BatchResult<T> = { object: 'batch_result'; created: T[]; errors: { index: number; email: string; error: RowProblem }[] };
