import type { ListQuery } from './page.ts';
import { path } from './path.ts';
import { type Confirm, Resource } from './resource.ts';
import type { CallOptions } from './transport.ts';
import type { ApiKey } from './types.gen.ts';

export type CreateApiKeyBody = { name: string; scope?: ApiKey['scope']; mode?: ApiKey['mode']; auto_confirm?: boolean };
/** The only two answers that hold the secret are those of `create` and `rotate`. */
export type ApiKeyWithSecret = ApiKey & { secret: string };

export class ApiKeys extends Resource {
  list(query?: ListQuery, options?: CallOptions) {
    return this.pages<ApiKey>('/v1/api_keys', query, options);
  }
  create(body: CreateApiKeyBody, options?: CallOptions) {
    return this.call<ApiKeyWithSecret>('POST', '/v1/api_keys', { ...options, body });
  }
  revoke(id: string, query?: Confirm, options?: CallOptions) {
    return this.call<ApiKey>('DELETE', path`/v1/api_keys/${id}`, { ...options, query });
  }
  rotate(id: string, query?: Confirm, options?: CallOptions) {
    return this.call<ApiKeyWithSecret>('POST', path`/v1/api_keys/${id}/rotate`, { ...options, query });
  }
}
