import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type BatchResult, Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { Suppression } from './types.gen.ts';

export type ListSuppressionsQuery = ListQuery<{ email: string; reason: Suppression['reason'] }>;
export type CreateSuppressionBody = { email: string; reason?: Suppression['reason'] };

export class Suppressions extends Resource {
  list(query?: ListSuppressionsQuery, options?: CallOptions) {
    return this.pages<Suppression>('/v1/suppressions', query, options);
  }
  /** 201 when new; 200 with the first one when the address is already suppressed. */
  create(body: CreateSuppressionBody, options?: CallOptions) {
    return this.call<Suppression>('POST', '/v1/suppressions', { ...options, body });
  }
  /** Up to 1,000 addresses; each row fails on its own. */
  batch(body: { suppressions: CreateSuppressionBody[] }, options?: CallOptions) {
    return this.call<BatchResult<Suppression>>('POST', '/v1/suppressions/batch', { ...options, body });
  }
  retrieve(id: string, options?: CallOptions) {
    return this.call<Suppression>('GET', path`/v1/suppressions/${id}`, options);
  }
  delete(id: string, options?: CallOptions) {
    return this.call<Suppression>('DELETE', path`/v1/suppressions/${id}`, options);
  }
}
